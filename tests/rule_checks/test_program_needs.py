"""`streamt rules check` asks tables for all that any part of the program reads of them."""

from __future__ import annotations

import importlib
import re

from streamt_ol.cli.rules_checking import PROGRAM_NEEDS
from streamt_ol.engine.ruleset import Needs
from streamt_ol.ground.resources import package_folder

PACKAGE = package_folder()
DECLARING = re.compile(r"^\w+_NEEDS\b.*= Needs\($", re.MULTILINE)


def declared() -> dict[str, Needs]:
    """Return what each module reads of a rule set, by the name under which it says so."""
    return {
        name: needs
        for path in sorted(PACKAGE.rglob("*.py"))
        if DECLARING.search(path.read_text("utf-8"))
        for module in (".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts),)
        for name, needs in vars(importlib.import_module(module)).items()
        if isinstance(needs, Needs)
    }


def test_the_check_knows_everything_that_a_part_of_the_program_reads() -> None:
    known = {
        (table, output) for needs in PROGRAM_NEEDS for table, of in needs.tables.items() for output in of
    }
    known |= {(name, key) for needs in PROGRAM_NEEDS for name, of in needs.catalogues.items() for key in of}
    records = {record for needs in PROGRAM_NEEDS for record in needs.records}

    for name, needs in declared().items():
        read = {
            (table, one)
            for part in (needs.tables, needs.catalogues)
            for table, of in part.items()
            for one in of
        }
        assert read <= known, name
        assert needs.records.keys() <= records, name


def test_parts_of_every_kind_are_found() -> None:
    assert declared().keys() >= {
        "COMPILER_NEEDS",
        "FLINK_NEEDS",
        "KAFKA_NEEDS",
        "POSTGRES_NEEDS",
        "RECOVERY_NEEDS",
    }
