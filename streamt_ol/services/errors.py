"""Why a service is of no use, one class per cause. None of the messages holds a secret of the runtime."""

from __future__ import annotations

from typing import Final, NoReturn

from streamt_ol.ground.errors import StreamtError

KAFKA: Final = "/runtime/kafka"


class ServiceError(StreamtError):
    """Base: a service did not give what was asked of it."""

    lasting: bool = False
    """Whether nothing else can be had of it in this run either."""


class KafkaExtraMissingError(ServiceError):
    """The Kafka client is not installed."""

    code = "E547_KAFKA_EXTRA_MISSING"
    lasting = True


class SslFileError(ServiceError):
    """A file that an `ssl_*_location` of the runtime names cannot be read or used."""

    code = "E405_SSL_ERROR"
    lasting = True


class BrokerError(ServiceError):
    """Base: what the Kafka client reports. The table `broker-errors` gives the code of each error."""

    def __init__(self, code: str, message: str, *, location: str | None, lasting: bool) -> None:
        super().__init__(message, location=location)
        # Decided per error, by a table: what a class says elsewhere is said by the instance here.
        self.code = code  # type: ignore[misc]
        self.lasting = lasting


class BrokerUnreachableError(BrokerError):
    """No broker could be connected to."""


class LoginRefusedError(BrokerError):
    """The broker does not accept the login."""


class TlsRefusedError(BrokerError):
    """No TLS connection came about."""


class TopicUnknownError(BrokerError):
    """The broker has no such topic."""


class TopicForbiddenError(BrokerError):
    """The user may not read the topic."""


class KafkaSettingsError(BrokerError):
    """The client cannot be set up as the runtime says."""


class BrokerReportedError(BrokerError):
    """Any other error of a broker."""


BROKER_ERRORS: Final[dict[str, type[BrokerError]]] = {
    "unreachable": BrokerUnreachableError,
    "login": LoginRefusedError,
    "certificate": TlsRefusedError,
    "topic_unknown": TopicUnknownError,
    "topic_forbidden": TopicForbiddenError,
    "settings": KafkaSettingsError,
    "other": BrokerReportedError,
}
"""Word of the domain `broker_cause` to the class of the error."""


def refuse_missing_extra(name: str, user: str) -> NoReturn:
    """Say which package is missing, who needs it (`sample tests`), and what installs it."""
    raise KafkaExtraMissingError(
        f"{user} need the package {name}, which is not installed",
        suggestion="pip install 'streamt-ol[kafka]'",
    ) from None
