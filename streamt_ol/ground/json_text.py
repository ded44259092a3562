"""One JSON text read strictly: what readers may understand differently is refused (RFC 8259, sections 4, 6).

Python's decoder takes `NaN` and `Infinity`, which are no JSON, and of a key that stands twice the last value.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable


class RepeatedKeyError(ValueError):
    """An object has a key twice. It holds nothing of what was read."""


class NoNumberError(ValueError):
    """A number is `NaN`, `Infinity` or `-Infinity`. It holds nothing of what was read."""


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object; raises RepeatedKeyError."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise RepeatedKeyError
    return members


def read_json(
    text: str | bytes, *, as_object: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = once
) -> Any:
    """Return the value of a JSON text; bytes are in any Unicode encoding that JSON was ever written in.

    `as_object` makes an object of its members, for a caller that has something else to say of a key that
    stands twice; with None the last value counts. Raises RepeatedKeyError, NoNumberError, another ValueError
    for whatever is no JSON, whose attributes may hold all that was read, and RecursionError for a nest that
    is too deep.
    """
    return json.loads(text, object_pairs_hook=as_object, parse_constant=_no_number)


def _no_number(_constant: str) -> NoReturn:
    raise NoNumberError
