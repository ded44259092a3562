"""How many messages each partition gives to a sample: the same ones for the same topic, every time.

Messages of several partitions arrive in no certain order. A sample takes them in turns: the first of each
partition, then the second of each, until it has enough; of the last turn, the lower partitions come first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Extent = tuple[int, int]
"""The offset of the first message that is kept, and the one after the last, when reading began."""


class Record(NamedTuple):
    """One message with a value, as bytes."""

    partition: int
    offset: int
    value: bytes

    def __repr__(self) -> str:
        """Leave out the value."""
        return f"Record(partition={self.partition}, offset={self.offset})"


class Shares:
    """What was read of each partition, and how much of it is needed."""

    def __init__(self, extents: Mapping[int, Extent], size: int) -> None:
        self.size = size
        self._ends = {partition: end for partition, (_first, end) in extents.items()}
        self._records: dict[int, list[Record]] = {partition: [] for partition in extents}
        self._unfinished = {partition for partition, (first, end) in extents.items() if first < end}
        self._turns = self._needed_turns()
        self.nulls = 0
        """How many messages without a value were passed over."""

    @property
    def count(self) -> int:
        """Return how many messages of the sample there are so far."""
        return min(self.size, sum(map(len, self._records.values())))

    def add(self, partition: int, offset: int, value: bytes | None) -> None:
        """Take a message; one that was written after reading began ends its partition."""
        if partition not in self._unfinished:
            return
        end = self._ends[partition]
        if offset >= end:
            self.finish(partition)
            return
        if value is None:
            self.nulls += 1
        else:
            self._records[partition].append(Record(partition, offset, value))
        if offset == end - 1:
            self.finish(partition)

    def finish(self, partition: int) -> None:
        """Note that a partition has no more."""
        self._unfinished.discard(partition)
        self._turns = self._needed_turns()

    def wanted(self) -> set[int]:
        """Return the partitions of which more is needed; none when the sample is complete."""
        return {partition for partition in self._unfinished if len(self._records[partition]) < self._turns}

    def chosen(self) -> list[Record]:
        """Return the sample, by partition and offset."""
        taken = [pair for records in self._records.values() for pair in enumerate(records[: self.size])]
        return sorted(record for _turn, record in sorted(taken)[: self.size])

    @property
    def complete(self) -> bool:
        """Return whether the size was reached, rather than the ends of the topic."""
        return self.count == self.size

    def _needed_turns(self) -> int:
        """Return how many messages each unfinished partition must give so that the sample is certain."""
        finished = sorted(
            len(records) for partition, records in self._records.items() if partition not in self._unfinished
        )
        rest, sharing = self.size, len(self._records)
        for given in finished:
            if given * sharing >= rest:
                break
            rest -= given
            sharing -= 1
        return -(-rest // sharing) if sharing else 0


def readable(extents: Mapping[int, Extent]) -> Iterable[tuple[int, int]]:
    """Yield the partitions that hold something, with the offset at which each begins."""
    return ((partition, first) for partition, (first, end) in extents.items() if first < end)
