"""What tables see of schemas; what sampling reads of a rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.engine.ruleset import Needs
from streamt_ol.services.kafka_facts import KAFKA_NEEDS

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet


class ValueSchema(NamedTuple):
    """Facts of the record `value_schema`."""

    at: str
    type: str
    schema: str


SAMPLING_NEEDS = Needs(
    tables={
        **KAFKA_NEEDS.tables,
        "value-schemas": ["reading", "message"],
    },
    catalogues={**KAFKA_NEEDS.catalogues, "sample-bounds": ["limit"]},
    records={
        **KAFKA_NEEDS.records,
        "value_schema": ValueSchema,
    },
)


def bound(rules: RuleSet, name: str) -> int:
    """Return a bound of samples."""
    limit: int = rules.catalogue("sample-bounds")[name]["limit"]
    return limit
