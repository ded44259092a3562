"""httpx on a pool of connections whose network is given: httpx itself takes none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpcore
import httpx

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator


class PooledTransport(httpx.BaseTransport):
    """HTTP/1.1 over the connections of a network, straight to the server, each request sent once.

    Failures are those of httpcore, and of the network.
    """

    def __init__(self, network: httpcore.NetworkBackend, context: ssl.SSLContext, idle_seconds: int) -> None:
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
