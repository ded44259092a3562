"""The pinned OpenLineage schemas: loaded by size and digest, and what follows from them about facets."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import orjson

from streamt_ol.ground.errors import Place, StreamtError
from streamt_ol.ground.resources import schemas_folder
from streamt_ol.lineage.standard import RELEASE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from streamt_ol.ground.json_schema import Schema

LOCATION = "openlineage.schemas"


class _SchemasError(StreamtError):
    """Base: the packaged schemas are damaged. Reinstalling is the remedy for every cause."""

    code: ClassVar[str] = "E506_OPENLINEAGE_INVALID"

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(
            message,
            location=LOCATION,
            place=Place(str(path)),
            suggestion="reinstall the package: its files changed",
        )


class SchemaUnreadableError(_SchemasError):
    """A packaged file of schemas or pins is missing, cannot be read or has another shape."""


class SchemaPinError(_SchemasError):
    """A rendering is not the one that is pinned: its size or its SHA-256 differs."""


class FacetUnknownError(_SchemasError):
    """A facet document from which key, definition and entity of the facet cannot be derived."""


class _Pin(NamedTuple):
    id: str
    file: str
    size: int
    sha256: str


class FacetSchema(NamedTuple):
    """One standard facet, as its document describes it."""

    key: str
    """Its key in `facets`."""
    id: str
    """`$id` of its document."""
    definition: str
    """URI of its definition, `$id` and JSON pointer: the `_schemaURL` of every such facet."""
    entity: str
    """What carries it: `dataset`, `job` or `run`."""


class OpenLineageSchemas(NamedTuple):
    """The schemas of one OpenLineage release."""

    release: str
    core_id: str
    """`$id` of the document that defines events."""
    documents: Mapping[str, Schema]
    """`$id` to schema, the core included."""
    facets: Mapping[tuple[str, str], FacetSchema]
    """Entity and key to the facet."""

    @classmethod
    def load(cls, folder: Path) -> OpenLineageSchemas:
        """Return the schemas that `pins.json` in the folder names.

        Raises `SchemaUnreadableError`, `SchemaPinError`, `FacetUnknownError`; all at `openlineage.schemas`.
        """
        release, pins = _read_pins(folder / "pins.json")
        documents = {pin.id: _read_pinned(folder / pin.file, pin) for pin in pins}
        core_id = next(
            (id_ for id_, document in documents.items() if "BaseFacet" in document.get("$defs", {})), None
        )
        if core_id is None:
            raise FacetUnknownError("no pinned schema defines BaseFacet", folder)
        entities = _entities(documents[core_id])
        facets = {}
        for pin in pins:
            if pin.id != core_id:
                facet = _facet(documents[pin.id], entities, folder / pin.file)
                facets[facet.entity, facet.key] = facet
        return cls(release, core_id, MappingProxyType(documents), MappingProxyType(facets))

    @classmethod
    def packaged(cls) -> OpenLineageSchemas:
        """Return the schemas that this package brings along."""
        return cls.load(schemas_folder() / "openlineage" / RELEASE)

    def event_url(self, kind: str) -> str:
        """Return the `schemaURL` of an event kind: `DatasetEvent`, `JobEvent` or `RunEvent`."""
        return f"{self.core_id}#/$defs/{kind}"

    def facets_of(self, entity: str) -> Iterator[FacetSchema]:
        """Yield the facets that the entity may carry."""
        return (facet for facet in self.facets.values() if facet.entity == entity)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SchemaUnreadableError(f"cannot read {path.name}: {error.strerror}", path) from error


def _read_pins(path: Path) -> tuple[str, tuple[_Pin, ...]]:
    content = _read(path)
    try:
        index = orjson.loads(content)
        pins = tuple(
            _Pin(pin["id"], pin["file"], pin["rendering"]["bytes"], pin["rendering"]["sha256"])
            for pin in index["schemas"]
        )
        return index["release"], pins
    except (KeyError, TypeError, ValueError) as error:
        raise SchemaUnreadableError(f"{path.name} holds no pins", path) from error


def _read_pinned(path: Path, pin: _Pin) -> Schema:
    content = _read(path)
    if len(content) != pin.size:
        raise SchemaPinError(f"{path.name} has {len(content)} bytes, {pin.size} are pinned", path)
    if hashlib.sha256(content).hexdigest() != pin.sha256:
        raise SchemaPinError(f"{path.name} has another SHA-256 than the pinned one", path)
    document: dict[str, Any] = orjson.loads(content)
    if document["$id"] != pin.id:
        raise SchemaPinError(f"{path.name} has another $id than the pinned one", path)
    return document


def _entities(core: Schema) -> dict[str, str]:
    """Return the URI of each base facet with its entity: the core gives `facets` to Dataset, Job and Run."""
    return {
        f"{core['$id']}#/$defs/{name}Facet": name.lower()
        for name, definition in core["$defs"].items()
        if "facets" in definition.get("properties", {})
    }


def _facet(document: Schema, entities: Mapping[str, str], path: Path) -> FacetSchema:
    """Return the facet: the root's one property is its key, and its definition extends one base facet."""
    try:
        ((key, use),) = document["properties"].items()
        definition = document["$defs"][use["$ref"].removeprefix("#/$defs/")]
        (entity,) = {entities[part["$ref"]] for part in definition["allOf"] if part.get("$ref") in entities}
    except (KeyError, TypeError, ValueError) as error:
        raise FacetUnknownError(f"{path.name} does not describe one facet of one entity", path) from error
    return FacetSchema(key, document["$id"], document["$id"] + use["$ref"], entity)
