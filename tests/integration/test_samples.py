"""What a sample of a real topic holds, and that it leaves nothing behind."""

from __future__ import annotations

import io

import fastavro
import pytest
from brokers import SILENT, Broker, until
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import OffsetSpec
from registry_stand_in import registry_stand_in
from sampled import numbered, numbers, positions, sample, sampler_of

from streamt_ol.checks.kafka_client import KafkaClient
from streamt_ol.checks.records import Message
from streamt_ol.checks.sampling import Sample
from streamt_ol.checks.sampling_errors import SchemaUnknownError, ValueUnreadableError


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


def test_framed_values_are_read_with_the_schemas_of_a_registry(broker: Broker) -> None:
    schema = {"type": "record", "name": "Order", "fields": [{"name": "n", "type": "long"}]}
    payload = io.BytesIO()
    fastavro.schemaless_writer(payload, fastavro.parse_schema(schema), {"n": 7})
    topic = broker.new_topic(partitions=2)
    broker.produce(topic, [b"\0\0\0\0\1" + payload.getvalue()] * 3)
    broker.produce(topic, [b'\0\0\0\0\2{"n": 8}', *numbered(9)], partition=1)
    with registry_stand_in() as registry:
        registry.register(1, schema)
        registry.register(2, {"type": "object"}, "JSON")

        taken = sample(broker, topic, schema_registry={"url": registry.url})

    assert numbers(taken) == [7, 7, 7, 8, 9]
    assert registry.asked == ["/schemas/ids/1", "/schemas/ids/2"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"planted", "is no JSON"),
        (b"\xffplanted", "is not UTF-8 at byte 0"),
        (b'["planted"]', "is no object"),
        (b"", "is no JSON"),
        (b"\0\0", "is no JSON; it may be framed, and runtime.schema_registry is not configured"),
    ],
)
def test_one_value_that_cannot_be_read_fails_the_sample(broker: Broker, value: bytes, reason: str) -> None:
    topic = broker.new_topic(partitions=2)
    broker.produce(topic, numbered(1, 2))
    broker.produce(topic, [*numbered(3), value, *numbered(4)], partition=1)

    with pytest.raises(ValueUnreadableError) as caught:
        sample(broker, topic)

    assert caught.value.message == f"the value at partition 1, offset 1 of topic '{topic}' {reason}"


def test_a_schema_that_the_registry_does_not_know_fails_the_sample(broker: Broker) -> None:
    topic = broker.new_topic()
    broker.produce(topic, [b"\0\0\0\1\0x"])

    with registry_stand_in() as registry, pytest.raises(SchemaUnknownError) as caught:
        sample(broker, topic, schema_registry={"url": registry.url})

    assert caught.value.message == "the registry does not know schema 256"


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

    assert broker.groups() <= before  # Kafka forgets those of other tests in its own time
    assert [(at.offset, at.error) for at in committed] == [(-1001, None)]  # none


def _first_offset(broker: Broker, topic: str) -> int:
    admin = broker.admin()
    at = TopicPartition(topic, 0)
    return admin.list_offsets({at: OffsetSpec.earliest()})[at].result(30).offset
