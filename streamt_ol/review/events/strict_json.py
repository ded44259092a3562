"""One JSON text read strictly (RFC 8259, UTF-8): what readers may understand differently is refused.

orjson reads; whatever it refuses, and whatever may hold a key twice, is read again by Python's own decoder,
which is slower and can be asked more.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from streamt_ol.ground.json_data import foreign
from streamt_ol.review.events.event_findings import Remark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CODE = "E151_EVENT_NOT_JSON"
_DIGITS_OF_64_BITS = 20
_BEYOND_64_BITS = 2**64


class Reading(NamedTuple):
    """What a text says; after a remark the value is not to be used."""

    value: Any
    remarks: Sequence[Remark] = ()


def parse(data: bytes, offset: int = 0) -> Reading:
    """Return the value of a JSON text, or what is wrong with it.

    `offset` is the number of bytes before it in its file. An integer beyond 64 bits is read as a float.
    """
    try:
        value = orjson.loads(data)
        written = orjson.dumps(value)
    except (ValueError, TypeError):  # no JSON; or a nest that is too deep to be written
        reading = _parse_slowly(data, offset)
        return reading if reading.remarks else Reading(None, [Remark(_CODE, (), "is no JSON text")])
    # A key that stands twice is lost with its quotation marks. Only a mark spelled \u0022 hides the loss.
    if data.count(b'"') == written.count(b'"') and rb"\u0022" not in data:
        return Reading(value)
    return _parse_slowly(data, offset)


def _parse_slowly(data: bytes, offset: int) -> Reading:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        column = len(data[: error.start].decode()) + 1
        message = f"is not UTF-8: byte {offset + error.start} of the file, counted from 0"
        return Reading(None, [Remark(_CODE, (), message, column)])
    repeated: dict[int, tuple[dict[str, Any], list[str]]] = {}  # by id; kept here, no id is used again

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            times = Counter(key for key, _value in pairs)
            repeated[id(made)] = made, [key for key, count in times.items() if count > 1]
        return made

    decoder = json.JSONDecoder(object_pairs_hook=as_object, parse_int=_integer)
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        return Reading(None, [Remark(_CODE, (), "is no JSON text from this column on", error.pos + 1)])
    except RecursionError:
        return Reading(None, [Remark(_CODE, (), "is nested too deep")])
    twice = [
        Remark(_CODE, (*path, key), "the key stands twice in its object")
        for path, part in _parts(value if repeated else None)
        if id(part) in repeated
        for key in repeated[id(part)][1]
    ]
    return Reading(value, [*twice, *(Remark(_CODE, part.path, part.reason) for part in foreign(value))])


def _integer(text: str) -> int | float:
    # Python refuses to convert thousands of digits; readers take such numbers for floats, and so does orjson.
    if len(text.lstrip("-")) <= _DIGITS_OF_64_BITS:
        value = int(text)
        if -_BEYOND_64_BITS // 2 <= value < _BEYOND_64_BITS:
            return value
    return float(text)


def _parts(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield every part of the value with its path, in document order."""
    rest: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while rest:
        path, part = rest.pop()
        yield path, part
        children = (
            part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        )
        rest.extend(((*path, token), child) for token, child in reversed(list(children)))
