"""Schemas as the stand-in for a Schema Registry keeps them: in a form of its own, as a registry does.

So what comes back is not the text that was sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastavro import parse_schema
from fastavro.schema import SchemaParseException, UnknownType


class RefusedError(Exception):
    """What a registry answers to what it does not do."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error_code": code, "message": message}


@dataclass(frozen=True)
class Schema:
    """A schema in the form in which the registry keeps it."""

    type: str
    text: str
    references: tuple[tuple[str, str, int], ...] = ()
    """Name, subject and version."""

    def told(self) -> dict[str, Any]:
        """Return what is told of it: Avro goes without saying, and so do no references."""
        told: dict[str, Any] = {"schema": self.text}
        if self.type != "AVRO":
            told["schemaType"] = self.type
        if self.references:
            names = ("name", "subject", "version")
            told["references"] = [dict(zip(names, one, strict=True)) for one in self.references]
        return told


def schema_of(body: Any) -> Schema:
    """Return the schema of a request; raises RefusedError."""
    unknown = set(body) - {"schema", "schemaType", "references", "metadata", "ruleSet", "version", "id"}
    if unknown:
        raise RefusedError(422, 422, f"Unrecognized field: {min(unknown)}")
    text, kind = body.get("schema"), body.get("schemaType", "AVRO")
    if not isinstance(text, str) or not text.strip():
        raise RefusedError(422, 42201, "Empty schema")
    if kind not in _KEPT:
        raise RefusedError(422, 42201, f"Invalid schema type {kind}")
    try:
        kept = _KEPT[kind](text)
    except (ValueError, SchemaParseException, UnknownType) as error:
        raise RefusedError(422, 42201, f"Invalid schema of type {kind}, details: {error}") from error
    references = [(one["name"], one["subject"], one["version"]) for one in body.get("references") or ()]
    return Schema(kind, kept, tuple(references))


def _avro(text: str) -> str:
    value = json.loads(text)
    parse_schema(value)
    return json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=False)


def _plain(schema: Any) -> Any:
    """Return an Avro schema as Java's Avro writes it: `{"type": "int"}` is `"int"`, and keys have an order."""
    if isinstance(schema, list):
        return [_plain(branch) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    if set(schema) == {"type"}:
        return _plain(schema["type"])
    order = ("type", "name", "namespace", "doc", "fields")
    known = {key: schema[key] for key in order if key in schema}
    parts = {**known, **{key: value for key, value in schema.items() if key not in known}}
    for key in parts.keys() & {"type", "items", "values"}:
        parts[key] = _plain(parts[key])
    if "fields" in parts:
        parts["fields"] = [_plain(one) for one in parts["fields"]]
    return parts


def _json(text: str) -> str:
    return json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)


def _protobuf(text: str) -> str:
    """Return a text without comments and blank lines, as a registry formats what it has read.

    What the text leaves unsaid about its syntax is said.
    """
    if "message" not in text and "enum" not in text:
        raise ValueError("no definition")
    bare = re.sub(r"//[^\n]*", "", text)
    lines = [" ".join(line.split()) for line in bare.splitlines()]
    if not re.search(r"\bsyntax\s*=", bare):
        lines.insert(0, 'syntax = "proto2";')
    return "".join(f"{line}\n" for line in lines if line)


_KEPT: dict[str, Callable[[str], str]] = {"AVRO": _avro, "JSON": _json, "PROTOBUF": _protobuf}
