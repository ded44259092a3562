"""What tests are made of and what becomes of them: frozen records.

What messages hold stands in `Message.value` and `Problem.values` alone; neither is ever part of a `repr`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.ground.errors import Diagnostic
    from streamt_ol.project.records import Raw

Status = Literal["passed", "failed", "error", "skipped"]
"""`failed`: something is not as asserted. `error`: it could not be found out. `skipped`: nobody looked."""

Position = tuple[int, int]
"""Partition and offset."""


class Selected(NamedTuple):
    """A declared test that is to run; `position` is its place in `tests`."""

    position: int
    name: str
    model: str
    """A model or a source."""
    type: str
    raw: Raw

    @property
    def at(self) -> str:
        """Return the test's location."""
        return f"/tests/{self.position}"

    def __repr__(self) -> str:
        """Leave out what may hold values."""
        return shown_without(self, "raw")


class Message(NamedTuple):
    """One record of a topic, its value decoded."""

    partition: int
    offset: int
    value: Mapping[str, Any]

    def __repr__(self) -> str:
        """Leave out the value."""
        return shown_without(self, "value")


class Problem(NamedTuple):
    """One thing that is not as asserted; `message` tells names and counts, never what a message holds."""

    assertion: str
    """The kind of the assertion; empty where it is the test itself that cannot be as it should."""
    message: str
    positions: tuple[Position, ...] = ()
    """The first of the messages at fault, in the order of reading."""
    values: tuple[str, ...] = ()
    """What stands at each of the positions, cut; only shown where somebody asked for it."""
    more: int = 0
    """How many messages at fault have no place in `positions`."""

    def __repr__(self) -> str:
        """Leave out the values."""
        return shown_without(self, "values")


class NotEvaluated(NamedTuple):
    """An assertion, or a part of one, that nobody looked at, and why."""

    assertion: str
    reason: str


class TestResult(NamedTuple):
    """What became of one selected test."""

    at: str
    """The test's location."""
    name: str
    model: str
    type: str
    status: Status
    problems: tuple[Problem, ...] = ()
    errors: tuple[Diagnostic, ...] = ()
    """Why the test could not be carried out; only with the status `error`."""
    not_evaluated: tuple[NotEvaluated, ...] = ()
    topic: str = ""
    """What was read; empty for tests that read nothing."""
    sampled: int | None = None
    """How many messages were looked at; None for tests that read none."""
    seconds: float = 0.0
