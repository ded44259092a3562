"""A stand-in for Conduktor Gateway: a real HTTP server that follows its documented interface `gateway/v2`.

No real one can be had, so this is what tests speak to: alias topics and interceptors, listed, put and deleted,
with basic authentication and the documented refusals. Source: the public OpenAPI description of Gateway 3.9
and the reference of its interceptors. Faults are asked for one request at a time.
"""

from __future__ import annotations

import base64
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from gateway_resources import Held, RefusedError, Request, carried_out

_PATIENCE = 20.0
_PAUSE = 0.02


@dataclass
class Fault:
    """What one request is answered with instead."""

    does: Callable[[BaseHTTPRequestHandler, GatewayStandIn], None]
    carried_out: bool = False
    """Whether what was asked is done all the same, before that."""
    times: int = 1


@dataclass
class GatewayStandIn(Held):
    """What it holds, what it was asked, and what goes wrong."""

    url: str = ""
    login: str | None = "admin:conduktor"
    requests: list[Request] = field(default_factory=list)
    faults: dict[str, Fault] = field(default_factory=dict)
    """By what is written, `PUT orders.eu`, or asked, `GET /gateway/v2/interceptor`."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    stopping: threading.Event = field(default_factory=threading.Event)

    def fails(self, request: str, does: Any, *, carried_out: bool = False, times: int = 1) -> None:
        """Let a request, and as many after it, be answered with something else."""
        self.faults[request] = Fault(does, carried_out, times)

    def runtime(self, **settings: Any) -> dict[str, Any]:
        """Return the runtime of a project that leads here."""
        user, _colon, password = (self.login or ":").partition(":")
        gateway = {"admin_url": self.url, "username": user, "password": password, **settings}
        return {"conduktor": {"gateway": gateway}}

    def told(self) -> list[str]:
        """Return the requests as they came: `GET /gateway/v2/alias-topic`, `PUT orders.eu`."""
        return [f"{one.method} {one.path}" if one.method == "GET" else one.written for one in self.requests]

    def writes(self) -> list[str]:
        """Return the requests that change something."""
        return [one.written for one in self.requests if one.method != "GET"]

    def forget(self) -> None:
        """Forget what was asked."""
        self.requests.clear()


def answers(status: int, body: Any = None, **headers: str) -> Callable[..., None]:
    """Answer with this; a body that is no bytes as JSON."""

    def does(handler: BaseHTTPRequestHandler, _stand_in: GatewayStandIn) -> None:
        _answer(handler, status, body, headers)

    return does


def hangs(handler: BaseHTTPRequestHandler, stand_in: GatewayStandIn) -> None:
    """Say nothing until the client goes away."""
    handler.close_connection = True
    handler.connection.settimeout(_PATIENCE)
    while not stand_in.stopping.is_set() and handler.connection.recv(65536):
        pass


def drips(handler: BaseHTTPRequestHandler, stand_in: GatewayStandIn) -> None:
    """Begin an answer, then send one byte after the other."""
    handler.close_connection = True
    handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n["
    )
    for _ in range(int(_PATIENCE / _PAUSE)):
        if stand_in.stopping.wait(_PAUSE):
            break
        handler.wfile.write(b" ")
        handler.wfile.flush()


def breaks_off(handler: BaseHTTPRequestHandler, _stand_in: GatewayStandIn) -> None:
    """Break the connection off without a word."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


@contextmanager
def gateway_stand_in(tls: ssl.SSLContext | None = None) -> Iterator[GatewayStandIn]:
    """Serve on a free port of 127.0.0.1."""
    stand_in = GatewayStandIn()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            _serve(self, stand_in)

        def do_PUT(self) -> None:
            _serve(self, stand_in)

        def do_DELETE(self) -> None:
            _serve(self, stand_in)

        def log_message(self, *_words: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_where: Any) -> None:
            pass  # a client that hung up is no failure of the server

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    host, scheme = ("127.0.0.1", "http") if tls is None else ("localhost", "https")
    stand_in.url = f"{scheme}://{host}:{server.server_address[1]}"
    try:
        yield stand_in
    finally:
        stand_in.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _serve(handler: BaseHTTPRequestHandler, stand_in: GatewayStandIn) -> None:
    length = int(handler.headers.get("Content-Length") or 0)
    sent = handler.rfile.read(length) if length else b""
    request = Request(
        handler.command, handler.path, json.loads(sent) if sent else None, dict(handler.headers)
    )
    with stand_in.lock:
        stand_in.requests.append(request)
        key = f"GET {request.path}" if request.method == "GET" else request.written
        fault = stand_in.faults.get(key)
        if fault is not None and fault.times:
            fault.times -= 1
            if fault.carried_out:
                carried_out(stand_in, request)
        else:
            fault = None
    if fault is not None:
        fault.does(handler, stand_in)
        return
    try:
        _authenticate(stand_in, request)
        with stand_in.lock:
            status, body = carried_out(stand_in, request)
    except RefusedError as refused:
        status, body = refused.status, refused.body
    _answer(handler, status, body, {})


def _answer(handler: BaseHTTPRequestHandler, status: int, body: Any, headers: Mapping[str, str]) -> None:
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    if status != 204:
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def _authenticate(stand_in: GatewayStandIn, request: Request) -> None:
    if stand_in.login is None:
        return
    expected = f"Basic {base64.b64encode(stand_in.login.encode()).decode()}"
    if request.headers.get("Authorization") != expected:
        raise RefusedError(401, "The given credentials are not valid")
