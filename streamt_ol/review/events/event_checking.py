"""The offline check of OpenLineage JSON Lines, whoever produced them: lines, events, sequences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from streamt_ol.ground.errors import Place, StreamtError
from streamt_ol.review.events.event_files import read_lines
from streamt_ol.review.events.event_findings import Tally
from streamt_ol.review.events.event_rules import EventRules
from streamt_ol.review.events.event_sequences import EventSequence, Spot

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamt_ol.lineage.schemas import OpenLineageSchemas
    from streamt_ol.review.events.event_kinds import Kind


class EventsUnreadableError(StreamtError):
    """A file of events cannot be opened, or reading it failed on the way."""

    code: ClassVar[str] = "E150_EVENTS_UNREADABLE"


class EventsChecker:
    """Checks files of events as streams, one line in memory at a time.

    Each file is a sequence of its own; with `one_sequence` the files continue each other. `limit` is the
    number of findings that are kept; all are counted.
    """

    def __init__(
        self,
        schemas: OpenLineageSchemas,
        *,
        strict: bool = False,
        one_sequence: bool = False,
        limit: int = 100,
    ) -> None:
        self.tally = Tally(limit)
        self.kinds: Counter[Kind] = Counter()
        """Number of events of each kind, invalid ones included."""
        self.lines = 0
        """Number of lines, blank ones included."""
        self._rules = EventRules(schemas, strict=strict)
        self._one_sequence = one_sequence
        self._sequence = EventSequence()

    def read(self, stream: BinaryIO, file: str, watch: Callable[[int], None] = lambda _lines: None) -> None:
        """Check the lines of a file, named as in findings; `watch` is told the number of lines so far.

        Raises `EventsUnreadableError` where reading fails; what was read until then is checked.
        """
        number = 0
        try:
            for line in read_lines(stream):
                number = line.number
                for remark in line.remarks:
                    self.tally.add(remark, file, number)
                if line.has_value:
                    self._check(line.value, Spot(file, number))
                self.lines += 1
                watch(self.lines)
        except OSError as error:
            raise EventsUnreadableError(
                f"cannot be read on: {error.strerror}", place=Place(file, number + 1)
            ) from error
        finally:
            if not self._one_sequence:
                self.finish()

    def finish(self) -> None:
        """End the sequence: runs that have not ended by now are told."""
        for spot, remark in self._sequence.unfinished():
            self.tally.add(remark, *spot)
        self._sequence = EventSequence()

    def _check(self, value: Any, spot: Spot) -> None:
        kind = self._rules.kind_of(value)
        for remark in self._rules.remarks(value, kind):
            self.tally.add(remark, *spot)
        if kind is not None:
            self.kinds[kind] += 1
            for remark in self._sequence.remarks(value, kind, spot):
                self.tally.add(remark, *spot)
