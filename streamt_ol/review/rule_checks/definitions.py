"""A place inside a facet as the pinned documents describe it, over `allOf` and `$ref`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamt_ol.ground.json_schema import Checker
from streamt_ol.ground.pointer import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.ground.json_schema import Schema

_LIMITS = frozenset({"const", "enum", "format", "maxLength", "maximum", "minLength", "minimum", "pattern"})
"""Keywords that not every value of a type satisfies."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What every schema that applies to one place demands together."""

    _documents: Mapping[str, Schema] = field(repr=False)
    _parts: tuple[tuple[str, Schema], ...]
    """Schemas with the `$id` of their documents, none of which refers to another any more."""

    @classmethod
    def at(cls, uri: str, documents: Mapping[str, Schema]) -> Definition:
        """Return the definition at a URI, `$id` and JSON pointer."""
        return cls.of([("", {"$ref": uri})], documents)

    @classmethod
    def of(cls, schemas: list[tuple[str, Schema]], documents: Mapping[str, Schema]) -> Definition:
        """Return what the schemas demand together."""
        parts = [part for document_id, schema in schemas for part in _flat(document_id, schema, documents)]
        return cls(documents, tuple(parts))

    @property
    def types(self) -> frozenset[str] | None:
        """Return the JSON types that are permitted; None for any."""
        permitted: frozenset[str] | None = None
        for _id, schema in self._parts:
            if "type" in schema:
                named = schema["type"]
                types = frozenset([named] if isinstance(named, str) else named)
                permitted = types if permitted is None else permitted & types
        return permitted

    @property
    def fields(self) -> dict[str, Definition]:
        """Return the declared keys of an object."""
        found: dict[str, list[tuple[str, Schema]]] = {}
        for document_id, schema in self._parts:
            for name, part in schema.get("properties", {}).items():
                found.setdefault(name, []).append((document_id, part))
        return {name: self.of(schemas, self._documents) for name, schemas in found.items()}

    @property
    def required(self) -> frozenset[str]:
        """Return the keys that an object must have."""
        return frozenset(name for _id, schema in self._parts for name in schema.get("required", ()))

    @property
    def items(self) -> Definition:
        """Return what the items of a list are."""
        schemas = [(document_id, schema["items"]) for document_id, schema in self._parts if "items" in schema]
        return self.of(schemas, self._documents)

    @property
    def limits(self) -> str | None:
        """Return in words what restricts the values of a type further; None where every value passes."""
        limits = [
            f"{keyword} {schema[keyword]}"
            for _id, schema in self._parts
            for keyword in sorted(_LIMITS & schema.keys())
        ]
        return ", ".join(limits) or None

    def accepts(self, value: Any) -> bool:
        """Return whether a value that is no object and no list is permitted here."""
        return all(Checker(_plain(schema)).accepts(value) for _id, schema in self._parts)


def _flat(document_id: str, schema: Schema, documents: Mapping[str, Schema]) -> Iterator[tuple[str, Schema]]:
    """Yield a schema and every schema that it applies to the same value."""
    yield document_id, schema
    if "$ref" in schema:
        target, _, fragment = schema["$ref"].partition("#")
        target = target or document_id
        referred = documents[target]
        for token in tokens(fragment):
            referred = referred[token]
        yield from _flat(target, referred, documents)
    for part in schema.get("allOf", ()):
        yield from _flat(document_id, part, documents)


def _plain(schema: Schema) -> dict[str, Any]:
    """Return the schema without what was followed already, and what concerns objects and lists only."""
    return {key: schema[key] for key in _LIMITS & schema.keys() | ({"type"} & schema.keys())}
