"""Loading and checking agree about shipped tables in which something was changed at random."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import SCHEMAS

from streamt_ol.cli.rules_checking import PROGRAM_NEEDS
from streamt_ol.engine.checks.check import run
from streamt_ol.engine.checks.draft import read_draft
from streamt_ol.engine.errors import RulesError
from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.resources import contract_page, package_folder, rules_folder
from streamt_ol.ground.yaml_errors import YamlError
from streamt_ol.lineage.needs import require_pinned_facets
from streamt_ol.review.rule_checks.all_checks import all_checks

FILES = sorted(path.name for path in rules_folder().glob("*.yml"))
WORD = re.compile(r"[A-Za-z_$?]+|[\[\]{},:]|\d+")
INSTEAD = [
    "",
    "null",
    "3",
    "[]",
    "{}",
    "true",
    '"$x"',
    '"{x}"',
    "none",
    "present",
    "absent",
    "$name",
    "'",
    "a: b",
]
CHECKS = all_checks(PROGRAM_NEEDS, SCHEMAS, program=package_folder(), contract=contract_page())
NOT_LOADED = {
    "empty-list",
    "field-type",
    "required-field",
    "uncatalogued-code",
    "unknown-citation",
    "unknown-field",
}
"""Errors that loading does not look for."""


@cache
def words(file: str) -> list[tuple[int, int]]:
    return [found.span() for found in WORD.finditer((rules_folder() / file).read_text("utf-8"))]


@st.composite
def mutations(draw) -> tuple[str, str]:
    """Draw a file of the shipped tables, and its text with one word gone or replaced."""
    file = draw(st.sampled_from(FILES))
    text = (rules_folder() / file).read_text("utf-8")
    start, end = draw(st.sampled_from(words(file)))
    return file, text[:start] + draw(st.sampled_from(INSTEAD)) + text[end:]


@given(mutations())
@settings(deadline=None, max_examples=60)
def test_loading_refuses_changed_tables_exactly_where_the_check_finds_an_error(mutation) -> None:
    file, text = mutation
    with TemporaryDirectory() as folder:
        rules = copytree(rules_folder(), Path(folder) / "rules")
        (rules / file).write_text(text, "utf-8")
        findings = run(CHECKS, read_draft(rules))
        refused = is_refused(rules)

    errors = {finding.check for finding in findings if finding.severity == "error"}
    assert refused == bool(errors - NOT_LOADED)
    assert len({finding.id for finding in findings}) == len(findings)


def is_refused(folder: Path) -> bool:
    try:
        rules = load_rules(folder)
        for needs in PROGRAM_NEEDS:
            rules.require(needs)
        require_pinned_facets(rules, SCHEMAS)
    except (RulesError, YamlError):
        return True
    return False
