"""Questions to a Schema Registry over HTTP.

The environment is not trusted: no proxy, no .netrc, no authorities from variables. No redirect is followed.
An answer is bounded in time, from connect to the last byte, and in size; nothing of it is shown.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import httpcore
import httpx

from streamt_ol import __version__
from streamt_ol.checks.sampling_errors import (
    REGISTRY,
    RegistryAnswerError,
    RegistryError,
    RegistryTlsError,
    RegistryUnreachableError,
)
from streamt_ol.services.errors import SslFileError
from streamt_ol.services.http_network import Network, TlsError
from streamt_ol.services.http_pool import PooledTransport
from streamt_ol.services.kafka_settings import require_file
from streamt_ol.services.tls import trusting

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

_HEADERS: Final = {
    "Accept": "application/vnd.schemaregistry.v1+json, application/json",
    "Accept-Encoding": "identity",
    "User-Agent": f"streamt-ol/{__version__}",
}
_IDLE_SECONDS: Final = 60
_AUTHORITIES: Final = "ssl_ca_location"
_CERTIFICATE: Final = "ssl_certificate_location"
_KEY: Final = "ssl_key_location"
_LOGGERS: Final = ("httpx", "httpcore.connection", "httpcore.http11")
"""They log addresses and headers."""


class RegistryWire:
    """GET requests to the registry of a runtime; raises SslFileError for files that cannot be used."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        try:
            url = httpx.URL(settings["url"])
        except httpx.InvalidURL:
            raise RegistryUnreachableError("it is no address", location=f"{REGISTRY}/url") from None
        self._base = f"{str(url.copy_with(userinfo=b'', query=None, fragment=None)).rstrip('/')}/"
        user, password = settings.get("username") or url.username, settings.get("password") or url.password
        self._network = Network()
        self._client = httpx.Client(
            transport=PooledTransport(self._network, _tls(settings), _IDLE_SECONDS),
            auth=httpx.BasicAuth(user, password) if user or password else None,
            headers=_HEADERS,
            trust_env=False,
        )
        for name in _LOGGERS:
            logging.getLogger(name).disabled = True

    def get(self, path: str, seconds: float, most: int) -> tuple[int, bytes]:
        """Return the status and the body of an answer; `path` is below the address, percent-encoded.

        Raises a RegistryError, also for an answer of more than `most` bytes.
        """
        self._network.begin(seconds)
        body = bytearray()
        failure: RegistryError
        try:
            with self._client.stream("GET", f"{self._base}{path}") as response:
                for piece in response.iter_raw():
                    body += piece
                    if len(body) > most:
                        break
        except httpcore.TimeoutException:
            failure = RegistryUnreachableError("the registry does not answer in time", location=REGISTRY)
        except TlsError:
            failure = RegistryTlsError("no TLS connection to the registry came about", location=REGISTRY)
        except httpcore.NetworkError:
            failure = RegistryUnreachableError("the registry cannot be connected to", location=REGISTRY)
        except httpcore.ProtocolError:
            failure = RegistryAnswerError("the registry does not speak HTTP", location=REGISTRY)
        else:
            if len(body) <= most:
                return response.status_code, bytes(body)
            failure = RegistryAnswerError(f"an answer is longer than {most} bytes", location=REGISTRY)
        raise failure

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _tls(settings: Mapping[str, Any]) -> ssl.SSLContext:
    given = {key: settings[key] for key in (_AUTHORITIES, _CERTIFICATE, _KEY) if settings.get(key)}
    for setting, name in given.items():
        require_file(name, f"{REGISTRY}/{setting}")
    loading = _AUTHORITIES
    try:
        context = trusting(given.get(_AUTHORITIES))
        if _CERTIFICATE in given:
            loading = _CERTIFICATE
            # Without a password an empty one, so that nobody is asked for one on the terminal.
            context.load_cert_chain(given[loading], given.get(_KEY), settings.get("ssl_key_password") or "")
    except (OSError, ValueError):
        raise SslFileError(
            f"`{loading}` names a file that cannot be used", location=f"{REGISTRY}/{loading}"
        ) from None
    return context
