"""What every stand-in for a service over HTTP stands on: a real server, and what it can do instead of answering.

A stand-in says how a request is answered and what it holds; here are the server itself with or without TLS,
the login, what is noted of a request, complete answers, and faults: a fault is asked for by the test, happens
to so many requests, and may have carried out before what was asked for. Whatever waits ends with the server.
"""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple, TypeVar

PATIENCE = 20.0
"""Seconds that nothing in a test takes: whatever waits so long has failed."""
_PAUSE = 0.02
"""Seconds between two bytes that drip."""


class Handler(BaseHTTPRequestHandler):
    """One request to a stand-in, and the way of its answer."""

    disable_nagle_algorithm = True
    stand_in: HttpStandIn

    def log_message(self, *_words: object) -> None:
        """Print nothing."""


Does = Callable[[Handler], None]
"""What happens to a request."""


@dataclass
class Fault:
    """What happens instead of an answer, to the first `times` requests."""

    does: Does
    carried_out: bool = False
    """Whether what was asked for is done all the same, before that."""
    times: int = 1


@dataclass
class HttpStandIn:
    """What every stand-in has: its address, who may ask, and what goes wrong."""

    methods: ClassVar[tuple[str, ...]] = ("GET", "POST", "PUT", "DELETE")
    protocol: ClassVar[str] = "HTTP/1.1"
    """With `HTTP/1.0` the server closes each connection behind its answer."""
    media_type: ClassVar[str] = "application/json"
    tls_host: ClassVar[str] = "localhost"
    """The name in its address where it has TLS; without, the address has 127.0.0.1."""

    url: str = ""
    login: str | None = None
    """`USER:PASSWORD` of who may do anything at all; None for everybody."""
    faults: dict[str, Fault] = field(default_factory=dict)
    """What a stand-in calls a request, to what happens to it instead."""
    stopping: threading.Event = field(default_factory=threading.Event)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def fault_of(self, request: str) -> Fault | None:
        """Return what happens to a request instead of an answer, and count it; None for nothing special."""
        with self.lock:
            fault = self.faults.get(request)
            if fault is None or not fault.times:
                return None
            fault.times -= 1
            return fault

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Return whether who sends these headers may ask at all."""
        if self.login is None:
            return True
        expected = base64.b64encode(self.login.encode()).decode()
        return headers.get("Authorization") == f"Basic {expected}"


class Request(NamedTuple):
    """What a client sent."""

    method: str
    path: str
    """As it was sent, with what follows `?`."""
    body: Any
    """The JSON as plain values; None for nothing."""
    headers: Mapping[str, str]
    """By their names as they were sent."""


def received(handler: Handler) -> Request:
    """Read a request to its end."""
    length = int(handler.headers.get("Content-Length") or 0)
    sent = handler.rfile.read(length) if length else b""
    return Request(handler.command, handler.path, json.loads(sent) if sent else None, dict(handler.headers))


def tell(handler: Handler, status: int, body: Any = b"", **headers: str) -> None:
    """Send a complete answer: bytes as they are, everything else as JSON; names of headers with `_` for `-`."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    if status != 204:
        handler.send_header("Content-Type", handler.stand_in.media_type)
        handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    if status != 204:
        handler.wfile.write(data)


# what can happen to a request


def answers(status: int, body: Any = b"", **headers: str) -> Does:
    """Answer with this, whatever was asked."""
    return lambda handler: tell(handler, status, body, **headers)


def hangs(handler: Handler) -> None:
    """Say nothing before the stand-in ends."""
    handler.close_connection = True
    handler.stand_in.stopping.wait(PATIENCE)


def drips(handler: Handler) -> None:
    """Begin an answer, then send one byte after the other, so that no single wait is long."""
    _begin(handler, 1_000_000)
    with contextlib.suppress(OSError):  # the client has gone
        for _ in range(int(PATIENCE / _PAUSE)):
            if handler.stand_in.stopping.wait(_PAUSE):
                break
            handler.wfile.write(b" ")


def never_ends(handler: Handler) -> None:
    """Begin an answer, then send as much as the client takes."""
    _begin(handler, 10**12)
    with contextlib.suppress(OSError):  # the client has gone
        while not handler.stand_in.stopping.is_set():
            handler.wfile.write(b" " * 65_536)


def hangs_up(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def breaks_off(handler: Handler) -> None:
    """Break the connection off without a farewell."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def _begin(handler: Handler, length: int) -> None:
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("Content-Type", handler.stand_in.media_type)
    handler.send_header("Content-Length", str(length))
    handler.end_headers()


# the server


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_where: object) -> None:
        """Keep still: a client that hung up is no failure of the server."""


Held = TypeVar("Held", bound=HttpStandIn)


@contextlib.contextmanager
def serving(
    held: Held, serve: Callable[[Handler, Held], None], tls: ssl.SSLContext | None = None
) -> Iterator[Held]:
    """Run a stand-in on a free port of 127.0.0.1; `serve` does what a request asks for."""

    def do(handler: Handler) -> None:
        serve(handler, held)

    says = {"protocol_version": held.protocol, "stand_in": held}
    kind = type("_Handler", (Handler,), {**says, **{f"do_{method}": do for method in held.methods}})
    server = _Server(("127.0.0.1", 0), kind)
    if tls is not None:  # the thread of a connection shakes hands, so that nobody waits for another's
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    scheme, host = ("http", "127.0.0.1") if tls is None else ("https", held.tls_host)
    held.url = f"{scheme}://{host}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield held
    finally:
        held.stopping.set()
        server.shutdown()
        thread.join(10)
        server.server_close()
