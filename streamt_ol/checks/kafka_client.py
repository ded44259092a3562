"""One consumer that reads without a trace: it joins no group, commits and logs nothing, and creates no topic.

The client looks for a coordinator all the same, which makes a broker that has never had a group create its
own `__consumer_offsets`.

Every wait is short, so that Ctrl-C is heard, and none goes beyond the deadline.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException, TopicPartition

from streamt_ol.checks.sampling_facts import bound
from streamt_ol.checks.shares import Shares, readable
from streamt_ol.services.kafka_clients import LOG, QUIET, interruptible
from streamt_ol.services.kafka_facts import kafka_bound
from streamt_ol.services.kafka_troubles import Troubles

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamt_ol.checks.shares import Extent
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.services.deadlines import Deadline
    from streamt_ol.services.kafka_settings import KafkaSettings

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")
"""What a topic can be called; the client takes other texts for other questions."""

_READING: Final = {
    **QUIET,
    "group.id": "streamt-sample",  # the client insists on a name; no group of this name is ever joined
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "earliest",  # for a message that is deleted between two requests
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    # A sample is short: little is read ahead, and nobody waits for a second because enough is there.
    "queued.min.messages": 1000,
    "queued.max.messages.kbytes": 16384,
    "fetch.max.bytes": 4194304,
    "fetch.queue.backoff.ms": 10,
}


class KafkaClient:
    """A connection to the brokers of the runtime; it reads one topic after the other."""

    def __init__(self, settings: KafkaSettings, rules: RuleSet) -> None:
        self._troubles = Troubles(settings, rules)
        self._wait = kafka_bound(rules, "poll_milliseconds") / 1000
        held = {"fetch.wait.max.ms": bound(rules, "fetch_milliseconds"), "error_cb": self._troubles.report}
        try:
            self._consumer = Consumer({**settings.values, **_READING, **held}, logger=LOG)
        except KafkaException as error:
            raise self._troubles.failure(error.args[0]) from None

    def close(self) -> None:
        """Close the connections."""
        self._consumer.close()

    @interruptible()
    def extents(self, topic: str, deadline: Deadline) -> dict[int, Extent]:
        """Return where each partition of a topic begins and ends now.

        The end is where committed messages end. Raises a BrokerError, or DeadlinePassedError.
        """
        self._troubles.about(topic)
        if _NAME.fullmatch(topic) is None:
            raise self._troubles.failure(KafkaError(KafkaError.TOPIC_EXCEPTION))
        partitions = self._partitions(topic, deadline)
        first = self._offsets(topic, partitions, OFFSET_BEGINNING, deadline)
        end = self._offsets(topic, partitions, OFFSET_END, deadline)
        return dict(zip(partitions, zip(first, end, strict=True), strict=True))

    @interruptible()
    def read(self, topic: str, extents: dict[int, Extent], shares: Shares, deadline: Deadline) -> None:
        """Read messages until the shares are complete; raises a BrokerError, or DeadlinePassedError."""
        begins = [TopicPartition(topic, partition, first) for partition, first in readable(extents)]
        reading = {begin.partition for begin in begins}
        self._consumer.assign(begins)
        self._consumer.resume(begins)  # a partition that was paused would be so for the rest of the run
        try:
            while wanted := shares.wanted():
                reading = self._turn_to(topic, reading, wanted)
                message = self._consumer.poll(min(self._wait, deadline.left()))
                if message is None:
                    self._troubles.check()
                    continue
                error = message.error()
                if error is None:
                    self._troubles.heard()
                    shares.add(_known(message.partition()), _known(message.offset()), _bytes(message.value()))
                elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - its public name
                    self._troubles.heard()
                    shares.finish(_known(message.partition()))
                else:
                    self._troubles.report(error)
                    self._troubles.check()
        finally:
            self._consumer.unassign()

    def why_late(self) -> Exception | None:
        """Return what may have taken the time, if something did."""
        return self._troubles.at_the_end()

    def _turn_to(self, topic: str, reading: set[int], wanted: set[int]) -> set[int]:
        """Read no more of partitions that have given their share, and again of those that must give more."""
        for change, partitions in (
            (self._consumer.pause, reading - wanted),
            (self._consumer.resume, wanted - reading),
        ):
            if partitions:
                change([TopicPartition(topic, partition) for partition in partitions])
        return wanted

    def _partitions(self, topic: str, deadline: Deadline) -> list[int]:
        while True:
            try:
                found = self._consumer.list_topics(topic, min(self._wait, deadline.left())).topics[topic]
            except KafkaException as error:
                self._not_yet(error.args[0], deadline)
                continue
            if found.error is None and found.partitions:
                self._troubles.heard()
                return sorted(found.partitions)
            self._not_yet(found.error, deadline)

    def _offsets(self, topic: str, partitions: Sequence[int], time: int, deadline: Deadline) -> list[int]:
        """Return an offset per partition; a time of -2 asks for the first one, -1 for the end."""
        asked = [TopicPartition(topic, partition, time) for partition in partitions]
        while True:
            try:
                told = self._consumer.offsets_for_times(asked, min(self._wait, deadline.left()))
            except KafkaException as error:
                self._not_yet(error.args[0], deadline)
                continue
            failures = [answer.error for answer in told if answer.error is not None]
            if not failures:
                self._troubles.heard()
                return [answer.offset for answer in told]
            for failure in failures:
                self._not_yet(failure, deadline)

    def _not_yet(self, error: KafkaError | None, deadline: Deadline) -> None:
        """Note why a question has no answer, and wait a little; what the client met meanwhile says more."""
        if error is not None:
            self._troubles.unanswered(error)
        self._troubles.check()
        self._consumer.poll(min(self._wait, deadline.left()))
        self._troubles.check()


def _known(number: int | None) -> int:
    assert number is not None  # noqa: S101 - every message that was read has both numbers
    return number


def _bytes(value: Iterable[int] | str | None) -> bytes | None:
    assert value is None or isinstance(value, bytes)  # noqa: S101 - the client was given no deserializer
    return value
