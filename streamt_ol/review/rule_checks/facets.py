"""Facets and their bodies against the pinned OpenLineage schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from streamt_ol.engine.checks.check import Check, Found
from streamt_ol.lineage.facet_rows import facet_uses
from streamt_ol.review.rule_checks.bodies import flaws

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.checks.draft import Draft
    from streamt_ol.lineage.schemas import OpenLineageSchemas


class FacetCheck(Check):
    """A check of the rows that give facets."""

    def __init__(self, schemas: OpenLineageSchemas) -> None:
        self.schemas = schemas


class UnknownFacet(FacetCheck):
    """A row gives an entity a facet that no pinned schema describes for it."""

    name = "unknown-facet"

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield each facet and entity."""
        for use in facet_uses(draft.rules):
            if (use.entity, use.key) not in self.schemas.facets:
                known = ", ".join(sorted(facet.key for facet in self.schemas.facets_of(use.entity)))
                yield Found(
                    use.table.file,
                    f"{use.row.pointer}/then/facet",
                    f"no pinned schema describes facet {use.key!r} of a {use.entity}; it may carry {known}",
                    "correct the key, narrow `entity`, or pin its schema (tools/render_schemas.py)",
                    f"{use.entity}.{use.key}",
                )


class BodyCheck(FacetCheck):
    """Shows one kind of flaw of bodies."""

    remedy: ClassVar[str]

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield each flaw once, also where a row gives the facet to several entities."""
        seen: set[tuple[str, str, str]] = set()
        for use in facet_uses(draft.rules):
            for flaw in flaws(use, draft, self.schemas):
                told = (use.table.file, flaw.pointer, flaw.message)
                if flaw.kind == self.name and told not in seen:
                    seen.add(told)
                    yield Found(use.table.file, flaw.pointer, flaw.message, self.remedy)


class UnknownField(BodyCheck):
    """A body gives a field that the schema of its facet does not have."""

    name = "unknown-field"
    remedy = "correct the key, or remove it"


class FieldType(BodyCheck):
    """A body gives a field a value of another type than its schema, or one that its schema refuses."""

    name = "field-type"
    remedy = "give a value, or copy a fact, of the type that the schema has"


class RequiredField(BodyCheck):
    """A body lacks a required field, or can leave it out because a fact may be absent."""

    name = "required-field"
    remedy = (
        "give the field; for a fact that may be absent, let `when` ask for the states in which it is there"
    )


class EmptyList(BodyCheck):
    """A body can give an empty list, which the check of every event refuses."""

    name = "empty-list"
    remedy = "let `when` ask for the states in which the list has items"
