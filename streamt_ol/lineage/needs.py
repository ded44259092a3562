"""What the export reads of a rule set, and what a facet row may name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.errors import RulesError
from streamt_ol.engine.ruleset import Needs, RuleSet
from streamt_ol.ground.errors import Place
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
    table = rules.table("facets")
    for row in table.rows:
        for entity in row.when.get("entity", table.inputs["entity"]):
            if (entity, row.then["facet"]) not in schemas.facets:
                known = ", ".join(sorted(key for of, key in schemas.facets if of == entity))
                facet = row.then["facet"]
                raise UnpinnedFacetError(
                    f"row {row.id!r} gives facet {facet!r}; the pinned facets of a {entity} are {known}",
                    location=f"{row.pointer}/then/facet",
                    place=Place(str(rules.folder / table.file)),
                )
