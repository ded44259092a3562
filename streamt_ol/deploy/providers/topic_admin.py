"""Requests about topics to the brokers of a runtime, each with an answer within its time.

Ctrl-C ends every wait. A question ends early where the client meets what will not pass by itself; of a change
the client's own answer is awaited, since it alone knows whether the request was sent.
"""

from __future__ import annotations

import re
from concurrent.futures import TimeoutError as NotYetError
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from streamt_ol.deploy.providers.errors import refusal
from streamt_ol.deploy.providers.topic_entries import altered, set_for_topic
from streamt_ol.deploy.providers.topic_failures import NOT_SENT, UNANSWERED, TopicFailures
from streamt_ol.services.deadlines import DeadlinePassedError
from streamt_ol.services.errors import BrokerError
from streamt_ol.services.kafka_clients import LOG, QUIET
from streamt_ol.services.kafka_facts import kafka_bound
from streamt_ol.services.kafka_troubles import Troubles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from concurrent.futures import Future

    from streamt_ol.deploy.providers.errors import Failure
    from streamt_ol.deploy.providers.topic_facts import Request
    from streamt_ol.deploy.records import Surface
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.services.deadlines import Deadline
    from streamt_ol.services.kafka_settings import KafkaSettings

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")
"""What a topic can be called: none of another name exists, and the client asks about parts of other texts."""
_ABSENT: Final = frozenset({"UNKNOWN_TOPIC_OR_PART", "TOPIC_EXCEPTION"})
_GRACE: Final = 1.0
"""Seconds after which an answer is not awaited any more that the client should have given by itself."""


