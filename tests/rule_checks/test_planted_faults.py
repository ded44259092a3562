"""Faults planted in copies of the shipped tables, and that the shipped tables have none."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import yaml
from rule_cases import SCHEMAS

from streamt_ol.cli.rules_checking import PROGRAM_NEEDS
from streamt_ol.engine.checks.check import run
from streamt_ol.engine.checks.draft import read_draft
from streamt_ol.ground.resources import contract_page, package_folder, rules_folder
from streamt_ol.review.rule_checks.all_checks import all_checks

PLANTED = yaml.safe_load((Path(__file__).parent / "planted.yml").read_text("utf-8"))
CHECKS = all_checks(PROGRAM_NEEDS, SCHEMAS, program=package_folder(), contract=contract_page())


def found(rules: Path) -> list[str]:
    return [finding.id for finding in run(CHECKS, read_draft(rules))]


@cache
def found_as_shipped() -> frozenset[str]:
    return frozenset(found(rules_folder()))


def planted(text: str, fault: dict[str, Any]) -> str:
    """Return the text of a file with a fault in it."""
    if "drop" in fault:
        row = re.compile(rf"^  - \{{?id: {fault['drop']}[,\n].*?(?=^  - |\Z)", re.MULTILINE | re.DOTALL)
        assert len(row.findall(text)) == 1
        return row.sub("", text)
    if "add" in fault:
        return text + fault["add"]
    assert text.count(fault["replace"]) == 1
    return text.replace(fault["replace"], fault["by"])


def name_of(fault: dict[str, Any]) -> str:
    return f"{fault['check']}-{fault['file']}"


def test_the_shipped_tables_pass() -> None:
    assert found(rules_folder()) == []


@pytest.mark.parametrize("fault", PLANTED, ids=name_of)
def test_a_planted_fault_is_found_and_nothing_else(tmp_path: Path, fault: dict[str, Any]) -> None:
    rules = copytree(rules_folder(), tmp_path / "rules")
    path = rules / fault["file"]
    path.write_text(planted(path.read_text("utf-8"), fault), "utf-8")

    new = [id_ for id_ in found(rules) if id_ not in found_as_shipped()]

    assert new == fault["finds"]
    assert any(fault["check"] in id_.split("/") for id_ in new)


def test_faults_of_many_kinds_are_planted_in_many_tables() -> None:
    pairs = {(fault["check"], fault["file"]) for fault in PLANTED}

    assert len(pairs) >= 25
    assert len({file for _check, file in pairs}) >= 15
