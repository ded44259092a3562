"""A stand-in for a Schema Registry: a real HTTP server that follows the documented interface, and no more.

Source: the public reference of the interface, `GET /schemas/ids/{id}` and `GET /subjects/{subject}/versions/{version}`.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

Answer = tuple[int, bytes] | Callable[[BaseHTTPRequestHandler], None]


@dataclass
class RegistryStandIn:
    """What it answers, and what it was asked."""

    url: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    def register(
        self, number: int, schema: Any, kind: str | None = None, references: list[Any] | None = None
    ) -> None:
        self.answers[f"/schemas/ids/{number}"] = (200, _told(schema, kind, references))

    def register_version(
        self, subject: str, version: int, schema: Any, references: list[Any] | None = None
    ) -> None:
        path = f"/subjects/{quote(subject, safe='')}/versions/{version}"
        self.answers[path] = (200, _told(schema, None, references, subject=subject, version=version, id=1))


def _told(schema: Any, kind: str | None, references: list[Any] | None, **more: Any) -> bytes:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    told = {"schema": text, "schemaType": kind, "references": references, **more}
    return json.dumps({key: value for key, value in told.items() if value is not None}).encode()


@contextmanager
def registry_stand_in(tls: ssl.SSLContext | None = None) -> Iterator[RegistryStandIn]:
    """Serve on a free port of 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            stand_in.asked.append(self.path)
            stand_in.headers.append(dict(self.headers))
            unknown = json.dumps({"error_code": 40403, "message": "Schema not found"}).encode()
            answer = stand_in.answers.get(self.path, (404, unknown))
            if callable(answer):
                answer(self)
                return
            status, body = answer
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_where: Any) -> None:
            pass  # a client that hung up is no failure of the server

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    scheme = "http" if tls is None else "https"
    stand_in = RegistryStandIn(f"{scheme}://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
