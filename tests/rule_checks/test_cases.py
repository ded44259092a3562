"""Each check against its case file: `cases/CHECK.yml` holds tables that pass it and tables that fail it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from rule_cases import SCHEMAS, findings_of, lay_out, spelled

from streamt_ol.engine.checks.needs import UnknownCode
from streamt_ol.engine.checks.reading import READING_CHECKS
from streamt_ol.engine.checks.tables import TABLE_CHECKS
from streamt_ol.engine.errors import RulesError
from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.yaml_errors import YamlError
from streamt_ol.review.rule_checks.all_checks import all_checks

HERE = Path(__file__).parent
BASE = HERE / "base"
FILES = [yaml.safe_load(path.read_text("utf-8")) for path in sorted((HERE / "cases").glob("*.yml"))]
CASES = [
    (file["check"], kind, case) for file in FILES for kind in ("passing", "failing") for case in file[kind]
]
LOADING = {check.name for check in (*READING_CHECKS, *TABLE_CHECKS, UnknownCode())}
"""Checks of what loading looks at, too."""


def name_of(value: Any) -> str:
    return value["shows"].replace(" ", "-") if isinstance(value, dict) else value


@pytest.mark.parametrize(("check", "kind", "case"), CASES, ids=name_of)
def test_a_check_finds_exactly_what_its_case_says(
    tmp_path: Path, check: str, kind: str, case: dict[str, Any]
) -> None:
    findings = findings_of(case, BASE, tmp_path)

    assert [spelled(finding) for finding in findings if finding.check == check] == case.get("finds", [])
    assert [finding.id for finding in findings if finding.check != check] == case.get("besides", [])
    assert ("finds" in case) == (kind == "failing")


@pytest.mark.parametrize(("check", "kind", "case"), CASES, ids=name_of)
def test_loading_refuses_what_a_check_of_reading_calls_an_error(
    tmp_path: Path, check: str, kind: str, case: dict[str, Any]
) -> None:
    findings = findings_of(case, BASE, tmp_path / "checked")
    errors = [finding for finding in findings if finding.check in LOADING and finding.severity == "error"]

    assert refused(lay_out(case, BASE, tmp_path / "loaded")) == bool(errors)


def refused(rules: Path) -> bool:
    try:
        load_rules(rules)
    except (RulesError, YamlError):
        return True
    return False


def test_every_check_has_a_case_file_of_its_name_with_both_kinds_of_cases() -> None:
    checks = [check.name for check in all_checks([], SCHEMAS, program=HERE, contract=HERE)]

    assert sorted(checks) == sorted(file["check"] for file in FILES)
    assert sorted(checks) == sorted(path.stem for path in (HERE / "cases").glob("*.yml"))
    assert len(set(checks)) == len(checks)
    assert [file["check"] for file in FILES if not (file["passing"] and file["failing"])] == []


def test_every_cause_that_reading_reports_is_shown_by_one_check() -> None:
    later = {"GapError", "OverlapError", "UnreachableRowError", "UnknownCodeError"}  # of tables as a whole
    needs = {"UnknownTableError", "MissingOutputError", "UnreadFactError", "UnpinnedFacetError"}
    running = {"FactOutsideDomainError"}
    causes = {cause for cause in below(RulesError) if cause.__name__ not in later | needs | running}
    shown = [check.cause for check in READING_CHECKS]

    assert len(set(shown)) == len(shown)
    assert causes == set(shown) - {YamlError}


def below(cause: type[RulesError]) -> set[type[RulesError]]:
    return set(cause.__subclasses__()).union(*(below(kind) for kind in cause.__subclasses__()))


def test_the_page_of_rule_tables_lists_every_check_as_it_describes_itself() -> None:
    page = (HERE.parents[1] / "docs" / "rule-tables.md").read_text("utf-8")
    section = page.partition("\n### The checks\n")[2].partition("\n## ")[0]
    listed = [tuple(line.strip("| ").split(" | ")) for line in section.splitlines() if line.startswith("| `")]

    assert listed == [
        (f"`{check.name}`", check.severity, str(check.__doc__).splitlines()[0].removesuffix("."))
        for check in all_checks([], SCHEMAS, program=HERE, contract=HERE)
    ]
