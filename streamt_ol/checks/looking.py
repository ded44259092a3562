"""What looking at messages needs, and what it gives."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from streamt_ol.checks.faults import Limits
    from streamt_ol.checks.records import NotEvaluated, Problem
    from streamt_ol.engine.tables import Table


class Look(NamedTuple):
    """What every kind of assertion is given beside its parameters and the messages."""

    at: str
    """The location of the assertion."""
    limits: Limits
    types: Table
    """`sample-types`."""


class Seen(NamedTuple):
    """What was found, and what could not be looked at."""

    problems: tuple[Problem, ...] = ()
    not_evaluated: tuple[NotEvaluated, ...] = ()
    evaluated: bool = True
    """Whether anything of the assertion was evaluated."""


def exactly(number: float | str) -> Fraction:
    """Return the number as it is written: 0.1 is a tenth."""
    return Fraction(str(number))
