"""What a sample of a real topic holds, and that it leaves nothing behind."""

from __future__ import annotations

import pytest
from brokers import SILENT, Broker, until
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import OffsetSpec
from sampled import numbered, numbers, positions, sample, sampler_of

from streamt_ol.checks.kafka_client import KafkaClient
from streamt_ol.checks.records import Message
from streamt_ol.checks.sampling import Sample


def test_a_short_topic_ends_with_its_last_message(broker: Broker) -> None:
    topic = broker.new_topic()
    broker.produce(topic, [b'{"n": 1, "word": "\xc3\xa4"}', b'{"n": null}'])

    assert sample(broker, topic, 100) == Sample(
        topic, (Message(0, 0, {"n": 1, "word": "ä"}), Message(0, 1, {"n": None})), 0, "end"
    )


def test_an_empty_topic_gives_an_empty_sample(broker: Broker) -> None:
    topic = broker.new_topic(partitions=3)

    assert sample(broker, topic) == Sample(topic, (), 0, "end")


def test_a_longer_topic_gives_its_oldest_messages(broker: Broker) -> None:
    topic = broker.new_topic()
    broker.produce(topic, numbered(*range(3000)))

    taken = sample(broker, topic, 5)

    assert (numbers(taken), taken.ended) == ([0, 1, 2, 3, 4], "size")


def test_a_sample_may_be_larger_than_what_the_client_reads_ahead(broker: Broker) -> None:
    topic = broker.new_topic()
    broker.produce(topic, numbered(*range(3000)))

    taken = sample(broker, topic, 2500)

    assert (numbers(taken), taken.ended) == (list(range(2500)), "size")


def test_no_message_that_comes_while_a_sample_is_read_is_part_of_it(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = broker.new_topic()
    broker.produce(topic, numbered(1, 2))
    extents = KafkaClient.extents

    def then_produce(*asked):
        found = extents(*asked)
        broker.produce(topic, numbered(3))
        return found

    monkeypatch.setattr(KafkaClient, "extents", then_produce)

    assert numbers(sample(broker, topic)) == [1, 2]


def test_partitions_take_turns_and_the_lower_ones_come_first(broker: Broker) -> None:
    topic = broker.new_topic(partitions=3)
    broker.produce(topic, numbered(*range(2000)), partition=0)
    broker.produce(topic, numbered(*range(2000)), partition=2)

    assert positions(sample(broker, topic, 5)) == [(0, 0), (0, 1), (0, 2), (2, 0), (2, 1)]


def test_a_short_partition_leaves_its_turns_to_the_others(broker: Broker) -> None:
    topic = broker.new_topic(partitions=3)
    broker.produce(topic, numbered(*range(2000)), partition=0)
    broker.produce(topic, numbered(1), partition=1)
    broker.produce(topic, numbered(*range(4)), partition=2)

    taken = sample(broker, topic, 10)

    assert positions(taken) == [*((0, at) for at in range(5)), (1, 0), *((2, at) for at in range(4))]


def test_the_same_topic_gives_the_same_sample_every_time(broker: Broker) -> None:
    topic = broker.new_topic(partitions=8)
    for partition in range(8):
        broker.produce(topic, numbered(*range(partition * 40)), partition=partition)

    with sampler_of(broker.address) as sampler:
        taken = [positions(sampler.sample(topic, 300)) for _ in range(8)]

    assert taken == [taken[0]] * 8
    assert len(taken[0]) == 300


def test_a_message_without_a_value_is_passed_over_and_counted(broker: Broker) -> None:
    topic = broker.new_topic()
    broker.produce(topic, [None, *numbered(1), None, *numbered(2, 3), None])

    taken = sample(broker, topic, 2)
    whole = sample(broker, topic, 100)

    assert (numbers(taken), taken.skipped_nulls, taken.ended) == ([1, 2], 2, "size")
    assert (numbers(whole), whole.skipped_nulls, whole.ended) == ([1, 2, 3], 3, "end")


def test_only_committed_messages_are_read_and_a_topic_ends_behind_aborted_ones(broker: Broker) -> None:
    topic = broker.new_topic()
    broker.transaction(topic, numbered(1, 2), commit=True)
    broker.transaction(topic, numbered(3, 4), commit=False)

    assert numbers(sample(broker, topic)) == [1, 2]


def test_a_topic_of_aborted_messages_alone_is_empty(broker: Broker) -> None:
    topic = broker.new_topic(partitions=2)
    broker.transaction(topic, numbered(1, 2), commit=False)

    assert sample(broker, topic) == Sample(topic, (), 0, "end")


def test_a_topic_of_which_the_beginning_was_deleted_begins_later(broker: Broker) -> None:
    topic = broker.new_topic()
    broker.produce(topic, numbered(*range(6)))
    admin = broker.admin()
    at = TopicPartition(topic, 0, 4)
    admin.delete_records([at])[at].result(30)
    until(lambda: _first_offset(broker, topic) == 4)

    assert positions(sample(broker, topic)) == [(0, 4), (0, 5)]


def test_nothing_asked_for_is_nothing_read() -> None:
    with sampler_of("127.0.0.1:1") as sampler:
        assert sampler.sample("orders", 0) == Sample("orders", (), 0, "size")
        assert sampler.sample("orders", -1) == Sample("orders", (), 0, "size")


def test_one_sampler_reads_many_topics(broker: Broker) -> None:
    topics = [broker.new_topic(partitions=2) for _ in range(3)]
    for place, topic in enumerate(topics):
        broker.produce(topic, numbered(*range(2000)), partition=1)
        broker.produce(topic, numbered(place), partition=0)

    with sampler_of(broker.address) as sampler:
        taken = [positions(sampler.sample(topic, 3)) for topic in (*topics, topics[0])]

    assert taken == [[(0, 0), (1, 0), (1, 1)]] * 4


def test_no_group_is_left_and_nothing_is_committed(broker: Broker) -> None:
    before = broker.groups()
    topic = broker.new_topic()
    broker.produce(topic, numbered(1, 2, 3))

    sample(broker, topic)
    owner = Consumer(broker.client(group_id="streamt-sample"), logger=SILENT)
    committed = owner.committed([TopicPartition(topic, 0)], timeout=20)
    owner.close()

    assert broker.groups() == before
    assert [(at.offset, at.error) for at in committed] == [(-1001, None)]  # none


def _first_offset(broker: Broker, topic: str) -> int:
    admin = broker.admin()
    at = TopicPartition(topic, 0)
    return admin.list_offsets({at: OffsetSpec.earliest()})[at].result(10).offset
