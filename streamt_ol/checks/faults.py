"""Messages at fault, of which only the first are kept: a sample may have millions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.checks.records import Problem

if TYPE_CHECKING:
    from streamt_ol.checks.records import Message, Position

_CUT = "..."


class Limits(NamedTuple):
    """How much of the messages at fault is kept."""

    positions: int
    characters: int
    """The length of a shown value."""


class Faults:
    """The messages at fault of one check, in the order of reading."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._positions: list[Position] = []
        self._values: list[str] = []
        self.count = 0

    def add(self, message: Message, value: object) -> None:
        """Note a message, and the value in it that is at fault."""
        self.count += 1
        if len(self._positions) < self._limits.positions:
            self._positions.append((message.partition, message.offset))
            self._values.append(shown(value, self._limits.characters))

    def problem(self, assertion: str, message: str) -> Problem:
        """Return the problem that the messages are."""
        more = self.count - len(self._positions)
        return Problem(assertion, message, tuple(self._positions), tuple(self._values), more)

    def among(self, total: int) -> str:
        """Return `2 of 100 messages`."""
        return f"{self.count} of {counted(total, 'message')}"


def shown(value: Any, characters: int) -> str:
    """Return a value as JSON where it is some, else as its `str`, at most so many characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= characters else text[: characters - len(_CUT)] + _CUT


def counted(count: int, noun: str) -> str:
    """Return `1 message` or `2 messages`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
