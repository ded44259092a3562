"""Questions to a Schema Registry over HTTP.

The environment is not trusted: no proxy, no .netrc, no authorities from variables. No redirect is followed.
An answer is bounded in time, from connect to the last byte, and in size; nothing of it is shown.
"""

from __future__ import annotations

import ssl
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

import certifi
import httpcore
import httpx

from streamt_ol import __version__
from streamt_ol.checks.kafka_settings import require_file
from streamt_ol.checks.sampling_errors import (
    REGISTRY,
    RegistryAnswerError,
    RegistryTlsError,
    RegistryUnreachableError,
    SslFileError,
)
from streamt_ol.runs.http_network import Network, TlsError

if TYPE_CHECKING:
    from collections.abc import Mapping

_ACCEPTED: Final = b"application/vnd.schemaregistry.v1+json, application/json"
_AGENT: Final = f"streamt-ol/{__version__}".encode()


class RegistryWire:
    """GET requests to the registry of a runtime; raises SslFileError for files that cannot be used."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        try:
            self._url = httpx.URL(settings["url"])
        except httpx.InvalidURL:
            raise RegistryUnreachableError("the address is invalid", location=f"{REGISTRY}.url") from None
        self._headers: dict[bytes | str, bytes | str] = {
            b"Host": self._url.netloc,
            b"Accept": _ACCEPTED,
            b"User-Agent": _AGENT,
        }
        user = settings.get("username") or self._url.username
        if user:
            login = f"{user}:{settings.get('password') or self._url.password}"
            self._headers[b"Authorization"] = b"Basic " + b64encode(login.encode())
        self._network = Network()
        self._pool = httpcore.ConnectionPool(ssl_context=_tls(settings), network_backend=self._network)

    def get(self, path: str, seconds: float, most: int) -> tuple[int, bytes]:
        """Return the status and the body of an answer; `path` is below the address, percent-encoded.

        Raises a RegistryError, also for an answer of more than `most` bytes.
        """
        self._network.begin(seconds)
        try:
            with self._pool.stream("GET", self._target(path), headers=self._headers) as response:
                body = b""
                for piece in response.iter_stream():
                    body += piece
                    if len(body) > most:
                        raise RegistryAnswerError(
                            f"its answer is longer than {most} bytes", location=REGISTRY
                        )
                return response.status, body
        except httpcore.TimeoutException:
            raise RegistryUnreachableError("it did not answer in time", location=REGISTRY) from None
        except TlsError:
            raise RegistryTlsError("no TLS connection to it came about", location=REGISTRY) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError):
            raise RegistryUnreachableError("it cannot be reached", location=REGISTRY) from None

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def _target(self, path: str) -> httpcore.URL:
        base = self._url.raw_path.partition(b"?")[0].rstrip(b"/")
        return httpcore.URL(
            scheme=self._url.raw_scheme,
            host=self._url.raw_host,
            port=self._url.port,
            target=b"/".join([base, path.encode("ascii")]),
        )


def _tls(settings: Mapping[str, Any]) -> ssl.SSLContext:
    # Not by ssl.create_default_context(), which writes session keys to a file that a variable names.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    names = {
        key: settings.get(key) for key in ("ssl_ca_location", "ssl_certificate_location", "ssl_key_location")
    }
    for setting, name in names.items():
        if name:
            require_file(name, f"{REGISTRY}.{setting}")
    authorities, certificate, key = names.values()
    try:
        location = f"{REGISTRY}.ssl_ca_location"
        context.load_verify_locations(authorities or certifi.where())
        if certificate:
            location = f"{REGISTRY}.ssl_certificate_location"
            # An empty password, so that nobody is asked for one on the terminal.
            context.load_cert_chain(certificate, key or None, settings.get("ssl_key_password") or "")
    except (OSError, ValueError):
        raise SslFileError(
            "the file that it names holds nothing that can be used", location=location
        ) from None
    return context
