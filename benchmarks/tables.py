"""The tables of a run, as Markdown: ratios first."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from benchmarks.goals import GOALS, grown, growth
from benchmarks.results import EXAMPLE, EXPORT, FLOOR, NOTHING, PAUSED, VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.results import Results

VERDICTS = {True: "yes", False: "**no**", None: "not measured"}


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Return a table; the first `left` columns hold words, the others numbers. Without rows: nothing."""
    if not rows:
        return ""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if number < left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    rules = ["-" * width if number < left else "-" * (width - 1) + ":" for number, width in enumerate(widths)]
    return "\n".join(line(cells) for cells in (head, rules, *rows))


def goals(results: Results) -> str:
    """Return what was asked for beside what was measured."""
    rows = []
    for goal in GOALS:
        numbers = goal.numbers(results)
        ends = dict.fromkeys(f"{end(numbers):.3g}" for end in (min, max) if numbers)
        measured = " to ".join(ends) + goal.unit if ends else ""
        rows.append([goal.about, f"{goal.at_most:g}{goal.unit}", measured, VERDICTS[goal.met(results)]])
    return table(["what", "at most", "measured", "met"], rows)


def exports(results: Results) -> str:
    """Return exports beside their floors, project by project."""
    head = ["models", "project", "MB", "ratio", "paused", "s", "floor", "CPU s", "floor", "MiB", "floor"]
    rows = [
        [
            f"{one.design.models:,}",
            one.design.variation,
            f"{one.megabytes:.1f}",
            f"{one.runs.ratio(EXPORT, FLOOR):.2f}",
            f"{one.runs.ratio(EXPORT, PAUSED):.2f}" if PAUSED in one.runs.costs else "",
            *(f"{one.runs.seconds(name):.2f}" for name in (EXPORT, FLOOR)),
            *(f"{one.runs.cpu(name):.2f}" for name in (EXPORT, FLOOR)),
            *(f"{one.runs.mebibytes(name):,.0f}" for name in (EXPORT, FLOOR)),
        ]
        for one in results.exported
    ]
    return table(head, rows, left=2)


def growths(results: Results) -> str:
    """Return how exports grow, and how they grow when the start of the program is taken off."""
    start = results.started.seconds(EXAMPLE) if results.started else None
    rows = []
    for small, large in pairwise(sorted({one.design.models for one in results.exported})):
        for one, other in grown(results, small, large):
            row = [f"{small:,} to {large:,}", one.design.variation, f"{growth(one, other):.2f}"]
            # where the start is most of the time, what is left is the noise of both
            told = start is not None and start < one.runs.seconds(EXPORT) / 2
            rows.append([*row, f"{growth(one, other, deducted=start or 0):.2f}" if told else ""])
    return table(["models", "project", "growth", "without start"], rows, left=2)


def stages(results: Results) -> str:
    """Return what the steps of an export cost."""
    if results.stages is None:
        return ""
    measured, design = results.stages, results.stages.design
    rows = [
        ["loading", f"{measured.microseconds('loading') / design.models:.1f}", ""],
        ["compiling", f"{measured.microseconds('compiling') / design.models:.1f}", ""],
        ["mapping and checking", "", f"{measured.microseconds('mapping') / design.events:.1f}"],
        ["writing", "", f"{measured.microseconds('writing') / design.events:.1f}"],
    ]
    return table([f"step, at {design.models:,} models", "µs per model", "µs per event"], rows)


def client(results: Results) -> str:
    """Return what the client needs for an event, and, where both were measured, against the export."""
    if results.client is None:
        return ""
    measured = results.client
    per_event = measured.per_event("dataset", "job")
    rows = [
        ["a dataset event", "", f"{measured.per_event('dataset'):.0f}"],
        ["a job event", "", f"{measured.per_event('job'):.0f}"],
        ["any event of the export", "", f"{per_event:.0f}"],
    ]
    if results.stages is not None and results.stages.design == measured.design:
        ours = results.stages.microseconds("mapping", "writing") / measured.design.events
        rows[-1][1] = f"{per_event / ours:.1f}"
        rows.append(["the same, mapped, checked and written by the export", "1", f"{ours:.0f}"])
    return table(["built and serialized by the client", "ratio", "µs"], rows)


def starts(results: Results) -> str:
    """Return what commands cost that have next to nothing to do."""
    if results.started is None:
        return ""
    runs = results.started
    rows = [
        [
            f"`{name}`",
            f"{runs.ratio(name, NOTHING):.1f}",
            f"{1e3 * runs.seconds(name):.0f}",
            f"{1e3 * runs.cpu(name):.0f}",
            f"{runs.mebibytes(name):.0f}",
        ]
        for name in (NOTHING, VERSION, EXAMPLE)
    ]
    return table(["command", "ratio", "ms", "CPU ms", "MiB"], rows)


def comparisons(results: Results) -> str:
    """Return what `events diff` costs beside the export."""
    if results.compared is None:
        return ""
    runs = results.compared.runs
    rows = [
        [
            name,
            f"{runs.ratio(name, EXPORT):.2f}",
            f"{runs.seconds(name):.2f}",
            f"{runs.cpu(name):.2f}",
            f"{runs.mebibytes(name):,.0f}",
        ]
        for name in runs.costs
    ]
    return table(
        [f"compared with, at {results.compared.design.models:,} models", "ratio", "s", "CPU s", "MiB"], rows
    )


def machine(results: Results) -> str:
    """Return the machine."""
    return table(["part", "what"], [[key, value] for key, value in results.machine.items()], left=2)


TABLES: dict[str, Callable[[Results], str]] = {
    "goals": goals,
    "exports": exports,
    "growth": growths,
    "stages": stages,
    "client": client,
    "start-up": starts,
    "comparisons": comparisons,
    "machine": machine,
}
"""By the name that a table has in a page."""


def all_tables(results: Results) -> Iterator[str]:
    """Yield every table that has rows, under its name."""
    for name, made in TABLES.items():
        text = made(results)
        if text:
            yield f"{name}\n\n{text}\n"
