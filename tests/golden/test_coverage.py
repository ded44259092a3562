"""Every row of every rule table is fired by an approved golden run, or by a test that golden/coverage.yml names."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from golden_cases import GOLDEN, ROOT
from program import Done, run_streamt

from streamt_ol.engine.ruleset import load_rules
from streamt_ol.review.tables.coverage import EXCEPTIONS, read_coverage, read_exceptions
from streamt_ol.review.tables.rule_files import RuleFiles


def test_every_row_is_fired_by_a_golden_run_or_a_named_test_and_nothing_is_stale() -> None:
    coverage = read_coverage(RuleFiles(load_rules(ROOT / "rules")), [GOLDEN])

    assert [str(finding.place) + " " + finding.message for finding in coverage.findings()] == []


def test_the_tests_that_prove_rows_exist() -> None:
    proofs = [exception.test.partition("::") for exception in read_exceptions(GOLDEN / EXCEPTIONS)]

    assert proofs
    assert [name for file, _mark, name in proofs if name not in functions_of(ROOT / file)] == []


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def export(folder: Path, document: dict[str, Any]) -> Done:
    """Write a project and export it with a trace beside it."""
    runtime = {"kafka": {"bootstrap_servers": "broker.example:9092"}}
    head = {"apiVersion": "streamt.dev/v1alpha1", "project": {"name": "large"}, "runtime": runtime}
    (folder / "stream_project.yml").write_text(json.dumps({**head, **document}), "utf-8")
    done = run_streamt(
        "--trace",
        folder / "trace.jsonl",
        "docs",
        "openlineage",
        "--project-dir",
        folder,
        "--job-namespace",
        "ol",
    )
    assert done.exit_status == 0, done.stderr
    return done


def size_warnings(done: Done) -> list[str]:
    return [line for line in done.stderr.splitlines() if "W132_OPENLINEAGE_SIZE" in line]


def traced(folder: Path) -> list[dict[str, str]]:
    decisions = [json.loads(line) for line in (folder / "trace.jsonl").read_text("utf-8").splitlines()]
    return [decision for decision in decisions if decision["table"] == "reach"]


@pytest.mark.parametrize(("too_much", "warned"), [(0, False), (1, True)])
def test_an_event_of_more_than_5_000_000_bytes_is_a_warning(
    tmp_path: Path, *, too_much: int, warned: bool
) -> None:
    source = {"name": "notes", "topic": "notes", "columns": [{"name": "text"}], "description": "."}
    least = len(export(tmp_path, {"sources": [source]}).raw)
    source["description"] = "." * (5_000_000 - least + 1 + too_much)
    done = export(tmp_path, {"sources": [source]})

    assert len(done.raw) == 5_000_000 + too_much
    message = "the event of 'notes' has 5000001 bytes: some receivers refuse messages of more than 5 MB"
    assert size_warnings(done) == (
        [f"WARNING: W132_OPENLINEAGE_SIZE at /sources/0: {message}"] if warned else []
    )
    decision = {"at": "/sources/0", "table": "reach", "row": "large-event"}
    assert traced(tmp_path) == ([decision] if warned else [])


@pytest.mark.parametrize(("inputs", "warned"), [(1000, False), (1001, True)])
def test_a_job_of_more_than_1000_inputs_is_a_warning(tmp_path: Path, *, inputs: int, warned: bool) -> None:
    names = [f"sensor_{number}" for number in range(inputs)]
    sources = [{"name": name, "topic": name} for name in names]
    model = {"name": "all", "materialized": "flink", "from": [{"source": name} for name in names]}
    done = export(tmp_path, {"sources": sources, "models": [model]})

    message = "the job of 'all' has 1001 inputs: some receivers refuse more than 1000 links"
    assert size_warnings(done) == (
        [f"WARNING: W132_OPENLINEAGE_SIZE at /models/0: {message}"] if warned else []
    )
    decision = {"at": "/models/0", "table": "reach", "row": "many-links"}
    assert traced(tmp_path) == ([decision] if warned else [])
