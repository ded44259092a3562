"""Numbers between two bounds as a user writes them: 0.1 lies within 0.1, whatever carries it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from streamt_ol.project.records import Raw

Number = int | float | Decimal


class Bounds(NamedTuple):
    """A least and a greatest number, both inside themselves; None where there is none."""

    least: int | float | None
    most: int | float | None

    def hold(self, value: Number) -> bool:
        """Return whether a number lies within; NaN never does."""
        if isinstance(value, Decimal):
            return not value.is_nan() and _within(value, _exact(self.least), _exact(self.most))
        return value == value and _within(value, self.least, self.most)  # noqa: PLR0124 - but for NaN

    def __str__(self) -> str:
        """Return `from 0 to 10`."""
        ends = (("from", self.least), ("to", self.most))
        return " ".join(f"{word} {bound}" for word, bound in ends if bound is not None) or "anywhere"


def bounds_of(asserted: Raw) -> Bounds:
    """Return `min` and `max` of an assertion or bucket; either may be absent, or a number in quotes."""
    return Bounds(_number(asserted.get("min")), _number(asserted.get("max")))


def is_number(value: object) -> TypeGuard[Number]:
    """Return whether a value has a place between bounds; a boolean counts as 0 or 1 (section 8)."""
    return isinstance(value, int | float | Decimal)


def _number(written: Any) -> int | float | None:
    if not isinstance(written, str):
        return written  # type: ignore[no-any-return]
    return int(written) if written.lstrip("+-").isdecimal() else float(written)


def _exact(bound: float | None) -> Decimal | None:
    return None if bound is None else Decimal(str(bound))


def _within(value: Any, least: Any, most: Any) -> bool:
    return (least is None or bool(value >= least)) and (most is None or bool(value <= most))
