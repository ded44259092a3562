"""Why no sample could be taken, one class per cause. None of the messages holds anything of a value."""

from __future__ import annotations

from streamt_ol.services.errors import ServiceError

REGISTRY = "/runtime/schema_registry"


class SampleDeadlineError(ServiceError):
    """The time for a sample is up."""

    code = "E542_SAMPLE_DEADLINE"


class ValueUnreadableError(ServiceError):
    """A value is not what its topic should hold."""

    code = "E543_VALUE_UNREADABLE"


class SchemaNotSupportedError(ValueUnreadableError):
    """A value is written with a schema of a type that cannot be read."""


class RegistryError(ServiceError):
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
