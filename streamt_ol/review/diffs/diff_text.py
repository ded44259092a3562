"""A difference for a terminal: the most severe first, each change with its id and what it feeds."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from streamt_ol.review.diffs.labels import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamt_ol.review.diffs.diff import Change, Diff

SHOWN = 10
"""How many names of what a change feeds are shown; the rest is counted."""
SAME = "The exports say the same"


def render(diff: Diff) -> str:
    """Return the difference as lines; unprintable characters are escaped."""
    return "".join(f"{one_line(line)}\n" for line in _lines(diff))


def summary(diff: Diff) -> str:
    """Return how many changes there are of each severity."""
    return ", ".join(f"{count} {severity}" for severity, count in diff.counts().items())


def named(change: Change, spell: Iterable[str]) -> str:
    """Return names of what a change feeds as one text, with the number of those that are left out."""
    names = list(spell)
    left = change.fed - len(names)
    return f"{', '.join(names)} and {left} more" if left else ", ".join(names)


def _lines(diff: Diff) -> Iterator[str]:
    if diff.is_empty:
        yield SAME
        return
    yield summary(diff)
    for severity, changes in groupby(diff.changes, key=lambda change: change.severity):
        yield ""
        yield severity
        for change in changes:
            yield f"  {change.id}  {change.message}"
            if change.fed:
                yield f"  {'':{len(change.id)}}  feeds: {named(change, change.below.names(SHOWN))}"
    if diff.renames:
        yield ""
        yield "perhaps renamed"
    for rename in diff.renames:
        yield f"  {rename.id}  {rename.kind} {rename.old} -> {rename.new}"
