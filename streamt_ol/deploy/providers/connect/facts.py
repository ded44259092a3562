"""What tables see of connectors; what their provider reads of a rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from streamt_ol.engine.ruleset import Needs

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet

Expected = Literal["RUNNING", "PAUSED", "STOPPED"]
"""What a connector is to do: what it did before a change."""


class ConnectorPart(NamedTuple):
    """Facts of the record `connector_part` (rules/facts.yml)."""

    at: str
    state: str
    expected: Expected
    tasks: Literal["none", "some"]


CONNECT_NEEDS: Final = Needs(
    tables={"connector-states": ["verdict"]},
    catalogues={"connector-bounds": ["limit"]},
    records={"connector_part": ConnectorPart},
)


def connector_bound(rules: RuleSet, name: str) -> int:
    """Return a bound of Kafka Connect."""
    limit: int = rules.catalogue("connector-bounds")[name]["limit"]
    return limit
