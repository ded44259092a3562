"""One closed schema for each kind of event, composed from the pinned documents.

The official definitions are open: any key may be added anywhere, a DatasetEvent may even have a `run`. So
three things are demanded together: the official definitions of the event and of each facet, a closure derived
from them (nothing that they do not declare, nothing empty), and what every event of this project says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.ground.pointer import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.ground.json_schema import Schema
    from streamt_ol.lineage.schemas import OpenLineageSchemas

NOTHING: dict[str, Any] = {"not": {}}
"""Refuses every value. Unlike with `additionalProperties: false`, the problem lies at the value itself."""
EVENT_TIME = {"pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]\.[0-9]{6}Z$"}
"""UTC with six fractional digits and no leap second; the official `format` sees to a real date."""
DATASET_NAMESPACE = {"format": "uri", "pattern": "^[A-Za-z][A-Za-z0-9+.-]*://"}
"""Refuses a name that stands where the namespace belongs."""
IDENTITY = {"properties": {"namespace": {}, "name": {}}, "additionalProperties": NOTHING}
"""A dataset as a job names it: without facets."""
BASE_KEYS = 2
"""`_producer` and `_schemaURL`: a facet that holds only these says nothing."""


def static_event_schemas(schemas: OpenLineageSchemas, producer: str) -> dict[str, dict[str, Any]]:
    """Return `schemaURL` to the schema of the events that carry it: DatasetEvents and JobEvents.

    The schemas refer to `schemas.documents`. `producer` is the exact value of `producer` and `_producer`.
    """
    made = EventSchemas(schemas, producer)
    dataset = {"properties": {"namespace": DATASET_NAMESPACE, "facets": made.facets("dataset")}}
    job = {"properties": {"facets": made.facets("job")}}
    references = {"items": IDENTITY}
    return dict(
        (
            made.event("DatasetEvent", {"dataset": dataset}),
            made.event("JobEvent", {"job": job, "inputs": references, "outputs": references}),
        )
    )


class EventSchemas:
    """Makes closed schemas of events of one producer; they refer to the documents of `schemas`."""

    def __init__(self, schemas: OpenLineageSchemas, producer: str) -> None:
        self._schemas = schemas
        self._producer = producer
        self._closure = _Closure(schemas.documents)

    def facets(self, entity: str) -> dict[str, Any]:
        """Return the schema of `facets` of a dataset, job or run: pinned facets that say something."""
        said = {
            facet.key: {
                "allOf": [{"$ref": facet.definition}, self._closure.of(facet.definition)],
                "properties": {
                    "_producer": {"const": self._producer},
                    "_schemaURL": {"const": facet.definition},
                },
                "minProperties": BASE_KEYS + 1,
            }
            for facet in self._schemas.facets_of(entity)
        }
        return {"properties": said, "additionalProperties": NOTHING}

    def event(self, kind: str, said: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the `schemaURL` and the schema of a kind of event; `said` is demanded of its properties."""
        url = self._schemas.event_url(kind)
        return url, {
            "allOf": [{"$ref": url}, self._closure.of(url)],
            "properties": {
                "eventTime": EVENT_TIME,
                "producer": {"const": self._producer},
                "schemaURL": {"const": url},
                **said,
            },
            "$defs": self._closure.definitions,
        }


class _Closure:
    """Schemas that refuse what definitions do not declare, and lists and maps without entries."""

    def __init__(self, documents: Mapping[str, Schema]) -> None:
        self._documents = documents
        self._names: dict[str, str] = {}
        self.definitions: dict[str, dict[str, Any]] = {}
        """What belongs under `$defs` beside a use of `of`."""

    def of(self, uri: str) -> dict[str, Any]:
        """Return a reference to the closure of the definition at the URI."""
        if uri not in self._names:
            name = self._names[uri] = (
                f"closed-{len(self._names)}"  # known before it is built: it may nest itself
            )
            self.definitions[name] = self._closed(*self._definition(uri))
        return {"$ref": f"#/$defs/{self._names[uri]}"}

    def _definition(self, uri: str) -> tuple[str, Schema]:
        document_id, _, fragment = uri.partition("#")
        schema = self._documents[document_id]
        for token in tokens(fragment):
            schema = schema[token]
        return document_id, schema

    def _closed(self, document_id: str, schema: Schema) -> dict[str, Any]:
        if "$ref" in schema:
            return self.of(_absolute(document_id, schema["$ref"]))
        properties = {name: self._closed(of, part) for name, of, part in self._declared(document_id, schema)}
        if properties:
            return {"properties": properties, "additionalProperties": NOTHING}
        if "items" in schema:
            return {"items": self._closed(document_id, schema["items"]), "minItems": 1}
        return {"minProperties": 1} if schema.get("type") == "object" else {}

    def _declared(self, document_id: str, schema: Schema) -> Iterator[tuple[str, str, Schema]]:
        """Yield name, document and schema of every property that the definition or one of its bases has."""
        if "$ref" in schema:
            yield from self._declared(*self._definition(_absolute(document_id, schema["$ref"])))
        for part in schema.get("allOf", ()):
            yield from self._declared(document_id, part)
        for name, part in schema.get("properties", {}).items():
            yield name, document_id, part


def _absolute(document_id: str, reference: str) -> str:
    return document_id + reference if reference.startswith("#") else reference
