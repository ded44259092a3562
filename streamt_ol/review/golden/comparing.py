"""One run's output, before and after: its events by meaning, everything else as text."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import orjson

from streamt_ol.ground.errors import StreamtError
from streamt_ol.review.diffs.diff import diff_exports
from streamt_ol.review.diffs.exports import read_export
from streamt_ol.review.golden.cases import EVENTS, TRACE
from streamt_ol.review.golden.errors import NotComparableError
from streamt_ol.review.golden.row_changes import RowId

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.review.diffs.diff import Change, Diff

BREAKING = "breaking"
_EVENT_KEYS = frozenset({"eventTime", "dataset", "job", "run"})


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run whose output is not what it was."""

    run: str
    """`CASE/RUN`."""
    old: Mapping[str, bytes]
    """Every part, the empty ones too."""
    new: Mapping[str, bytes]
    diff: Diff | None
    """What is different about the events; None where stdout is, before and after, no export."""

    @property
    def case(self) -> str:
        """Return the name of the case."""
        return self.run.partition("/")[0]

    @property
    def changed_parts(self) -> list[str]:
        """Return the parts that are not what they were."""
        return [part for part, old in self.old.items() if self.new[part] != old]

    @property
    def as_text(self) -> list[str]:
        """Return the changed parts that are not compared by meaning."""
        return [part for part in self.changed_parts if part != EVENTS or self.diff is None]

    @property
    def changes(self) -> list[Change]:
        """Return the changes of the events, the most severe first."""
        return [] if self.diff is None else list(self.diff.changes)

    @property
    def breaking(self) -> list[Change]:
        """Return the changes of the events that break their readers."""
        return [change for change in self.changes if change.severity == BREAKING]

    def fired(self) -> set[RowId]:
        """Return the rows that decided something before or after."""
        return rows_of(self.old[TRACE]) | rows_of(self.new[TRACE])


def compare(run: str, old: Mapping[str, bytes], new: Mapping[str, bytes], rules: RuleSet) -> Comparison:
    """Return what is different about a run.

    Raises `NotComparableError` where stdout is an export on one side and a text on the other, or looks like
    an export and cannot be read.
    """
    before, after = (_events(side[EVENTS], run) for side in (old, new))
    if before is None and after is None:
        return Comparison(run, old, new, None)
    for events, side in ((before, old), (after, new)):
        if events is None and side[EVENTS]:
            raise NotComparableError("stdout is an export on one side only", location=run)
    return Comparison(run, old, new, diff_exports(before or [], after or [], rules))


def rows_of(trace: bytes) -> set[RowId]:
    """Return the rows that a trace names."""
    decisions = [orjson.loads(line) for line in trace.splitlines()]
    return {RowId(decision["table"], decision["row"]) for decision in decisions}


def _events(printed: bytes, run: str) -> list[dict[str, Any]] | None:
    """Return the events of an export, None for what is none: nothing, a sentence, an envelope."""
    if not _is_export(printed):
        return None
    try:
        return read_export(BytesIO(printed), run)
    except StreamtError as error:
        place = "" if error.place is None else f" (line {error.place.line})"
        raise NotComparableError(
            f"the events of {run} cannot be compared{place}: {error.message}", location=run
        ) from None


def _is_export(printed: bytes) -> bool:
    try:
        first = orjson.loads(printed.partition(b"\n")[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(first, dict) and not _EVENT_KEYS.isdisjoint(first)
