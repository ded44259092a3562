"""Which messages make a sample, against the rule said plainly, in whatever order they arrive."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.checks.shares import Record, Shares

Kept = dict[int, list[int | None]]
"""Partition to the kept offsets from 10 on; None stands for an offset that holds no message for readers."""

LENGTHS = st.dictionaries(st.integers(0, 5), st.integers(0, 9), max_size=6)


def records(lengths: dict[int, int]) -> dict[int, list[Record]]:
    return {
        partition: [Record(partition, 10 + place, b"v") for place in range(length)]
        for partition, length in lengths.items()
    }


def by_the_rule(held: dict[int, list[Record]], size: int) -> list[Record]:
    """Take the first message of each partition, then the second of each, until there are enough."""
    columns = [held[partition] for partition in sorted(held)]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*columns))
    return sorted([record for record in turns if record is not None][:size])


@given(LENGTHS, st.integers(1, 40), st.randoms(use_true_random=False))
def test_the_sample_is_the_same_in_whatever_order_messages_arrive(lengths, size, order) -> None:
    held = records(lengths)
    left = {partition: list(found) for partition, found in held.items() if found}
    extents = {partition: (10, 10 + length) for partition, length in lengths.items()}
    shares = Shares(extents, size)

    while wanted := shares.wanted():
        assert wanted <= set(left)
        partition = order.choice(sorted(left))  # also one that is not wanted: the client reads ahead
        record = left[partition].pop(0)
        shares.add(*record)
        if not left[partition]:
            del left[partition]

    assert shares.chosen() == by_the_rule(held, size)
    assert shares.complete is (sum(lengths.values()) >= size)


@given(LENGTHS, st.integers(1, 40), st.randoms(use_true_random=False))
def test_no_more_is_read_than_is_needed_where_only_what_is_wanted_arrives(lengths, size, order) -> None:
    held = records(lengths)
    shares = Shares({partition: (10, 10 + length) for partition, length in lengths.items()}, size)
    read = 0

    while wanted := shares.wanted():
        shares.add(*held[order.choice(sorted(wanted))].pop(0))
        read += 1

    assert read <= size + len(lengths)


def test_offsets_that_hold_no_message_end_a_partition_as_well() -> None:
    shares = Shares({0: (0, 10), 1: (5, 5)}, 4)
    shares.add(0, 3, b"a")
    shares.add(0, 7, None)
    assert shares.wanted() == {0}

    shares.finish(0)

    assert (shares.wanted(), shares.count, shares.nulls, shares.complete) == (set(), 1, 1, False)


def test_a_message_beyond_the_end_is_no_part_of_the_sample() -> None:
    shares = Shares({0: (0, 2)}, 4)
    shares.add(0, 0, b"a")
    shares.add(0, 2, b"later")
    shares.add(0, 3, b"later still")

    assert shares.wanted() == set()
    assert shares.chosen() == [Record(0, 0, b"a")]


def test_a_topic_without_partitions_that_hold_something_needs_no_reading() -> None:
    assert Shares({0: (4, 4), 1: (0, 0)}, 9).wanted() == set()
    assert Shares({}, 9).wanted() == set()
