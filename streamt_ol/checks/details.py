"""What became of a test, in lines of text: for people, and for reports that quote them."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from streamt_ol.checks.faults import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.checks.records import Problem, TestResult


def read(result: TestResult) -> str:
    """Return how much was read, as `100 messages of payments.clean.v1`; empty where nothing is."""
    return "" if result.sampled is None else f"{counted(result.sampled, 'message')} of {result.topic}"


def details(result: TestResult, *, show_values: bool) -> Iterator[str]:
    """Yield a line per problem, error and assertion that was not evaluated.

    Messages at fault are named by partition and offset; what they hold follows only if `show_values`.
    """
    for error in result.errors:
        yield f"{error.code}: {error.message}"
    for problem in result.problems:
        about = f"{problem.assertion}: " if problem.assertion else ""
        yield f"{about}{problem.message}{_where(problem)}"
        if show_values:
            for (partition, offset), value in zip(problem.positions, problem.values, strict=True):
                yield f"  partition {partition} offset {offset}: {value}"
    for left in result.not_evaluated:
        yield f"{left.assertion} not evaluated: {left.reason}"


def _where(problem: Problem) -> str:
    """Return `; at partition 0 offsets 3, 5, partition 1 offset 0, and 7 more`."""
    places: list[str] = []
    for partition, positions in groupby(sorted(problem.positions), itemgetter(0)):
        offsets = [str(offset) for _partition, offset in positions]
        places.append(f"partition {partition} offset{'s' * (len(offsets) > 1)} {', '.join(offsets)}")
    if problem.more:
        places.append(f"and {problem.more} more")
    return f"; at {', '.join(places)}" if places else ""
