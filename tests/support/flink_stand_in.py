"""A stand-in for the REST interface of Flink: a real HTTP server with the documented answer of one request.

That is `GET /jobs/overview`. It is no Flink; it runs no jobs.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class FlinkStandIn:
    """The server: what it tells, and what it was asked."""

    url: str
    jobs: list[tuple[str, str]] = field(default_factory=list)
    """Name and state, the one started first at the front."""
    answer: Answer | None = None
    """What it does instead of telling its jobs."""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Path and headers of each request."""

    def overview(self) -> bytes:
        return json.dumps({"jobs": [_job(at, *job) for at, job in enumerate(self.jobs)]}).encode()


def _job(position: int, name: str, state: str) -> dict[str, object]:
    started = 1_767_225_600_000 + position
    ended = -1 if state in {"RUNNING", "CREATED", "RESTARTING"} else started + 1000
    tasks = ("canceled", "canceling", "created", "deploying", "failed", "finished", "initializing", "pending")
    return {
        "jid": f"{position:032x}",
        "name": name,
        "state": state,
        "start-time": started,
        "end-time": ended,
        "duration": 1000,
        "last-modification": started,
        "tasks": {"running": 1, "total": 1, "reconciling": 0, "scheduled": 0, **dict.fromkeys(tasks, 0)},
    }


@contextmanager
def flink_stand_in(context: ssl.SSLContext | None = None) -> Iterator[FlinkStandIn]:
    """Run the server on a free port of 127.0.0.1, with TLS if a context is given."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            held.asked.append((self.path, dict(self.headers)))
            if held.answer is not None:
                held.answer(self)
            else:
                tell(self, held.overview())

        def log_message(self, *_parts: object) -> None:
            """Print nothing."""

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_about: object) -> None:
            """Keep still: a client that goes away is what some tests are about."""

    server = Quiet(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    scheme = "http" if context is None else "https"
    held = FlinkStandIn(
        f"{scheme}://localhost:{server.server_port}" if context else f"http://127.0.0.1:{server.server_port}"
    )
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield held
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def tell(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    """Send a complete answer."""
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json; charset=UTF-8")
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)
