"""Records of facts are exactly those of the vocabulary, so tables can ask for nothing else."""

from __future__ import annotations

import pytest

from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.engine.ruleset import facts_of, load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.lineage.needs import LINEAGE_NEEDS

RECORDS = {**COMPILER_NEEDS.records, **LINEAGE_NEEDS.records}


BROUGHT = {
    "source": {"description", "owner", "columns"},
    "model": {
        "description",
        "owner",
        "columns",
        "contract_columns",
        "dependencies",
        "input_names",
        "output_name_at",
        "position",
    },
}
"""What records bring along that no table asks about: prose, fields and identities."""


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_has_the_facts_of_the_vocabulary(record: str) -> None:
    known = load_rules(rules_folder()).vocabulary.records[record]

    assert facts_of(RECORDS[record]) == set(known) | BROUGHT.get(record, set())


def test_no_fact_has_room_for_sql_or_configuration() -> None:
    names = {name for record in LINEAGE_NEEDS.records.values() for name in facts_of(record)}

    assert (
        names & {"sql", "macro", "params", "config", "runtime", "raw", "variables", "document", "declared"}
        == set()
    )