class TopicAdmin:
    """A connection to the brokers. `seconds` bounds a change, from looking for a broker to its answer."""

    def __init__(self, settings: KafkaSettings, rules: RuleSet, seconds: float) -> None:
        self._troubles = Troubles(settings, rules)
        self._failures = TopicFailures(settings, rules)
        self._seconds = seconds
        self._bound = {"request_timeout": seconds}
        self._both_bounds = {**self._bound, "operation_timeout": seconds}
        self._wait = kafka_bound(rules, "poll_milliseconds") / 1000
        held: dict[str, Any] = {**settings.values, **QUIET, "error_cb": self._troubles.report}
        try:
            self._client = AdminClient(held, logger=LOG)
        except KafkaException as error:
            raise self._troubles.failure(error.args[0]) from None

    def surfaces(self, names: Iterable[str], deadline: Deadline) -> dict[str, Surface]:
        """Return the topics that exist, by name; none is made by being asked about.

        `replication_factor` is the smallest of any partition; `config` has what was set for the topic itself.
        Raises RequestRefusedError, or DeadlinePassedError.
        """
        self._troubles.about("")
        possible = sorted({name for name in names if _NAME.fullmatch(name)})
        described = self._existing(
            self._client.describe_topics(TopicCollection(possible), request_timeout=deadline.left()), deadline
        )
        partitions = {name: topic.partitions for name, topic in described.items()}
        configs = self._configs(partitions, deadline) if partitions else {}
        return {
            name: {
                "partitions": len(partitions[name]),
                "replication_factor": min(len(one.replicas) for one in partitions[name]),
                "config": config,
            }
            for name, config in configs.items()
        }

    def written(self, name: str, partitions: int, deadline: Deadline) -> bool:
        """Return whether a topic ever had a message; raises like `surfaces`.

        Brokers lead a new topic a little after they tell of it, so what one of them refuses is asked again.
        """
        while True:
            try:
                return any(end > 0 for end in self._ends(name, partitions, deadline))
            except KafkaException as error:
                failed = self._failed(error, "observe", name)
                if error.args[0].code() < 0:  # the client's own
                    raise failed from None
            try:
                self.wait(deadline)
            except DeadlinePassedError:
                raise failed from None

    def create(self, name: str, surface: Surface) -> None:
        """Create a topic; raises a Failure, like all changes."""
        numbers = surface["partitions"], surface["replication_factor"]
        self._change(
            "create",
            name,
            lambda: self._client.create_topics(
                [NewTopic(name, *numbers, config=surface["config"])], **self._both_bounds
            ),
        )

    def alter(self, name: str, values: Mapping[str, str | None]) -> None:
        """Change settings of a topic, all of them or none; None takes one back to its default."""
        self._change(
            "alter",
            name,
            lambda: self._client.incremental_alter_configs(
                [ConfigResource(ResourceType.TOPIC, name, incremental_configs=altered(values))], **self._bound
            ),
        )

    def extend(self, name: str, partitions: int) -> None:
        """Raise the partitions of a topic to a number."""
        self._change(
            "extend",
            name,
            lambda: self._client.create_partitions([NewPartitions(name, partitions)], **self._both_bounds),
        )

    def delete(self, name: str) -> None:
        """Delete a topic and its messages."""
        self._change("delete", name, lambda: self._client.delete_topics([name], **self._both_bounds))

    def wait(self, deadline: Deadline) -> None:
        """Wait a little; raises DeadlinePassedError."""
        self._client.poll(min(self._wait, deadline.left()))

    def failure(
        self, word: str, request: Request, name: str, reason: str = "", fields: tuple[str, ...] = ()
    ) -> Failure:
        """Return the error for a change that no broker is asked for; see `TopicFailures.because`."""
        return self._failures.because(word, request, name, reason, fields=fields)

    def too_late(self) -> Exception:
        """Return the error for a question that was not answered in time."""
        late = self._troubles.at_the_end()
        said = f"there was no answer within {self._seconds:g} s"
        return refusal(late) if late else self._failures.because(UNANSWERED, "observe", "", said)

    def _ends(self, name: str, partitions: int, deadline: Deadline) -> list[int]:
        asked = {
            TopicPartition(name, number): OffsetSpec.latest()  # type: ignore[no-untyped-call]
            for number in range(partitions)
        }
        answers = self._client.list_offsets(asked, request_timeout=deadline.left())
        return [self._answer(answer, deadline).offset for answer in answers.values()]

    def _configs(self, names: Iterable[str], deadline: Deadline) -> dict[str, dict[str, str]]:
        asked = [ConfigResource(ResourceType.TOPIC, name) for name in names]
        answers = self._client.describe_configs(asked, request_timeout=deadline.left())
        found = self._existing({resource.name: answer for resource, answer in answers.items()}, deadline)
        return {name: set_for_topic(entries.values()) for name, entries in found.items()}

    def _existing(self, answers: Mapping[str, Future[Any]], deadline: Deadline) -> dict[str, Any]:
        """Return the answers about topics that exist; one can go away between two questions."""
        told = ((name, self._if_there(name, answer, deadline)) for name, answer in answers.items())
        return {name: answer for name, answer in told if answer is not None}

    def _if_there(self, name: str, answer: Future[Any], deadline: Deadline) -> Any:
        try:
            return self._answer(answer, deadline)
        except KafkaException as error:
            if error.args[0].name() in _ABSENT:
                return None
            raise self._failed(error, "observe", name) from None

    def _answer(self, answer: Future[Any], deadline: Deadline) -> Any:
        """Return the answer to a question; raises KafkaException as well."""
        while True:
            seconds = min(self._wait, deadline.left())
            try:
                told = answer.result(seconds)
            except NotYetError:
                self._check()
            else:
                self._troubles.heard()
                return told

    def _change(self, request: Request, name: str, ask: Callable[[], Mapping[Any, Future[Any]]]) -> None:
        self._troubles.about(name)
        try:
            (answer,) = ask().values()
        except (ValueError, OverflowError) as error:
            raise self._failures.because("_INVALID_ARG", request, name, str(error)) from None
        try:
            answer.result(self._seconds + _GRACE)
        except NotYetError:
            said = f"there was no answer within {self._seconds:g} s"
            raise self._failures.because(UNANSWERED, request, name, said) from None
        except KafkaException as error:
            raise self._failed(error, request, name) from None

    def _failed(self, error: KafkaException, request: Request, name: str) -> Exception:
        """Return the error for a request; why no broker could be had, the client reports apart."""
        failure = error.args[0]
        if self._failures.word(failure) == NOT_SENT:
            self._check()
            known = self._troubles.at_the_end()
            if known is not None:
                return refusal(known)
        return self._failures.of(failure, request, name)

    def _check(self) -> None:
        """Raise what the client reported apart from any request, if it will not pass."""
        self._client.poll(0)
        try:
            self._troubles.check()
        except BrokerError as error:
            raise refusal(error) from None
