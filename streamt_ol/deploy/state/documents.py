"""JSON documents as the state is kept in: written in one way only, and read strictly.

A `Part` is a value of such a document with its place. It gives out its members only as a whole: with exactly
the keys that it is asked for. Nothing that is read is passed over, put right or shown in a message.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import orjson

from streamt_ol.deploy.state.errors import StateInvalidError
from streamt_ol.ground.errors import Place
from streamt_ol.ground.json_text import read_json
from streamt_ol.ground.pointer import pointer, tokens

if TYPE_CHECKING:
    from collections.abc import Collection

_CHECKSUM: Final = re.compile(r"sha256:[0-9a-f]{64}")
_OPERATION_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z", re.ASCII)
WORD: Final = re.compile(r"[a-z][a-z0-9_]*")

LONGEST_TEXT: Final = 512
"""Characters of any text in a state."""
LARGEST_NUMBER: Final = 2**63 - 1
_LONGEST_KEY_SHOWN: Final = 80
_AS_FILES_ARE: Final = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


class _Object(dict[str, Any]):
    """An object as it was read: a key that stood in it twice is remembered."""

    repeated: str | None = None


def document(value: Any) -> bytes:
    """Return plain values as a file holds them: keys sorted, indented by two blanks, one line feed last."""
    try:
        return orjson.dumps(value, option=_AS_FILES_ARE)
    except TypeError:  # half a surrogate pair, an endless number: reading refuses them, and says so
        text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False)
        return f"{text}\n".encode("utf-8", "surrogatepass")


class Part(NamedTuple):
    """A value of a document and where it stands."""

    value: Any
    file: str
    at: tuple[str | int, ...] = ()

    def refuse(self, reason: str) -> NoReturn:
        """Raise `StateInvalidError` about this value; the reason follows its name."""
        location = pointer(*(_shortened(token) for token in self.at))
        raise StateInvalidError(
            f"{named(location)} {reason}", location=location or None, place=Place(self.file)
        )

    def require_size(self, size: int, largest: int) -> None:
        """Refuse more bytes than that."""
        if size > largest:
            self.refuse(f"must have at most {largest} bytes")

    def member(self, key: str | int) -> Part:
        """Return a member without asking whether there are others."""
        return Part(self.value[key], self.file, (*self.at, key))

    def members(self, *keys: str) -> tuple[Part, ...]:
        """Return the members of an object that has exactly these keys."""
        self.entries()
        for key in self.value:
            if key not in keys:
                Part(None, self.file, (*self.at, key)).refuse("is a key that does not belong there")
        for key in keys:
            if key not in self.value:
                Part(None, self.file, (*self.at, key)).refuse("is missing")
        return tuple(self.member(key) for key in keys)

    def entries(self) -> list[Part]:
        """Return the members of an object with any keys, the key last in `at`."""
        if not isinstance(self.value, _Object):
            self.refuse("must be an object")
        if self.value.repeated is not None:
            Part(None, self.file, (*self.at, self.value.repeated)).refuse("stands there twice")
        return [self.member(key) for key in self.value]

    def items(self) -> list[Part]:
        """Return the items of a list."""
        if not isinstance(self.value, list):
            self.refuse("must be a list")
        return [self.member(index) for index in range(len(self.value))]

    def number(self) -> int:
        """Return an integer from 0."""
        if type(self.value) is not int:
            self.refuse("must be an integer")
        if not 0 <= self.value <= LARGEST_NUMBER:
            self.refuse("must not be negative" if self.value < 0 else "is too large")
        return self.value

    def flag(self) -> bool:
        """Return true or false."""
        if type(self.value) is not bool:
            self.refuse("must be true or false")
        return self.value

    def text(self, longest: int = LONGEST_TEXT) -> str:
        """Return a text that can be shown on one line, of at least one character."""
        value = self.value
        if type(value) is not str:
            self.refuse("must be a text")
        if not value:
            self.refuse("must not be empty")
        if len(value) > longest:
            self.refuse(f"must have at most {longest} characters")
        if not value.isprintable():
            self.refuse("holds a character that cannot be shown")
        return value

    def formed(self, form: re.Pattern[str], words: str) -> str:
        """Return a text of a form, which `words` name."""
        text = self.text()
        if not form.fullmatch(text):
            self.refuse(f"must be {words}")
        return text

    def checksum(self) -> str:
        """Return a checksum."""
        return self.formed(_CHECKSUM, "`sha256:` and 64 hexadecimal digits")

    def operation_id(self) -> str:
        """Return a canonical UUID."""
        return self.formed(_OPERATION_ID, "a UUID in lower case")

    def time(self) -> str:
        """Return a time in UTC."""
        words = "a time in UTC with six digits behind the second and a `Z`"
        text = self.formed(_TIME, words)
        try:
            datetime.fromisoformat(text[:-1])
        except ValueError:
            self.refuse(f"must be {words}")
        return text

    def one_of(self, words: Collection[str]) -> str:
        """Return one of the words."""
        text = self.text()
        if text not in words:
            self.refuse(f"must be one of {', '.join(words)}")
        return text

    def equals(self, expected: str | int, words: str) -> None:
        """Refuse any other value than the expected one."""
        if type(self.value) is not type(expected) or self.value != expected:
            self.refuse(words)


def named(location: str) -> str:
    """Return what a message calls the place that a pointer leads to: the last of its names."""
    *_before, last = ["", *tokens(location)]
    if not last:
        return "the document"
    return f"item {last}" if last.isdecimal() else f"`{last}`"


def read_document(data: bytes, file: str, largest: int) -> Part:
    """Return the root of a JSON document of at most so many bytes; `file` is its name as people see it.

    Raises `StateInvalidError`, for keys that stand twice only when their object is asked for.
    """
    root = Part(None, file)
    root.require_size(len(data), largest)
    try:
        value = read_json(data.decode(), as_object=_read_object)
    except UnicodeDecodeError:
        root.refuse("is not UTF-8")
    except json.JSONDecodeError as error:
        raise StateInvalidError(
            "the document is no JSON from this place on", place=Place(file, error.lineno, error.colno)
        ) from None
    except RecursionError:
        root.refuse("is nested too deep")
    except ValueError:
        root.refuse("holds a number that is none")
    return Part(value, file)


def _read_object(pairs: list[tuple[str, Any]]) -> _Object:
    found = _Object()
    for key, value in pairs:
        if key in found and found.repeated is None:
            found.repeated = key
        found[key] = value
    return found


def _shortened(token: str | int) -> str | int:
    if isinstance(token, int) or len(token) <= _LONGEST_KEY_SHOWN:
        return token
    return f"{token[:_LONGEST_KEY_SHOWN]}..."
