"""Questions to a Schema Registry over HTTP; nothing of an answer is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.checks.sampling_errors import (
    REGISTRY,
    RegistryAnswerError,
    RegistryTlsError,
    RegistryUnreachableError,
)
from streamt_ol.services.errors import ServiceError, SslFileError
from streamt_ol.services.http_service import HttpService, NoAnswerError
from streamt_ol.services.kafka_settings import require_file

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILES: Final = ("ssl_ca_location", "ssl_certificate_location", "ssl_key_location")


class RegistryWire:
    """GET requests to the registry of a runtime; raises SslFileError for files that cannot be read."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        for key in _FILES:
            if settings.get(key):
                require_file(settings[key], f"{REGISTRY}/{key}")
        self._service = HttpService(settings)

    def get(self, path: str, seconds: float, most: int) -> tuple[int, bytes]:
        """Return the status and the body of an answer; `path` is below the address, percent-encoded.

        Raises a RegistryError, also for an answer of more than `most` bytes, or SslFileError.
        """
        try:
            answer = self._service.ask("GET", path, seconds=seconds, most=most)
        except NoAnswerError as error:
            failure = _failure(error)
        else:
            if answer.body is not None:
                return answer.status, answer.body
            failure = RegistryAnswerError(f"an answer is longer than {most} bytes", location=REGISTRY)
        raise failure


def _failure(error: NoAnswerError) -> ServiceError:
    if error.trouble == "address":
        return RegistryUnreachableError("it is no address", location=f"{REGISTRY}/url")
    if error.trouble == "certificate_file":
        return SslFileError(
            f"`{error.setting}` names a file that cannot be used", location=f"{REGISTRY}/{error.setting}"
        )
    if error.trouble == "tls":
        return RegistryTlsError("no TLS connection to the registry came about", location=REGISTRY)
    if error.trouble == "protocol":
        return RegistryAnswerError("the registry does not speak HTTP", location=REGISTRY)
    told = "does not answer in time" if error.late else "cannot be connected to"
    return RegistryUnreachableError(f"the registry {told}", location=REGISTRY)
