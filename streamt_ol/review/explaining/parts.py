"""A part of an event with the rows that gave it, or a part that was left out with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamt_ol.review.tables.rule_files import RowPlace


@dataclass(frozen=True, slots=True)
class Part:
    """Something that an event says."""

    at: str
    """A pointer into the event."""
    value: Any
    rows: tuple[RowPlace, ...]
    left_out: str | None = None
    """Why the event does not say it; then there is no value."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        says = {"value": self.value} if self.left_out is None else {"left_out": self.left_out}
        return {"at": self.at, **says, "rows": [row.as_dict() for row in dict.fromkeys(self.rows)]}


def left_out(at: str, why: str, rows: Iterable[RowPlace]) -> Part:
    """Return a part that an event does not have."""
    return Part(at, None, tuple(rows), why)
