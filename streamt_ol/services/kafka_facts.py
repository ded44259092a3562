"""What tables see of a broker's errors and of the runtime; what the Kafka client reads of a rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from streamt_ol.engine.ruleset import Needs

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet


class BrokerFailure(NamedTuple):
    """Facts of the record `broker_failure` (rules/facts.yml)."""

    at: str
    error: str
    """A name of the Kafka client, or `other`."""
    name: str
    """The name of the client."""
    topic: str
    reason: str
    """In the client's or the broker's words, without secrets."""


class KafkaRuntime(NamedTuple):
    """Facts of the record `kafka_runtime`."""

    at: str
    protocol: str
    mechanism: str
    certificates: Literal["absent", "present"]


KAFKA_NEEDS: Final = Needs(
    tables={
        "broker-errors": ["cause", "code", "patience", "holds_for", "message"],
        "kafka-security": ["protocol", "message"],
    },
    catalogues={"kafka-settings": ["client", "holds"], "kafka-bounds": ["limit"]},
    records={"broker_failure": BrokerFailure, "kafka_runtime": KafkaRuntime},
)


def kafka_bound(rules: RuleSet, name: str) -> int:
    """Return a bound of the Kafka client."""
    limit: int = rules.catalogue("kafka-bounds")[name]["limit"]
    return limit
