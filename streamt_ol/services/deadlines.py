"""Bounds of wall clock, measured with a clock that nobody sets.

Source: decision R8 of the runtime facts: one attempt is bounded as a whole, not each of its operations.
"""

from __future__ import annotations

from time import monotonic


class DeadlinePassedError(TimeoutError):
    """The time is up."""


class Deadline:
    """A moment some seconds from now."""

    __slots__ = ("_end",)

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Return how many seconds are left, more than none; raises `DeadlinePassedError`."""
        left = self._end - monotonic()
        if left <= 0:
            raise DeadlinePassedError
        return left
