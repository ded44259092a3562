"""The rows that give facets, each beside the definition of its facet: what is wrong with what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.bodies import EACH
from streamt_ol.review.rule_checks.body_review import ADDED, BodyReview, Flaw
from streamt_ol.review.rule_checks.definitions import Definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.checks.draft import Draft
    from streamt_ol.lineage.facet_rows import FacetUse
    from streamt_ol.lineage.schemas import OpenLineageSchemas


def flaws(use: FacetUse, draft: Draft, schemas: OpenLineageSchemas) -> Iterator[Flaw]:
    """Yield what is wrong with the body of a row; nothing where no schema describes its facet."""
    facet = schemas.facets.get((use.entity, use.key))
    body = draft.spelled(use.table, use.row).get("then", {}).get("body")
    if facet is None or body is None:
        return
    review = BodyReview(draft.rules.vocabulary, use)
    at = f"{use.row.pointer}/then/body"
    definition = Definition.at(facet.definition, schemas.documents)
    yield from review.value(body, definition, at, use.record)
    if isinstance(body, dict) and body.keys() != EACH:
        for key in sorted(ADDED & body.keys()):
            yield Flaw("unknown-field", f"{at}/{key}", f"{key!r} is added by the program: no body gives it")
        if definition.required <= ADDED and all(
            review.may_miss(value, use.record) for value in body.values()
        ):
            yield Flaw(
                "required-field", at, f"the {use.key} facet of a {use.entity} can be without any field"
            )
