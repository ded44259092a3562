"""Every check of rule tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.checks.needs import UnknownCode, UnmetNeed, Unread
from streamt_ol.engine.checks.reading import READING_CHECKS
from streamt_ol.engine.checks.tables import TABLE_CHECKS
from streamt_ol.review.rule_checks.citations import Citation
from streamt_ol.review.rule_checks.codes import UncataloguedCode, UnusedCode
from streamt_ol.review.rule_checks.facets import (
    EmptyList,
    FieldType,
    RequiredField,
    UnknownFacet,
    UnknownField,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from streamt_ol.engine.checks.check import Check
    from streamt_ol.engine.ruleset import Needs
    from streamt_ol.lineage.schemas import OpenLineageSchemas


def all_checks(
    needs: Sequence[Needs], schemas: OpenLineageSchemas, *, program: Path, contract: Path
) -> list[Check]:
    """Return one check per kind of fault.

    `needs` is what the program reads of a rule set, `program` the folder of its sources, `contract` the page
    that rows cite where none lies beside them.
    """
    return [
        *READING_CHECKS,
        *TABLE_CHECKS,
        UnknownCode(),
        UncataloguedCode(program),
        UnusedCode(program),
        UnmetNeed(needs),
        UnknownFacet(schemas),
        UnknownField(schemas),
        FieldType(schemas),
        RequiredField(schemas),
        EmptyList(schemas),
        Citation(contract),
        Unread(),
    ]
