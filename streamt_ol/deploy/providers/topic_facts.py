"""What tables see of requests about topics that fail; what the provider of topics reads of a rule set."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from streamt_ol.engine.ruleset import Needs
from streamt_ol.services.kafka_facts import KAFKA_NEEDS

Request = Literal["observe", "create", "extend", "alter", "delete"]
"""What is asked of a broker; to extend a topic is to raise its partitions."""


class TopicFailure(NamedTuple):
    """Facts of the record `topic_failure` (rules/facts.yml)."""

    at: str
    request: Request
    error: str
    """A name of the Kafka client, a word for what this program found by itself, or `other`."""
    name: str
    """The name of the client."""
    topic: str
    reason: str
    """In the client's or the broker's words, without secrets."""


TOPIC_NEEDS: Final = Needs(
    tables={**KAFKA_NEEDS.tables, "topic-errors": ["result", "code", "message"]},
    catalogues={**KAFKA_NEEDS.catalogues},
    records={**KAFKA_NEEDS.records, "topic_failure": TopicFailure},
)
