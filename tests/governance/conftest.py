"""What `validate` finds in a small project, by code and location."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamt_ol.engine.ruleset import RuleSet, load_rules
from streamt_ol.governance.review import review
from streamt_ol.ground.resources import rules_folder
from streamt_ol.project.load import load_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamt_ol.governance.findings import Finding

HEAD = """
apiVersion: streamt.dev/v1alpha1
project: {name: harbour}
"""
RUNTIME = """
runtime:
  kafka: {bootstrap_servers: "broker.example:9092"}
  flink: {default: f, clusters: {f: {rest_url: "http://flink.example:8081"}}}
  connect: {default: c, clusters: {c: {rest_url: "http://connect.example:8083"}}}
  conduktor: {gateway: {proxy_bootstrap: "gate.example:6969"}}
"""
KAFKA_ONLY = """
runtime: {kafka: {bootstrap_servers: "broker.example:9092"}}
"""
SHIPS = """
sources:
  - name: ships
    topic: harbour.ships
    columns: [{name: id, type: STRING}, {name: tons, type: BIGINT}, {name: at, type: TIMESTAMP(3)}]
"""


@pytest.fixture(scope="session")
def rules() -> RuleSet:
    return load_rules(rules_folder())


@pytest.fixture
def find(tmp_path: Path, rules: RuleSet) -> Callable[..., list[Finding]]:
    """Return the findings of a project: with a full runtime and one source, unless told otherwise."""

    def findings(
        body: str, *, runtime: str = RUNTIME, sources: str = SHIPS, macros: dict[str, str] | None = None
    ) -> list[Finding]:
        (tmp_path / "stream_project.yml").write_text(HEAD + runtime + sources + body, "utf-8")
        for name, text in (macros or {}).items():
            (tmp_path / "macros").mkdir(exist_ok=True)
            (tmp_path / "macros" / name).write_text(text, "utf-8")
        project = load_project(
            tmp_path,
            environment=None,
            process_environment={},
            materializations=[str(kind) for kind in rules.vocabulary.domains["materialization"]],
        ).project
        return review(project, rules)

    return findings


@pytest.fixture
def found(find: Callable[..., list[Finding]]) -> Callable[..., list[tuple[str, str]]]:
    """Return code and location of every finding of a project."""

    def codes(body: str, **options: object) -> list[tuple[str, str]]:
        return [(finding.code, finding.location) for finding in find(body, **options)]

    return codes


@pytest.fixture
def kafka_only() -> str:
    return KAFKA_ONLY
