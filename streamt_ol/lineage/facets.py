"""The facets that rows give a record: the bodies of the rows, and the two keys that every facet has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from streamt_ol.lineage.standard import PRODUCER

if TYPE_CHECKING:
    from streamt_ol.engine.tables import Table
    from streamt_ol.lineage.schemas import OpenLineageSchemas


class Carrier(Protocol):
    """A record of something that carries facets."""

    @property
    def entity(self) -> str:
        """`dataset`, `job` or `run`."""


class Facets:
    """Makes facets as the rows of one table say: the table gives `facet` and `body`."""

    def __init__(self, table: Table, schemas: OpenLineageSchemas) -> None:
        self._table = table
        self._schema_urls = {identity: facet.definition for identity, facet in schemas.facets.items()}

    def of(self, facts: Carrier) -> dict[str, Any]:
        """Return the facets of a record; none is an empty dict."""
        facets: dict[str, Any] = {}
        for decision in self._table.decide_all(facts):
            key = decision["facet"]
            body = decision["body"](facts)
            body["_producer"] = PRODUCER
            body["_schemaURL"] = self._schema_urls[facts.entity, key]
            facets[key] = body
        return facets
