"""Samples of real topics: the oldest messages, up to a number or to what was there when reading began.

Source: section 8 of the project language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from streamt_ol.checks.records import Message
from streamt_ol.checks.sampling_errors import SampleDeadlineError
from streamt_ol.checks.sampling_facts import SAMPLING_NEEDS, bound
from streamt_ol.checks.shares import Shares
from streamt_ol.checks.values import Values
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError
from streamt_ol.services.errors import ServiceError, refuse_missing_extra
from streamt_ol.services.kafka_settings import kafka_settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from streamt_ol.checks.kafka_client import KafkaClient
    from streamt_ol.engine.ruleset import RuleSet


class Sample(NamedTuple):
    """Messages of a topic, by partition and offset."""

    topic: str
    messages: tuple[Message, ...]
    skipped_nulls: int
    """Messages without a value: they were passed over and do not count."""
    ended: Literal["size", "end"]
    """Whether as many messages were read as asked for, or all that there were."""


class Sampler:
    """Reads topics of `runtime.kafka`; nothing is connected before the first sample.

    What keeps one topic from being read for the whole run (brokers out of reach, a refused login) is raised
    again at once for the others.
    """

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet, *, seconds: float | None = None) -> None:
        rules.require(SAMPLING_NEEDS)
        self._runtime = runtime
        self._rules = rules
        self._seconds = bound(rules, "seconds") if seconds is None else seconds
        self._values = Values(runtime, rules)
        self._client: KafkaClient | None = None
        self._lasting: ServiceError | None = None

    def __enter__(self) -> Sampler:  # noqa: PYI034 - Python 3.10 has no Self
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._disconnect()

    def sample(self, topic: str, size: int) -> Sample:
        """Return the `size` oldest messages of a topic, or all where there are fewer; raises ServiceError.

        Of several partitions the messages are taken in turns, so the same topic gives the same sample.
        """
        if size <= 0:
            return Sample(topic, (), 0, "size")
        if self._lasting is not None:
            raise self._lasting.with_traceback(None)
        try:
            return self._sample(topic, size)
        except ServiceError as error:
            self._disconnect()
            self._lasting = error if error.lasting else None
            raise

    def _sample(self, topic: str, size: int) -> Sample:
        deadline = Deadline(self._seconds)
        client = self._connected()
        shares = Shares({}, size)
        try:
            extents = client.extents(topic, deadline)
            shares = Shares(extents, size)
            client.read(topic, extents, shares, deadline)
            messages = tuple(
                Message(record.partition, record.offset, self._values.read(topic, record, deadline))
                for record in shares.chosen()
            )
        except DeadlinePassedError:
            raise (client.why_late() or self._too_late(topic, shares)) from None
        return Sample(topic, messages, shares.nulls, "size" if shares.complete else "end")

    def _connected(self) -> KafkaClient:
        if self._client is None:
            try:
                from streamt_ol.checks.kafka_client import KafkaClient
            except ImportError as error:
                refuse_missing_extra(error.name or "confluent_kafka", "sample tests")
            self._client = KafkaClient(kafka_settings(self._runtime, self._rules), self._rules)
        return self._client

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _too_late(self, topic: str, shares: Shares) -> SampleDeadlineError:
        nulls = f" and {shares.nulls} without a value" if shares.nulls else ""
        return SampleDeadlineError(
            f"the sample of topic '{topic}' was not complete after {self._seconds:g} s: "
            f"{shares.count} of {shares.size} messages{nulls} had been read"
        )
