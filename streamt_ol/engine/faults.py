"""Where the faults of a rule set go while it is read.

Loading and checking read with the same code and differ in this alone: loading raises the first fault, a check
collects every one. After a fault, reading goes on without the part that it could not understand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from streamt_ol.engine.errors import RulesError

if TYPE_CHECKING:
    from types import TracebackType

Report = Callable[[RulesError], None]


def refuse(fault: RulesError) -> None:
    """Raise the fault: the report of whoever cannot go on without the part at fault."""
    raise fault


class noted:  # noqa: N801 - used as a statement: `with noted(report):`
    """Hand a RulesError of the block to a report; without an exception from there, go on after the block."""

    __slots__ = ("_report",)

    def __init__(self, report: Report) -> None:
        self._report = report

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Report a fault; let every other exception pass."""
        if isinstance(fault, RulesError):
            self._report(fault)
            return True
        return False
