"""What the export reads of a rule set, and what a facet row may name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.errors import RulesError
from streamt_ol.engine.ruleset import Needs
from streamt_ol.ground.errors import Place
from streamt_ol.lineage.facet_rows import facet_uses
from streamt_ol.lineage.facts import (
    ChoiceFacts,
    ColumnFacts,
    DatasetFacts,
    JobFacts,
    ModelFacts,
    PairFacts,
    ReachFacts,
    SourceFacts,
    TextFacts,
)

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.lineage.schemas import OpenLineageSchemas

LINEAGE_NEEDS = Needs(
    tables={
        "datasets": ["namespace", "named", "needs"],
        "columns": ["from", "location"],
        "jobs": ["name", "dependencies", "reads", "binds"],
        "facets": ["facet", "body"],
        "texts": ["verdict", "message"],
        "warnings": ["code", "location", "message"],
        "look-alikes": ["code", "message"],
        "reach": ["code", "message"],
        "namespace-selection": ["take", "message"],
    },
    catalogues={"namespaces": ["option", "variable", "form", "required", "endpoint"], "bounds": ["limit"]},
    records={
        "source": SourceFacts,
        "model": ModelFacts,
        "column": ColumnFacts,
        "dataset": DatasetFacts,
        "job": JobFacts,
        "text": TextFacts,
        "choice": ChoiceFacts,
        "pair": PairFacts,
        "reach": ReachFacts,
    },
)


class UnpinnedFacetError(RulesError):
    """A row gives a facet that no pinned OpenLineage schema describes for its entity."""


def require_pinned_facets(rules: RuleSet, schemas: OpenLineageSchemas) -> None:
    """Refuse facet rows outside the closed registry of schemas."""
    for use in facet_uses(rules):
        if (use.entity, use.key) not in schemas.facets:
            known = ", ".join(sorted(facet.key for facet in schemas.facets_of(use.entity)))
            raise UnpinnedFacetError(
                f"row {use.row.id!r} gives facet {use.key!r}; "
                f"the pinned facets of a {use.entity} are {known}",
                location=f"{use.row.pointer}/then/facet",
                place=Place(str(rules.folder / use.table.file)),
            )
