"""A stand-in for a Kafka Connect worker, for what the real one does not do on demand: faults of every kind.

A real HTTP server that keeps connectors as the documented interface says; whatever it is asked can be answered
by something else instead. Source: the public reference of the interface.
"""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import unquote

Does = Callable[[BaseHTTPRequestHandler], None]


class Fault(NamedTuple):
    """What happens instead of an answer, and whether what was asked for is done all the same, before it."""

    does: Does
    carried_out: bool = False


class Asked(NamedTuple):
    """One request."""

    method: str
    path: str
    """As it was sent."""
    body: Any
    authorization: str | None


@dataclass
class ConnectStandIn:
    """What it holds, what it was asked, and what goes wrong."""

    url: str
    connectors: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Name to configuration."""
    states: dict[str, list[Any]] = field(default_factory=dict)
    """Name to what its status is, one after the other, the last for good: `(connector, [tasks])`, or None."""
    asked: list[Asked] = field(default_factory=list)
    faults: dict[tuple[str, str], list[Fault | None]] = field(default_factory=dict)
    """Method and path to what happens to the first, second, ... request; None for nothing special."""
    login: str | None = None
    """`USER:PASSWORD` of who may do anything; None for everybody."""
    stopping: threading.Event = field(default_factory=threading.Event)

    def fail(self, method: str, path: str, *does: Does | None, carried_out: bool = False) -> None:
        """Let the next requests to a path end otherwise, one after the other."""
        made = [None if one is None else Fault(one, carried_out) for one in does]
        self.faults.setdefault((method, path), []).extend(made)

    def requests(self, *methods: str) -> list[str]:
        """Return the requests of these methods: `PUT /connectors/x/config`."""
        return [f"{one.method} {one.path}" for one in self.asked if one.method in methods]


def refusing(status: int, message: str = "said", **headers: str) -> Does:
    """Answer with an error of Connect."""
    body = json.dumps({"error_code": status, "message": message}).encode()
    return lambda handler: tell(handler, status, body, **headers)


def saying(body: Any, status: int = 200) -> Does:
    """Answer with a body, bytes as they are and everything else as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda handler: tell(handler, status, data)


def hanging(stand_in: ConnectStandIn) -> Does:
    """Say nothing until the stand-in ends."""
    return lambda _handler: _wait(stand_in)


def breaking_off(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def tell(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """Send a complete answer."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    if status != 204:
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    if status != 204:
        handler.wfile.write(body)


def _wait(stand_in: ConnectStandIn) -> None:
    stand_in.stopping.wait(20)


def _serve(handler: BaseHTTPRequestHandler, stand_in: ConnectStandIn) -> None:
    length = int(handler.headers.get("Content-Length") or 0)
    sent = handler.rfile.read(length) if length else b""
    asked = Asked(
        handler.command,
        handler.path,
        json.loads(sent) if sent else None,
        handler.headers.get("Authorization"),
    )
    stand_in.asked.append(asked)
    waiting = stand_in.faults.get((asked.method, asked.path), [])
    fault = waiting.pop(0) if waiting else None
    if fault is None:
        status, body = _answered(stand_in, asked)
        tell(handler, status, b"" if body is None else json.dumps(body).encode())
        return
    if fault.carried_out:
        _answered(stand_in, asked)
    fault.does(handler)


def _answered(stand_in: ConnectStandIn, asked: Asked) -> tuple[int, Any]:
    expected = stand_in.login and f"Basic {base64.b64encode(stand_in.login.encode()).decode()}"
    if expected and asked.authorization != expected:
        return _error(401, "User cannot access the resource.")
    parts = [unquote(part) for part in asked.path.strip("/").split("/")]
    if parts[0] != "connectors" or len(parts) > 3:
        return _error(404, "HTTP 404 Not Found")
    if asked.method == "POST":
        return _created(stand_in, asked.body["name"], asked.body["config"])
    return _about(stand_in, asked, parts[1], parts[2] if len(parts) > 2 else "")


def _about(stand_in: ConnectStandIn, asked: Asked, name: str, part: str) -> tuple[int, Any]:
    if (asked.method, part) == ("PUT", "config"):
        there = name in stand_in.connectors
        stand_in.connectors[name] = {**asked.body, "name": name}
        return (200 if there else 201), _shown(stand_in, name)
    if name not in stand_in.connectors:
        return _error(404, f"Connector {name} not found")
    if (asked.method, part) == ("GET", ""):
        return 200, _shown(stand_in, name)
    if (asked.method, part) == ("GET", "status"):
        return _status(stand_in, name)
    if (asked.method, part) == ("DELETE", ""):
        del stand_in.connectors[name]
        return 204, None
    return _error(405, "HTTP 405 Method Not Allowed")


def _created(stand_in: ConnectStandIn, name: str, config: dict[str, Any]) -> tuple[int, Any]:
    if name in stand_in.connectors:
        return _error(409, f"Connector {name} already exists")
    stand_in.connectors[name] = {**config, "name": name}
    return 201, _shown(stand_in, name)


def _shown(stand_in: ConnectStandIn, name: str) -> dict[str, Any]:
    return {"name": name, "config": stand_in.connectors[name], "tasks": [], "type": "sink"}


def _status(stand_in: ConnectStandIn, name: str) -> tuple[int, Any]:
    states = stand_in.states.get(name) or [("RUNNING", ["RUNNING"])]
    now = states.pop(0) if len(states) > 1 else states[0]
    if now is None:
        return _error(404, f"No status found for connector {name}")
    connector, tasks = now
    told = [{"id": number, **_part(task)} for number, task in enumerate(tasks)]
    return 200, {"name": name, "connector": _part(connector), "tasks": told, "type": "sink"}


def _part(state: Any) -> dict[str, Any]:
    """Return a part of a status: a state alone, or with the trace of its failure."""
    told = {"state": state} if isinstance(state, str) else {"state": state[0], "trace": state[1]}
    return {**told, "worker_id": "10.0.0.1:8083"}


def _error(status: int, message: str) -> tuple[int, Any]:
    return status, {"error_code": status, "message": message}


@contextmanager
def connect_stand_in(tls: ssl.SSLContext | None = None) -> Iterator[ConnectStandIn]:
    """Serve on a free port of 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            _serve(self, stand_in)

        def do_POST(self) -> None:
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
    scheme, host = ("http", "127.0.0.1") if tls is None else ("https", "localhost")
    stand_in = ConnectStandIn(f"{scheme}://{host}:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.stopping.set()
        server.shutdown()
        thread.join(10)
        server.server_close()
