"""JSON Lines read as a stream: one line in memory at a time, each with its number."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from streamt_ol.review.events.event_findings import Remark
from streamt_ol.review.events.strict_json import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST: Final = 64 * 2**20
"""Bytes of the longest line that is read. Public receivers take a few MB per event."""
_CHUNK = 2**20
_BOM = codecs.BOM_UTF8


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its JSON value, unless it has none, and what is to be said about its text."""

    number: int
    """Counted from 1."""
    remarks: Sequence[Remark]
    has_value: bool
    value: Any = None
    data: bytes = field(default=b"", compare=False, repr=False)
    """The JSON text of the value as it stands in the file, without what ends the line."""


def read_lines(stream: BinaryIO, longest: int = LONGEST) -> Iterator[Line]:
    """Yield the lines of a stream; lines end with LF or CRLF, the last one perhaps with nothing.

    A line of more than `longest` bytes is skipped in pieces. Raises `OSError` where reading fails.
    """
    number = offset = 0
    while data := stream.readline(longest + 1):
        number += 1
        length = len(data)
        if length > longest and not data.endswith(b"\n"):
            length += _skip(stream)
            message = f"is longer than {longest} bytes, and was skipped"
            yield Line(number, [Remark("E151_EVENT_NOT_JSON", (), message)], has_value=False)
        else:
            yield _line(number, data, offset)
        offset += length


def _line(number: int, data: bytes, offset: int) -> Line:
    remarks = []
    if number == 1 and data.startswith(_BOM):
        remarks.append(Remark("W151_EVENTS_BYTE_ORDER_MARK", (), "the file starts with a byte order mark"))
        data = data.removeprefix(_BOM)
        offset += len(_BOM)
    if not data.strip(b" \t\r\n"):
        remarks.append(Remark("W150_EVENTS_BLANK_LINE", (), "the line is blank"))
        return Line(number, remarks, has_value=False)
    data = data.rstrip(b"\r\n")
    reading = parse(data, offset)
    return Line(number, [*remarks, *reading.remarks], not reading.remarks, reading.value, data)


def _skip(stream: BinaryIO) -> int:
    """Read to the end of the line and return how many bytes that were."""
    length = 0
    while data := stream.readline(_CHUNK):
        length += len(data)
        if data.endswith(b"\n"):
            break
    return length
