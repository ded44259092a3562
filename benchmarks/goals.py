"""The goals, as data: what is asked for, and what was measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmarks.projects import SHAPES, Design
from benchmarks.results import EXAMPLE, EXPORT, FLOOR, NOTHING, VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.results import Exported, Results

SQL_IN_ONE_FILE = [Design(10_000, shape) for shape in SHAPES]
LAYERS = Design(10_000)
FILE_EACH = Design(10_000, files="each")
MACROS = Design(10_000, macros=True)


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound, and how to find in the results what it bounds: one number for each project that it is about."""

    about: str
    at_most: float
    unit: str
    numbers: Callable[[Results], list[float]]

    def met(self, results: Results) -> bool | None:
        """Return whether the worst number is within the bound; None: there is none."""
        numbers = self.numbers(results)
        return max(numbers) <= self.at_most if numbers else None


def growth(small: Exported, large: Exported, *, deducted: float = 0) -> float:
    """Return how many times as long as linear growth an export takes longer, after seconds taken off both."""
    seconds = [exported.runs.seconds(EXPORT) - deducted for exported in (small, large)]
    return (seconds[1] / seconds[0]) / (large.design.models / small.design.models)


def grown(results: Results, small: int, large: int) -> Iterable[tuple[Exported, Exported]]:
    """Yield what was measured of each project at both sizes."""
    for exported in results.exported:
        if exported.design.models == small:
            other = results.export(replace(exported.design, models=large))
            if other is not None:
                yield exported, other


def _exported(results: Results, designs: Iterable[Design]) -> Iterable[Exported]:
    return filter(None, map(results.export, designs))


def _ratios(*designs: Design) -> Callable[[Results], list[float]]:
    return lambda results: [one.runs.ratio(EXPORT, FLOOR) for one in _exported(results, designs)]


def _peaks(*designs: Design) -> Callable[[Results], list[float]]:
    return lambda results: [one.runs.mebibytes(EXPORT) for one in _exported(results, designs)]


def _growths(small: int, large: int) -> Callable[[Results], list[float]]:
    return lambda results: [growth(*pair) for pair in grown(results, small, large)]


def _start(command: str) -> Callable[[Results], list[float]]:
    return lambda results: [results.started.ratio(command, NOTHING)] if results.started else []


def _per_event(results: Results) -> list[float]:
    stages = results.stages
    if stages is None or stages.design != LAYERS:
        return []
    return [stages.microseconds("mapping", "writing") / stages.design.events]


GOALS = (
    Goal("export of 10,000 models in one file, against the floor", 0.4, "", _ratios(*SQL_IN_ONE_FILE)),
    Goal("the same from a file per model", 0.6, "", _ratios(FILE_EACH)),
    Goal("growth from 1,000 to 10,000 models, against linear", 1.1, "", _growths(1_000, 10_000)),
    Goal("growth from 10,000 to 50,000 models, against linear", 1.1, "", _growths(10_000, 50_000)),
    Goal("peak memory at 10,000 models", 250, " MiB", _peaks(*SQL_IN_ONE_FILE, FILE_EACH)),
    Goal("the same with macros", 250, " MiB", _peaks(MACROS)),
    Goal("mapping, checking and writing one event of 20,001", 60, " µs", _per_event),
    Goal("`streamt --version` against `python -c pass`", 4, "", _start(VERSION)),
    Goal("export of the document's example against `python -c pass`", 10, "", _start(EXAMPLE)),
)
