"""httpx on a pool of connections whose network is given: httpx itself takes none."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import httpcore
import httpx

from streamt_ol import __version__

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

AGENT: Final = f"streamt-ol/{__version__}"
"""What this program calls itself in requests."""
_LOGGERS: Final = ("httpx", "httpcore.connection", "httpcore.http11")
"""They log addresses and headers, so they are turned off."""


class PooledTransport(httpx.BaseTransport):
    """HTTP/1.1 over the connections of a network, straight to the server, each request sent once.

    Failures are those of httpcore, and of the network.
    """

    def __init__(self, network: httpcore.NetworkBackend, context: ssl.SSLContext, idle_seconds: int) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).disabled = True
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            keepalive_expiry=idle_seconds,
            http2=False,
            retries=0,
            network_backend=network,
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer to a request, its body not read yet."""
        url = request.url
        response = self._pool.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
            )
        )
        return httpx.Response(response.status, headers=response.headers, stream=_Body(response))

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()
