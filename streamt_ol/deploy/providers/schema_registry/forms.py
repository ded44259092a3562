"""Schemas in one form, whoever wrote them down: a registry does not keep the text that it was sent.

What may differ without meaning anything is left out: white space, the order of keys, how a name of Avro is
split into name and namespace, comments of Protobuf. What is left is known by its digest: texts are shown and
kept nowhere. Sources: the specification of Avro 1.11 (names, schema declarations), of Protobuf (lexical
elements).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.canonical import canonical_json, checksum_of_bytes
from streamt_ol.ground.json_text import read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamt_ol.deploy.records import Surface

AVRO: Final = "AVRO"
"""What a schema is of which nobody says a type: of a registry, and of a project."""

_WORDS: Final = frozenset(
    {"null", "boolean", "int", "long", "float", "double", "bytes", "string", "array", "map"}
    | {"record", "error", "enum", "fixed"}
)
"""Words of Avro that are no names of somebody's types."""
_NAMED: Final = ("record", "error", "enum", "fixed")
"""A tuple: the type of a schema need not be a text."""
_PROTOBUF: Final = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | [\w.]+ | \S""",
    re.VERBOSE | re.DOTALL,
)


class SchemaTextError(ValueError):
    """A text is no schema of its type, as far as that is looked at here."""


def surface_of(kind: str, digest: str | None, references: list[dict[str, Any]] | None = None) -> Surface:
    """Return what a plan compares of a schema: its type, its digest and what it builds on."""
    return {"type": kind, "schema": digest, "references": references or []}


def schema_digest(kind: str, text: str) -> str:
    """Return `sha256:` and the digest of a schema; `kind` is `AVRO`, `JSON`, `PROTOBUF` or another.

    Raises SchemaTextError for a text of Avro or JSON Schema that is no JSON.
    """
    return checksum_of_bytes(_FORMS.get(kind, _plain_text)(text))


def registered_digest(kind: str, text: str) -> str:
    """Return the digest of a schema that a registry shows, whatever its text is."""
    try:
        return schema_digest(kind, text)
    except SchemaTextError:
        return checksum_of_bytes(_plain_text(text))


def _avro(text: str) -> bytes:
    schema = _json_value(text)
    try:
        return canonical_json(_avro_value(schema, ""))
    except (LookupError, TypeError, AttributeError, RecursionError):
        return canonical_json(schema)  # no schema of Avro: the registry says what is wrong with it


def _avro_value(schema: Any, space: str) -> Any:
    """Return a schema with whole names for all that it names, in the namespace that surrounds it."""
    if isinstance(schema, str):
        return schema if schema in _WORDS else _whole(schema, space)
    if isinstance(schema, list):
        return [_avro_value(branch, space) for branch in schema]
    if set(schema) == {"type"}:
        return _avro_value(schema["type"], space)
    told = dict(schema)
    if schema["type"] in _NAMED:
        told["name"] = _whole(schema["name"], schema.get("namespace", space))
        told.pop("namespace", None)
        space = told["name"].rpartition(".")[0]
        _aliases(told, space)
    for part in told.keys() & {"type", "items", "values"}:
        told[part] = _avro_value(told[part], space)
    if "fields" in told:
        told["fields"] = [_avro_field(field, space) for field in told["fields"]]
    return told


def _avro_field(field: Mapping[str, Any], space: str) -> dict[str, Any]:
    told = {**field, "type": _avro_value(field["type"], space)}
    if told.get("order") == "ascending":
        del told["order"]  # what is not said is this
    return told


def _aliases(told: dict[str, Any], space: str) -> None:
    if "aliases" in told:
        told["aliases"] = sorted(_whole(name, space) for name in told["aliases"])


def _whole(name: str, space: str) -> str:
    return name if "." in name or not space else f"{space}.{name}"


def _json(text: str) -> bytes:
    return canonical_json(_json_value(text))


def _json_value(text: str) -> Any:
    try:
        value = read_json(text)
        canonical_json(value)
    except (ValueError, RecursionError):
        raise SchemaTextError("it is no JSON, or has a key twice") from None
    return value


def _protobuf(text: str) -> bytes:
    """Return the words of a text, each behind the other."""
    words = [word for word in _PROTOBUF.findall(text) if not word.startswith(("//", "/*"))]
    return " ".join(_quoted(word) for word in words).encode("utf-8", "surrogatepass")


def _quoted(word: str) -> str:
    """Return a literal in the quotes that are usual, where that changes nothing in it."""
    inner = word[1:-1]
    return f'"{inner}"' if word.startswith("'") and not {'"', "\\"} & set(inner) else word


def _plain_text(text: str) -> bytes:
    return text.strip().encode("utf-8", "surrogatepass")


_FORMS: Final[Mapping[str, Callable[[str], bytes]]] = {AVRO: _avro, "JSON": _json, "PROTOBUF": _protobuf}
