"""The contract of the export against what proves it: no statement without proof, no golden run without statement."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from golden_cases import ROOT, read_runs

CONTRACT = ROOT / "docs" / "contract.md"
RULES = ROOT / "rules"

_STATEMENT = re.compile(r"^- \*\*(?P<id>[^*]*)\.\*\* (?P<text>.*(?:\n  .*)*)", re.MULTILINE)
_ID = re.compile(r"[A-Z]{2,3}-[1-9][0-9]*")
_PROOFS = re.compile(r"`[^`\s]+`(?:, `[^`\s]+`)*")
_GOLDEN, _TEST = "golden:", "test:"


@dataclass(frozen=True)
class Statement:
    """One numbered statement: what it says, and its line of proofs as written, on one line."""

    id: str
    text: str
    proof: str

    @property
    def proofs(self) -> list[str]:
        return re.findall(r"`([^`]+)`", self.proof)


def read_statements() -> list[Statement]:
    statements = []
    for found in _STATEMENT.finditer(CONTRACT.read_text("utf-8")):
        text, _mark, proof = " ".join(found["text"].split()).partition("Proof:")
        statements.append(Statement(found["id"], text.strip(), proof.strip()))
    return statements


STATEMENTS = read_statements()
PROOFS = [(statement.id, proof) for statement in STATEMENTS for proof in statement.proofs]


def cited() -> list[tuple[str, str, str]]:
    """Return file, row and statement of every citation in the rule tables."""
    return [
        (path.name, row["id"], statement)
        for path in sorted(RULES.glob("*.yml"))
        for row in yaml.safe_load(path.read_text("utf-8")).get("rows", ())
        for statement in row.get("cites", ())
    ]


@functools.cache
def functions_of(path: Path) -> frozenset[str]:
    """Return the names of the test functions of a file, without importing it."""
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_bullet_of_the_contract_is_a_statement() -> None:
    bullets = re.findall(r"^- .*", CONTRACT.read_text("utf-8"), re.MULTILINE)

    assert len(bullets) == len(STATEMENTS) > 0


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.id)
def test_a_statement_has_a_number_a_sentence_and_proofs(statement: Statement) -> None:
    assert _ID.fullmatch(statement.id)
    assert statement.text.endswith(".")
    assert _PROOFS.fullmatch(statement.proof)


def test_no_number_and_no_proof_of_one_statement_is_given_twice() -> None:
    numbers = Counter(statement.id for statement in STATEMENTS)

    assert [number for number, count in numbers.items() if count > 1] == []
    assert [pair for pair, count in Counter(PROOFS).items() if count > 1] == []


def test_every_citation_of_a_row_is_a_statement() -> None:
    numbers = {statement.id for statement in STATEMENTS}

    assert cited()
    assert [citation for citation in cited() if citation[2] not in numbers] == []


def test_every_proof_exists() -> None:
    runs = {f"{_GOLDEN}{run.id}" for run in read_runs()}

    assert [(number, proof) for number, proof in PROOFS if proof not in runs and not is_a_test(proof)] == []


def is_a_test(proof: str) -> bool:
    file, _mark, name = proof.removeprefix(_TEST).partition("::")
    path = ROOT / file
    named = proof.startswith(f"{_TEST}tests/") and name.startswith("test_")
    return named and path.is_file() and name in functions_of(path)


def test_every_golden_run_proves_a_statement() -> None:
    proving = {proof for _number, proof in PROOFS}

    assert [run.id for run in read_runs() if f"{_GOLDEN}{run.id}" not in proving] == []
