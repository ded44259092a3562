"""Why no sample could be taken, one class per cause. None of the messages holds anything of a value."""

from __future__ import annotations

from typing import NoReturn

from streamt_ol.ground.errors import StreamtError

KAFKA = "/runtime/kafka"
REGISTRY = "/runtime/schema_registry"


class SamplingError(StreamtError):
    """Base: a topic was not read, or not to the end of the sample."""

    lasting: bool = False
    """Whether no other topic of the run can be read either."""


class KafkaExtraMissingError(SamplingError):
    """The Kafka client is not installed."""

    code = "E547_KAFKA_EXTRA_MISSING"
    lasting = True


class SampleDeadlineError(SamplingError):
    """The time for a sample is up."""

    code = "E542_SAMPLE_DEADLINE"


class SslFileError(SamplingError):
    """A file that an `ssl_*_location` of the runtime names cannot be read or used."""

    code = "E405_SSL_ERROR"
    lasting = True


class BrokerError(SamplingError):
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


BROKER_ERRORS: dict[str, type[BrokerError]] = {
    "unreachable": BrokerUnreachableError,
    "login": LoginRefusedError,
    "certificate": TlsRefusedError,
    "topic_unknown": TopicUnknownError,
    "topic_forbidden": TopicForbiddenError,
    "settings": KafkaSettingsError,
    "other": BrokerReportedError,
}
"""Word of the domain `broker_cause` to the class of the error."""


class ValueUnreadableError(SamplingError):
    """A value is not what its topic should hold."""

    code = "E543_VALUE_UNREADABLE"


class SchemaNotSupportedError(ValueUnreadableError):
    """A value is written with a schema of a type that cannot be read."""


class RegistryError(SamplingError):
    """Base: the Schema Registry does not give a schema."""

    code = "E544_SCHEMA_REGISTRY"


class RegistryUnreachableError(RegistryError):
    """The registry cannot be connected to, or does not answer in time."""


class RegistryTlsError(RegistryError):
    """No TLS connection to the registry came about."""

    code = "E405_SSL_ERROR"


class RegistryLoginError(RegistryError):
    """The registry does not accept the login."""

    code = "E404_AUTH_FAILED"


class SchemaUnknownError(RegistryError):
    """The registry has no such schema."""


class RegistryAnswerError(RegistryError):
    """The registry answers something that is no schema."""


def refuse_missing_extra(name: str) -> NoReturn:
    """Say which package is missing, and what installs it."""
    raise KafkaExtraMissingError(
        f"sample tests need the package {name}, which is not installed",
        suggestion="pip install 'streamt-ol[kafka]'",
    ) from None
