"""What tables see of requests to services over HTTP; what providers read of a rule set for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from streamt_ol.engine.ruleset import Needs
from streamt_ol.services.connection_errors import CONNECTION_NEEDS

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet

Request = Literal["question", "change"]


class ServiceFailure(NamedTuple):
    """Facts of the record `service_failure` (rules/facts.yml)."""

    at: str
    service: str
    """As people call it: `the Schema Registry`."""
    request: Request
    trouble: str
    status: str
    """Of HTTP; empty where nothing was answered."""
    what: str
    """What the request was about: `connector 'x'`."""
    asked: str
    """What was to become of it: `created`."""
    reason: str
    """In the service's own words, without secrets."""
    address: str
    """` at HOST:PORT`, or nothing."""
    advice: str
    """What helps where there was no connection, or none to the end."""


class ServiceAttempt(NamedTuple):
    """Facts of the record `service_attempt`."""

    at: str
    service: str
    method: str
    trouble: str


SERVICE_NEEDS: Final = Needs(
    tables={
        "service-errors": ["result", "code", "message", "suggestion"],
        "service-retries": ["again"],
        **CONNECTION_NEEDS.tables,
    },
    catalogues={"service-bounds": ["limit"]},
    records={
        "service_failure": ServiceFailure,
        "service_attempt": ServiceAttempt,
        **CONNECTION_NEEDS.records,
    },
)


def service_bound(rules: RuleSet, name: str) -> int:
    """Return a bound of services over HTTP."""
    limit: int = rules.catalogue("service-bounds")[name]["limit"]
    return limit
