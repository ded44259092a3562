"""Which Python values are JSON data: what orjson writes exactly and what a JSON Schema can be asked about.

dicts with string keys, lists or tuples, strings without lone surrogates, integers of at most 64 bits, finite
floats, booleans and None, at most `DEEPEST` deep. A member of an Enum counts as its value, as orjson has it.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import jsonschema_rs
import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 254
"""How many lists and dicts may enclose each other."""

_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
_AS_IT_IS = (
    orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_TYPED = {
    "type": ["array", "boolean", "integer", "null", "number", "object", "string"],
    "additionalProperties": {"$ref": "#"},
    "items": {"$ref": "#"},
}


class Foreign(NamedTuple):
    """A value that is no JSON data: where it is (keys and indices from the root) and why.

    Where not even its place can be looked into (a key that is no text, a nest that is too deep), it is not
    `walkable`.
    """

    path: tuple[str | int, ...]
    reason: str
    walkable: bool = True


def is_json(value: Any) -> bool:
    """Return whether the value is JSON data, throughout."""
    try:
        orjson.dumps(value, option=_AS_IT_IS)
        return _typed().is_valid(value)  # for orjson writes NaN as null and some objects as text
    except (TypeError, ValueError):
        return False


@lru_cache(maxsize=1)
def _typed() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(_TYPED)


def foreign(value: Any) -> Iterator[Foreign]:
    """Yield every part of the value that is no JSON data, in document order."""
    rest: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while rest:
        path, part = rest.pop()
        part = part.value if isinstance(part, Enum) else part
        kind = type(part)
        if kind not in {dict, list, tuple}:
            reason = _foreign_scalar(part)
            if reason:
                yield Foreign(path, reason)
        elif len(path) >= DEEPEST:
            yield Foreign(path, f"is nested more than {DEEPEST} deep", walkable=False)
        elif kind is dict:
            named = [(key, entry) for key, entry in part.items() if type(key) is str and _is_text(key)]
            if len(named) < len(part):
                yield Foreign(path, "has a key that is no text", walkable=False)
            rest.extend(((*path, key), entry) for key, entry in reversed(named))
        else:
            rest.extend(((*path, index), entry) for index, entry in reversed(list(enumerate(part))))


def _foreign_scalar(value: Any) -> str | None:
    kind = type(value)
    if kind is str:
        return None if _is_text(value) else "holds a lone surrogate"
    if kind is float:
        return None if isfinite(value) else "is no finite number"
    if kind is int:
        return None if _SMALLEST <= value <= _LARGEST else "is an integer beyond 64 bits"
    return None if value is None or kind is bool else f"is a Python {kind.__name__}"


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
