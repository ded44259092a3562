"""What the Kafka client reports: each error decided by the table `broker-errors`, passing ones waited for."""

from __future__ import annotations

import re
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from streamt_ol.services.errors import BROKER_ERRORS, KAFKA
from streamt_ol.services.kafka_facts import BrokerFailure, kafka_bound

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.engine.tables import Decision
    from streamt_ol.services.errors import BrokerError
    from streamt_ol.services.kafka_settings import KafkaSettings

_VAGUE = frozenset({"_ALL_BROKERS_DOWN", "_TIMED_OUT"})
"""They say that something does not work, and not why: they take the place of no error that does."""
_HUNG_UP: Final = ": Disconnected: SSL connection closed by peer"
"""How an error ends that says as little: of the same handshake the client mostly says more."""
_WAITED = frozenset({"_TRANSPORT", "_TIMED_OUT"})
"""What the client says of a question when the time to wait is over; what the cause is it reports apart."""

_FINER = (
    ("_TRANSPORT", re.compile(r"SSL handshake|SSL routines|in state SSL_HANDSHAKE"), "tls_broken_off"),
    ("_INVALID_ARG", re.compile(r"\bssl\.(?:ca|certificate|key)\.location\b"), "tls_files"),
)
"""Codes of the client that mean several things, and by which of its words one is known."""
_PASSING = re.compile(r" \(after \d+ms in state [^()]*(?:\(s\)[^()]*)?\)$")
"""What differs from attempt to attempt."""


class _Trouble(NamedTuple):
    """An error that may pass, and since when the client has heard nothing better."""

    error: BrokerError
    vague: bool
    since: float


class Troubles:
    """What the client reported since it was last heard to work.

    The client reports what it goes on to try again by itself, so most errors end a sample only if they stay.
    """

    def __init__(self, settings: KafkaSettings, rules: RuleSet) -> None:
        self._settings = settings
        self._table = rules.table("broker-errors")
        self._known = frozenset(self._table.inputs["error"])
        self._patience = kafka_bound(rules, "patience_milliseconds") / 1000
        self._topic = ""
        self._final: BrokerError | None = None
        self._passing: _Trouble | None = None

    def about(self, topic: str) -> None:
        """Begin to read a topic: what other topics had trouble with is past."""
        self._topic = topic
        self._final = self._passing = None

    def report(self, error: KafkaError) -> None:
        """Note an error that the client met; called by the client, so it raises nothing."""
        facts = self._facts(error)
        decision = self._table.decide(facts)
        if decision["patience"] == "none":
            self._final = self._final or _error(facts, decision)
        elif decision["patience"] == "some":
            vague = facts.name in _VAGUE or facts.reason.endswith(_HUNG_UP)
            known = self._passing
            if known is None:
                self._passing = _Trouble(_error(facts, decision), vague, monotonic())
            elif known.vague or not vague:
                self._passing = _Trouble(_error(facts, decision), vague, known.since)

    def unanswered(self, error: KafkaError) -> None:
        """Note why a question has no answer, unless it is only that the time to wait for one went by."""
        if error.name() not in _WAITED:
            self.report(error)

    def heard(self) -> None:
        """Note that a broker answered."""
        self._passing = None

    def check(self) -> None:
        """Raise the error that ends the sample, if there is one."""
        if self._final is not None:
            raise self._final
        if self._passing is not None and monotonic() - self._passing.since >= self._patience:
            raise self._passing.error

    def at_the_end(self) -> BrokerError | None:
        """Return why the time may be up."""
        return None if self._passing is None else self._passing.error

    def failure(self, error: KafkaError) -> BrokerError:
        """Return the error for something that is not tried again."""
        facts = self._facts(error)
        return _error(facts, self._table.decide(facts))

    def _facts(self, error: KafkaError) -> BrokerFailure:
        name, said = error.name(), error.str()
        reason = self._settings.without_secrets(_PASSING.sub("", said))
        word = next((word for code, words, word in _FINER if code == name and words.search(said)), name)
        return BrokerFailure(KAFKA, word if word in self._known else "other", name, self._topic, reason)


def _error(facts: BrokerFailure, decision: Decision) -> BrokerError:
    lasting = decision["holds_for"] == "run"
    return BROKER_ERRORS[decision["cause"]](
        decision["code"],
        decision["message"](facts),
        location=KAFKA if lasting else None,
        lasting=lasting,
    )
