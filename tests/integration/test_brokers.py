"""What the tests of this folder rely on."""

from __future__ import annotations

from brokers import Broker


def test_a_topic_that_was_made_is_there_and_no_group_is(broker: Broker) -> None:
    groups = broker.groups()
    topic = broker.new_topic(partitions=3)
    broker.produce(topic, [b"{}", None], partition=2)

    assert topic in broker.topics()
    assert broker.groups() <= groups
