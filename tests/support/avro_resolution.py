"""Whether values written with one Avro schema can be read with another, for the stand-in of a Schema Registry.

Source: the chapter on schema resolution in the specification of Avro 1.11. Aliases are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_PRIMITIVES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
_PROMOTED = {
    "int": {"long", "float", "double"},
    "long": {"float", "double"},
    "float": {"double"},
    "string": {"bytes"},
    "bytes": {"string"},
}
_NAMED = {"record", "enum", "fixed"}


def unreadable(reader: Any, writer: Any) -> list[str]:
    """Return why a reader cannot read what a writer wrote, each with its place; nothing where it can."""
    return list(_Resolving(reader, writer).problems(reader, writer, ""))


class _Resolving:
    def __init__(self, reader: Any, writer: Any) -> None:
        self._readers = dict(_named(reader, ""))
        self._writers = dict(_named(writer, ""))
        self._under_way: set[tuple[str, str]] = set()

    def problems(self, reader: Any, writer: Any, at: str) -> Iterator[str]:
        reader, writer = _resolved(reader, self._readers), _resolved(writer, self._writers)
        if isinstance(writer, list):
            for branch in writer:
                yield from self.problems(reader, branch, at)
        elif isinstance(reader, list):
            if all(list(self.problems(branch, writer, at)) for branch in reader):
                yield f"MISSING_UNION_BRANCH at {at or '/'}: the reader has no branch for {_kind(writer)}"
        elif _kind(reader) != _kind(writer):
            if _kind(reader) not in _PROMOTED.get(_kind(writer), ()):
                yield f"TYPE_MISMATCH at {at or '/'}: reader {_kind(reader)}, writer {_kind(writer)}"
        elif _kind(reader) in _NAMED:
            yield from self._of_named(reader, writer, at)
        elif _kind(reader) in {"array", "map"}:
            part = "items" if _kind(reader) == "array" else "values"
            yield from self.problems(reader[part], writer[part], f"{at}/{part}")

    def _of_named(self, reader: Any, writer: Any, at: str) -> Iterator[str]:
        pair = (reader["name"], writer["name"])
        if reader["name"].rpartition(".")[2] != writer["name"].rpartition(".")[2]:
            yield f"NAME_MISMATCH at {at}/name: expected {writer['name']}"
        elif pair not in self._under_way:
            self._under_way.add(pair)
            yield from {"record": self._of_record, "enum": _of_enum, "fixed": _of_fixed}[reader["type"]](
                reader, writer, at
            )

    def _of_record(self, reader: Any, writer: Any, at: str) -> Iterator[str]:
        written = {field["name"]: field for field in writer["fields"]}
        for position, field in enumerate(reader["fields"]):
            place = f"{at}/fields/{position}"
            if field["name"] in written:
                yield from self.problems(field["type"], written[field["name"]]["type"], f"{place}/type")
            elif "default" not in field:
                yield f"READER_FIELD_MISSING_DEFAULT_VALUE at {place}: {field['name']}"


def _of_enum(reader: Any, writer: Any, at: str) -> Iterator[str]:
    missing = [symbol for symbol in writer["symbols"] if symbol not in reader["symbols"]]
    if missing and "default" not in reader:
        yield f"MISSING_ENUM_SYMBOLS at {at}/symbols: {', '.join(missing)}"


def _of_fixed(reader: Any, writer: Any, at: str) -> Iterator[str]:
    if reader["size"] != writer["size"]:
        yield f"FIXED_SIZE_MISMATCH at {at}/size: expected {writer['size']}"


def _kind(schema: Any) -> str:
    if isinstance(schema, list):
        return "union"
    kind: str = schema if isinstance(schema, str) else schema["type"]
    return kind


def _resolved(schema: Any, known: dict[str, Any]) -> Any:
    if isinstance(schema, dict) and not isinstance(schema["type"], str):
        return _resolved(schema["type"], known)
    if isinstance(schema, str) and schema not in _PRIMITIVES:
        return known[schema if schema in known else f".{schema}"]
    return schema


def _named(schema: Any, space: str) -> Iterator[tuple[str, Any]]:
    """Yield the named types of a schema by every name that may refer to them."""
    if isinstance(schema, list):
        for branch in schema:
            yield from _named(branch, space)
    elif isinstance(schema, dict):
        kind = schema["type"]
        if kind in _NAMED:
            space = schema["name"].rpartition(".")[0] or schema.get("namespace", space)
            short = schema["name"].rpartition(".")[2]
            yield short, schema
            yield f"{space}.{short}", schema
        if not isinstance(kind, str):
            yield from _named(kind, space)
        for part in ("items", "values"):
            yield from _named(schema.get(part, "null"), space)
        for field in schema.get("fields", ()):
            yield from _named(field["type"], space)
