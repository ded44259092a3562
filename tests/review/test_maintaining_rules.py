"""The walk of docs/maintaining-rules.md in a repository of its own, and the files that a repository is given.

What the page prints is checked with the other pages, in test_docs.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from doc_examples import examples
from golden_cases import GOLDEN, ROOT, source_path
from golden_suite import Suite

PAGE = (ROOT / "docs" / "maintaining-rules.md").read_text("utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "review.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["golden"]["steps"]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
SINK_ROW = """\
  - id: job-type-sink
    when: {entity: job, process: connect}
    then: {facet: jobType, body: {processingType: STREAMING, integration: STREAMT, jobType: SINK}}
    cites: [FAC-8]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Return the rule tables and the golden case of the walk, committed, on a branch for the change."""
    suite = Suite(tmp_path / "fork")
    suite.golden.mkdir(parents=True)
    suite.own_rules()
    shutil.copytree(GOLDEN / "observatory-sinks", suite.golden / "observatory-sinks")
    return suite.found()


def change_the_job_type_of_sinks(suite: Suite) -> None:
    facets = suite.root / "rules" / "facets.yml"
    suite.edit("process: [flink, gateway, connect]}", "process: [flink, gateway]}", facets)
    facets.write_text(facets.read_text("utf-8") + SINK_ROW, "utf-8")


def change_the_names_of_sinks(suite: Suite) -> None:
    jobs = suite.root / "rules" / "jobs.yml"
    before, connect, after = jobs.read_text("utf-8").partition("  - id: connect\n")
    jobs.write_text(before + connect + after.replace("/models/", "/sinks/", 1), "utf-8")


# the walk


def test_a_row_is_changed_reported_accepted_and_passes(suite: Suite) -> None:
    assert suite.call("check").exit_status == 0
    change_the_job_type_of_sinks(suite)

    failed = suite.call("check")
    assert failed.exit_status == 1
    assert "E170_GOLDEN_DIFFERS" in failed.stderr
    assert suite.git("status", "--porcelain") == "M rules/facets.yml"

    suite.call("run")
    report = suite.call("report").stdout
    assert "Changes of events: 0 breaking, 4 notable, 0 cosmetic." in report
    assert re.findall(r"^Row `(.*?)` of `facets.yml` (\w+): ", report, re.MULTILINE) == [
        ("facets/job-type-model", "changed"),
        ("facets/job-type-sink", "added"),
    ]

    suite.call("accept", suite.golden)
    assert suite.call("check").exit_status == 0
    exported = suite.golden / "observatory-sinks" / "expected" / "export.events.jsonl"
    assert exported.read_text("utf-8").count('"jobType":"SINK"') == 4


def test_a_breaking_change_of_a_row_is_refused_until_it_is_approved(suite: Suite) -> None:
    change_the_names_of_sinks(suite)
    suite.approve()

    refused = suite.call("check", "--format", "json")
    assert refused.exit_status == 1
    assert refused.document["differing"] == []
    gone = {change["change"] for change in refused.document["breaking"]}
    assert len(gone) == 4

    suite.approvals(
        "".join(
            f'- {{change: "{change}", case: observatory-sinks, reason: announced, by: Ada}}\n'
            for change in sorted(gone)
        )
    )
    assert suite.call("check").exit_status == 0

    suite.commit("Names of sinks")
    suite.git("switch", "--quiet", "main")
    suite.git("merge", "--quiet", "change")
    merged = suite.call("check", "--format", "json")
    assert merged.exit_status == 0
    assert {approval["change"] for approval in merged.document["stale_approvals"]} == gone


def test_the_page_shows_each_step_of_the_walk_with_what_it_prints() -> None:
    shown = [
        (command, example.exit_status if command == example.commands()[-1][0] else 0, printed)
        for example in examples(PAGE)
        if (example.kind, example.where) == ("run", "fork")
        for command, printed in example.commands()
        if " golden " in command and "cp " not in command
    ]
    words = [re.search(r" golden (\w+)", command) for command, _status, _printed in shown]

    assert [
        (word and word[1], status) for word, (_command, status, _printed) in zip(words, shown, strict=True)
    ] == [
        ("check", 1),
        ("run", 0),
        ("report", 0),
        ("accept", 0),
        ("check", 0),
        ("run", 0),
        ("accept", 0),
        ("check", 1),
        ("check", 0),
        ("check", 0),
        ("check", 0),
        ("check", 2),
    ]
    assert all(printed for _command, _status, printed in shown)


# the pull request


def test_the_workflow_may_read_and_nothing_else() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in WORKFLOW["jobs"].values())
    assert set(WORKFLOW[True]) == {"pull_request"}  # YAML 1.1 reads `on` as true


def test_the_workflow_needs_no_action_but_two_and_leaves_no_credentials() -> None:
    used = [step for step in STEPS if "uses" in step]

    assert [re.fullmatch(r"(actions/[a-z-]+)@(v\d+|[0-9a-f]{40})", step["uses"])[1] for step in used] == [  # type: ignore[index]
        "actions/checkout",
        "actions/setup-python",
    ]
    assert used[0]["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_nothing_of_a_pull_request_is_put_into_a_script() -> None:
    assert [step["run"] for step in STEPS if "${{" in step.get("run", "")] == []


def test_the_steps_of_the_workflow_do_what_they_say(suite: Suite, tmp_path: Path) -> None:
    base = suite.git("rev-parse", "main")
    project = suite.golden / "observatory-sinks" / "project" / "stream_project.yml"
    suite.edit("name: frames_search", "name: frames_found", project)
    suite.commit("A sink is renamed, and nothing accepted")
    summary = tmp_path / "summary.md"
    program = tmp_path / "bin" / "streamt"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m streamt_ol "$@"\n', "utf-8")
    program.chmod(0o755)
    environment = {
        "PATH": os.pathsep.join([str(program.parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(source_path()),
        "BASE": base,
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    scripts = {step["name"]: step["run"] for step in STEPS if "run" in step}

    done = {
        name: subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts[name]],
            cwd=suite.root,
            env=environment,
            capture_output=True,
            check=False,
        )
        for name in ("Check", "Report")
    }

    assert set(scripts) == {"Install", "Check", "Report"}
    assert done["Check"].returncode == 1
    assert b"E173_GOLDEN_BREAKING" in done["Check"].stderr
    assert done["Report"].returncode == 0
    assert "<details><summary><b>breaking</b>: observatory-sinks" in summary.read_text("utf-8")


def test_tables_and_golden_cases_have_owners() -> None:
    lines = (ROOT / ".github" / "CODEOWNERS").read_text("utf-8").splitlines()
    owned = {line.split()[0]: line.split()[1:] for line in lines if line and not line.startswith("#")}

    assert {"/rules/", "/golden/"} <= owned.keys()
    assert all((ROOT / path.strip("/")).is_dir() for path in owned)
    assert all(owners and all(owner.startswith("@") for owner in owners) for owners in owned.values())


def test_pending_files_are_kept_out_of_commits() -> None:
    assert "*.pending" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


# hooks for projects


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs_the_program_whatever_the_files(hook: dict[str, Any]) -> None:
    assert set(hook) == {"id", "name", "description", "entry", "language", "pass_filenames", "files"}
    assert hook["entry"].split()[0] == "streamt"
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    matched = [name for name in ("stream_project.yml", "models/a.yaml", "macros/m.sql.j2", ".env", ".env.prod") if re.search(hook["files"], name)]  # fmt: skip
    assert len(matched) == 5
    assert not re.search(hook["files"], "README.md")


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_passes_for_a_sound_project_and_fails_for_another(
    hook: dict[str, Any], tmp_path: Path
) -> None:
    suite = Suite(tmp_path / "project").write()
    suite.approve()
    suite.project.rename(suite.root / "stream_project.yml")
    suite.edit("shows: ships that arrive", "shows: ships\nproject: ../..", suite.case / "case.yml")
    suite.found()
    arguments = ["--job-namespace", "harbour"] if hook["id"] == "streamt-export" else []

    def run() -> int:
        return subprocess.run(
            [sys.executable, "-m", "streamt_ol", *hook["entry"].split()[1:], *arguments],
            cwd=suite.root,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path())},
            capture_output=True,
            check=False,
        ).returncode

    assert run() == 0
    suite.edit('source("ships")', 'source("shops")', suite.root / "stream_project.yml")
    assert run() != 0
