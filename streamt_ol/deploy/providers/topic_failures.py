"""What becomes of a request about a topic that failed: the table `topic-errors` decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, PreimageMovedError, RequestRefusedError
from streamt_ol.deploy.providers.topic_changes import EXISTENCE
from streamt_ol.deploy.providers.topic_facts import TopicFailure
from streamt_ol.services.errors import KAFKA

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

    from streamt_ol.deploy.providers.errors import Failure
    from streamt_ol.deploy.providers.topic_facts import Request
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.services.kafka_settings import KafkaSettings

NOT_SENT: Final = "not_sent"
UNANSWERED: Final = "unanswered"
_LOOKING: Final = re.compile(
    r"(Failed while|Timed out) "
    r"(initializing|constructing request|waiting for (broker|controller|a valid list))"
)
"""How the client begins to say that it gave a request to no broker. Else one may have it."""


class TopicFailures:
    """Makes errors of what the client and brokers say."""

    def __init__(self, settings: KafkaSettings, rules: RuleSet) -> None:
        self._settings = settings
        self._table = rules.table("topic-errors")
        self._known = frozenset(self._table.inputs["error"])

    def of(self, error: KafkaError, request: Request, topic: str) -> Failure:
        """Return the error for a request that ended so."""
        return self.because(self.word(error), request, topic, error.str(), name=error.name())

    def because(
        self,
        word: str,
        request: Request,
        topic: str,
        reason: str,
        *,
        name: str = "",
        fields: tuple[str, ...] = (EXISTENCE,),
    ) -> Failure:
        """Return the error for a request that failed for a reason that the table knows by a word.

        `name` is how the client calls it, the word where it has none; `fields` what moved, if something did.
        """
        told = self._settings.without_secrets(reason)
        facts = TopicFailure(KAFKA, request, word, name or word, topic, told)
        decision = self._table.decide(facts)
        message = decision["message"](facts)
        if decision["result"] == "unknown":
            return OutcomeUnknownError(message)
        if decision["result"] == "moved":
            return PreimageMovedError(message, fields)
        return RequestRefusedError(decision["code"], message, location=facts.at)

    def word(self, error: KafkaError) -> str:
        """Return the word of the table for an error.

        Whatever goes wrong on this side once a broker was found may have gone wrong behind the request.
        """
        name = error.name()
        if name in self._known:
            return name
        if not name.startswith("_"):
            return "other"
        return NOT_SENT if _LOOKING.match(error.str()) else UNANSWERED
