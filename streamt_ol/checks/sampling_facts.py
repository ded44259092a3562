"""What tables see of a broker's errors, of the runtime and of schemas; what sampling reads of a rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.engine.ruleset import Needs

if TYPE_CHECKING:
    from streamt_ol.compiler.facts import Presence
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
    certificates: Presence


class ValueSchema(NamedTuple):
    """Facts of the record `value_schema`."""

    at: str
    type: str
    schema: str


SAMPLING_NEEDS = Needs(
    tables={
        "broker-errors": ["cause", "code", "patience", "holds_for", "message"],
        "kafka-security": ["protocol", "message"],
        "value-schemas": ["reading", "message"],
    },
    catalogues={"kafka-settings": ["client", "holds"], "sample-bounds": ["limit"]},
    records={
        "broker_failure": BrokerFailure,
        "kafka_runtime": KafkaRuntime,
        "value_schema": ValueSchema,
    },
)


def bound(rules: RuleSet, name: str) -> int:
    """Return a bound of samples."""
    limit: int = rules.catalogue("sample-bounds")[name]["limit"]
    return limit
