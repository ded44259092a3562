"""From bytes to text, and from an index in the text to a place."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from streamt_ol.ground.errors import Place
from streamt_ol.ground.yaml_errors import ControlCharacterError, NotUtf8Error

if TYPE_CHECKING:
    from collections.abc import Sequence

LINE_BREAK = "\r\n|[\n\r\x85\u2028\u2029]"
"""What ends a line in YAML 1.1, as a pattern; `re` compiles it when something is wrong."""

_OTHER_ENCODINGS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_PLAIN_ASCII = b"\t\n\r" + bytes(range(0x20, 0x7F))
_FORBIDDEN = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]"


def decode(data: bytes, file: str) -> str:
    """Return the text without its byte order mark.

    Raises NotUtf8Error with the byte offset (from 0) and ControlCharacterError: the characters that YAML 1.1
    leaves out of its character set (section 5.1).
    """
    for mark, name in _OTHER_ENCODINGS:
        if data.startswith(mark):
            raise NotUtf8Error(
                f"The file is {name}, as its first {len(mark)} bytes say (byte offset 0).",
                place=Place(file, 1, 1),
                suggestion="Save it as UTF-8.",
            )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotUtf8Error(
            f"Byte 0x{data[error.start]:02x} at byte offset {error.start} is not UTF-8.",
            place=place_at(data[: error.start].decode("utf-8").removeprefix("\ufeff"), error.start, file),
            suggestion="Save the file as UTF-8.",
        ) from None
    text = text.removeprefix("\ufeff")
    # Almost every file is plain ASCII, and dropping bytes is ten times faster than a search.
    if data.translate(None, _PLAIN_ASCII) and (found := re.search(_FORBIDDEN, text)):
        raise ControlCharacterError(
            f"The control character U+{ord(found.group()):04X} may not stand in a YAML file.",
            place=place_at(text, found.start(), file),
            suggestion="Remove it, or write it as an escape inside double quotes.",
        )
    return text


def place_at(text: str, index: int, file: str, starts: Sequence[int] | None = None) -> Place:
    """Return the place of a character, counted in characters from 0 (past the end: of the end).

    `starts` are the `line_starts` of the text, for who asks more than once.
    """
    starts = line_starts(text[:index]) if starts is None else starts
    line = bisect_right(starts, index)
    return Place(file, line, min(index, len(text)) - starts[line - 1] + 1)


def line_starts(text: str) -> list[int]:
    """Return the index of the first character of every line."""
    return [0, *(found.end() for found in re.finditer(LINE_BREAK, text))]
