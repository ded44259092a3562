"""Questions to a Schema Registry over HTTP; nothing of an answer is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.checks.sampling_errors import (
    REGISTRY,
    RegistryAnswerError,
    RegistryTlsError,
    RegistryUnreachableError,
)
from streamt_ol.services.connection_errors import said_of
from streamt_ol.services.errors import ServiceError, SslFileError
from streamt_ol.services.http_service import HttpService, NoAnswerError
from streamt_ol.services.kafka_settings import require_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.engine.ruleset import RuleSet

_FILES: Final = ("ssl_ca_location", "ssl_certificate_location", "ssl_key_location")


class RegistryWire:
    """GET requests to the registry of a runtime; raises SslFileError for files that cannot be read."""

    def __init__(self, settings: Mapping[str, Any], rules: RuleSet) -> None:
        for key in _FILES:
            if settings.get(key):
                require_file(settings[key], f"{REGISTRY}/{key}")
        self._service = HttpService(settings)
        self._rules = rules

    def get(self, path: str, seconds: float, most: int) -> tuple[int, bytes]:
        """Return the status and the body of an answer; `path` is below the address, percent-encoded.

        Raises a RegistryError, also for an answer of more than `most` bytes, or SslFileError.
        """
        try:
            answer = self._service.ask("GET", path, seconds=seconds, most=most)
        except NoAnswerError as error:
            failure = _failure(error, self._service.where, self._rules)
        else:
            if answer.body is not None:
                return answer.status, answer.body
            failure = RegistryAnswerError(f"an answer is longer than {most} bytes", location=REGISTRY)
        raise failure


def _failure(error: NoAnswerError, where: str, rules: RuleSet) -> ServiceError:
    if error.trouble == "address":
        return RegistryUnreachableError("it is no address", location=f"{REGISTRY}/url")
    if error.trouble == "certificate_file":
        return SslFileError(
            f"`{error.setting}` names a file that cannot be used", location=f"{REGISTRY}/{error.setting}"
        )
    reason, helps = said_of(error.cause, REGISTRY, rules)
    if error.trouble == "tls":
        text = f"no TLS connection to the registry{where} came about: {reason}"
        return RegistryTlsError(text, location=REGISTRY, suggestion=helps)
    told = "cannot be connected to" if error.trouble == "unreachable" else "does not answer"
    text = f"the registry{where} {told}: {reason}"
    if error.trouble == "protocol":
        return RegistryAnswerError(text, location=REGISTRY, suggestion=helps)
    return RegistryUnreachableError(text, location=REGISTRY, suggestion=helps)
