"""How much one rendering may do, counted so that the same template fails or passes on every machine."""

from __future__ import annotations

from collections.abc import Collection, ItemsView, KeysView, ValuesView

from jinja2 import Undefined

from streamt_ol.compiler.template_bounds import OUTPUT_BYTES, STEP, WORK
from streamt_ol.compiler.template_errors import TemplateLimitError, UnprintableValueError

__all__ = ["OUTPUT_BYTES", "STEP", "WORK", "Work"]

ITEM = 16
"""What an item of a list or mapping costs where it is looked at."""

LOADING = 2048
"""What each use of another template costs."""

RANGE_ITEMS = 100_000
"""The most items of one `range`, the limit of Jinja2's own sandbox."""

INTEGER_BITS = 1024
"""Larger whole numbers may appear as a result but not be computed with."""

FORMAT_DIGITS = 4
"""The most digits of a number in a format: a field is at most 9,999 characters wide."""

ROUND_DIGITS = 300
"""The largest precision of the filter `round`; a float has no more digits."""


class Work:
    """Counts the work of one rendering and ends it with `TemplateLimitError` when too much is asked for."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = WORK

    def begin(self) -> None:
        """Count the next rendering: nothing is done of it."""
        self._left = WORK

    def spend(self, units: int) -> None:
        """Count so much work, before it is done."""
        self._left -= units
        if self._left < 0:
            raise TemplateLimitError("the template loops too often or makes too large values")

    def measure(self, value: object) -> bool:
        """Count what reading the value through costs, and return whether it is plain.

        Plain values are text, numbers, booleans, None, and lists, tuples and mappings of them: what has
        the same text in every run. Anything else costs nothing, as nothing reads it through.
        """
        if isinstance(value, str):
            self.spend(len(value))
            return True
        if value is None or isinstance(value, (int, float)):
            return True
        if isinstance(value, dict):
            return self._measure_all(value.keys()) & self._measure_all(value.values())
        if isinstance(value, (list, tuple)):
            return self._measure_all(value)
        if isinstance(value, (range, KeysView, ValuesView, ItemsView)):
            self.spend(len(value))
        return False

    def _measure_all(self, values: Collection[object]) -> bool:
        self.spend(ITEM * len(values))
        plain = True
        for value in values:
            plain &= self.measure(value)
        return plain

    def text(self, value: object) -> str:
        """Return the text of a plain value; that of a function or an iterator would tell a memory address."""
        if isinstance(value, Undefined):
            return str(value)  # raises its own error
        if not self.measure(value):
            raise UnprintableValueError(
                "a value that is no text, number, list or mapping is turned into text"
                " (a function that is not called, or an iterator without `| list`)"
            )
        return str(value)
