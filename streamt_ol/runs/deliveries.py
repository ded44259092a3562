"""What becomes of an event after an attempt to deliver it: the table `delivery`, and what it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from streamt_ol.engine.ruleset import Needs
from streamt_ol.ground.errors import StreamtError
from streamt_ol.runs.config_errors import TRANSPORT

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet

DELIVERED: Final = "delivered"
AGAIN: Final = "again"
"""Tried once more, where the settings allow that."""
_STATUSES: Final = range(200, 600)


class DeliveryError(StreamtError):
    """An event was not delivered, or a transport not closed.

    The text is one of the table, with the number of a status at most: no address, no path, no text of a
    server. It has neither a cause nor a context, which would hold them.
    """

    code: ClassVar[str] = "W112_OPENLINEAGE_EMIT_FAILED"


class AttemptFacts(NamedTuple):
    """One attempt, ended."""

    at: str
    outcome: str
    """What ended it: a word of the table, or what a server answered."""
    status: str
    """The number that a server answered; empty where none did."""


DELIVERY_NEEDS = Needs(
    tables={"delivery": ["verdict", "message"]},
    catalogues={"delivery-bounds": ["limit"]},
    records={"attempt": AttemptFacts},
)


class Deliveries:
    """Asks the table about the attempts of one transport."""

    def __init__(self, rules: RuleSet) -> None:
        self._table = rules.table("delivery")
        self._words = rules.vocabulary.domains["answer"]

    def answered(self, status: int) -> AttemptFacts:
        """Return the facts of an attempt that ended with a status, named itself or by its class."""
        if status not in _STATUSES:
            return self.ended("no_http")
        exact = str(status)
        return AttemptFacts(TRANSPORT, exact if exact in self._words else f"{exact[0]}xx", exact)

    def ended(self, outcome: str) -> AttemptFacts:
        """Return the facts of an attempt that ended without a status."""
        return AttemptFacts(TRANSPORT, outcome, "")

    def verdict(self, attempt: AttemptFacts) -> str:
        """Return what becomes of the event, a word of the domain `delivery_verdict`."""
        verdict: str = self._table.decide(attempt)["verdict"]
        return verdict

    def error(self, attempt: AttemptFacts) -> DeliveryError:
        """Return the error of an attempt that failed; raise it outside of every `except`."""
        message: str = self._table.decide(attempt)["message"](attempt)
        return DeliveryError(message, location=TRANSPORT)


def bound(rules: RuleSet, name: str) -> int:
    """Return a bound of deliveries."""
    limit: int = rules.catalogue("delivery-bounds").entries[name]["limit"]
    return limit
