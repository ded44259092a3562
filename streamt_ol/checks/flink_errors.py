"""Why a Flink cluster does not tell its jobs, one class per cause. No message holds an address or a login."""

from __future__ import annotations

from streamt_ol.ground.errors import StreamtError


class FlinkError(StreamtError):
    """Base: the jobs of a cluster are not known."""


class FlinkNotConfiguredError(FlinkError):
    """The runtime does not say where a cluster can be asked."""

    code = "E208_MISSING_CONFIG"


class FlinkUnreachableError(FlinkError):
    """A cluster cannot be connected to, or does not answer in time."""

    code = "E406_CONNECTION_REFUSED"


class FlinkLoginError(FlinkError):
    """A cluster does not accept the login."""

    code = "E404_AUTH_FAILED"


class FlinkTlsError(FlinkError):
    """No TLS connection to a cluster came about, or the files for it cannot be used."""

    code = "E405_SSL_ERROR"


class FlinkAnswerError(FlinkError):
    """A cluster answers something that does not tell its jobs."""

    code = "E532_FLINK_ANSWER"
