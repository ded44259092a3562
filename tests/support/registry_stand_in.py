"""A stand-in for a Schema Registry: a real HTTP server that follows the documented interface, and no more.

Source: the public reference of the interface. A subject is one segment of a path and is decoded once, so who
does not encode it is told that there is nothing.
"""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

from registry_paths import Request, answered
from registry_schemas import RefusedError, schema_of
from registry_subjects import Subjects, Version

Does = Callable[[BaseHTTPRequestHandler], None]
Answer = tuple[int, bytes] | Does
MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
_TAKEN = {MEDIA_TYPE, "application/vnd.schemaregistry+json", "application/json", "application/octet-stream"}


@dataclass
class Fault:
    """What it does instead of answering."""

    does: Does
    carried_out: bool = False
    """Whether it does before what it was asked for."""
    times: int = 1


@dataclass
class RegistryStandIn:
    """What it answers, and what it was asked."""

    url: str
    answers: dict[str, Answer] = field(default_factory=dict)
    """Path to what is answered to any GET of it."""
    asked: list[str] = field(default_factory=list)
    """The paths of all requests, with what follows `?`."""
    headers: list[Mapping[str, str]] = field(default_factory=list)
    subjects: Subjects = field(default_factory=Subjects)
    requests: list[Request] = field(default_factory=list)
    login: str | None = None
    """`USER:PASSWORD` of who may do anything at all; None for everybody."""
    forbidden: dict[str, str] = field(default_factory=dict)
    """`METHOD /path` to why nobody may do that."""
    faults: dict[str, Fault] = field(default_factory=dict)
    """`METHOD /path` to what happens instead."""
    stopping: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def register(
        self, number: int, schema: Any, kind: str | None = None, references: list[Any] | None = None
    ) -> None:
        self.answers[f"/schemas/ids/{number}"] = (200, _told(schema, kind, references))

    def register_version(
        self, subject: str, version: int, schema: Any, references: list[Any] | None = None
    ) -> None:
        path = f"/subjects/{quote(subject, safe='')}/versions/{version}"
        self.answers[path] = (200, _told(schema, None, references, subject=subject, version=version, id=1))

    def put(self, subject: str, schema: Any, kind: str = "AVRO", references: Any = ()) -> Version:
        """Register a schema as somebody else does."""
        text = schema if isinstance(schema, str) else json.dumps(schema)
        body = {"schema": text, "schemaType": kind, "references": list(references)}
        return self.subjects.register(subject, schema_of(body))

    def texts(self, subject: str) -> list[str]:
        """Return the schemas that are there under a subject."""
        there = self.subjects.versions.get(subject, ())
        return [version.schema.text for version in there if not version.deleted]

    def sent(self, method: str, path: str = "") -> list[Request]:
        """Return the requests of a method, of any path or of one."""
        return [one for one in self.requests if one.method == method and path in ("", one.path)]


def _told(schema: Any, kind: str | None, references: list[Any] | None, **more: Any) -> bytes:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    told = {"schema": text, "schemaType": kind, "references": references, **more}
    return json.dumps({key: value for key, value in told.items() if value is not None}).encode()


def _carried_out(stand_in: RegistryStandIn, request: Request, headers: Mapping[str, str]) -> Any:
    """Return what is told; raises RefusedError."""
    if stand_in.login is not None:
        expected = base64.b64encode(stand_in.login.encode()).decode()
        if headers.get("Authorization") != f"Basic {expected}":
            raise RefusedError(401, 401, "Unauthorized")
    place = f"{request.method} {request.path}"
    if place in stand_in.forbidden:
        raise RefusedError(403, 40301, stand_in.forbidden[place])
    if request.body is not None and headers.get("Content-Type", "").partition(";")[0] not in _TAKEN:
        raise RefusedError(415, 415, "HTTP 415 Unsupported Media Type")
    with stand_in.lock:
        return answered(stand_in.subjects, request)


def _serve(handler: BaseHTTPRequestHandler, stand_in: RegistryStandIn) -> None:
    path, _mark, query = handler.path.partition("?")
    length = int(handler.headers.get("Content-Length") or 0)
    sent = handler.rfile.read(length) if length else b""
    stand_in.asked.append(handler.path)
    stand_in.headers.append(dict(handler.headers))
    request = Request(handler.command, path, query, json.loads(sent) if sent else None)
    stand_in.requests.append(request)
    answer = stand_in.answers.get(handler.path) if request.method == "GET" else None
    if callable(answer):
        answer(handler)
    elif answer is not None:
        tell(handler, *answer)
    elif not _failed(handler, stand_in, request):
        try:
            status, told = 200, _carried_out(stand_in, request, handler.headers)
        except RefusedError as refused:
            status, told = refused.status, refused.body
        tell(handler, status, json.dumps(told).encode())


def _failed(handler: BaseHTTPRequestHandler, stand_in: RegistryStandIn, request: Request) -> bool:
    """Do what the test wants instead of an answer; return whether there is such a thing."""
    fault = stand_in.faults.get(f"{request.method} {request.path}")
    if fault is None or not fault.times:
        return False
    fault.times -= 1
    if fault.carried_out:
        _carried_out(stand_in, request, handler.headers)
    fault.does(handler)
    return True


def tell(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """Send a complete answer."""
    handler.send_response(status)
    handler.send_header("Content-Type", MEDIA_TYPE)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def registry_stand_in(tls: ssl.SSLContext | None = None) -> Iterator[RegistryStandIn]:
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
    scheme = "http" if tls is None else "https"
    stand_in = RegistryStandIn(f"{scheme}://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.stopping.set()
        server.shutdown()
        thread.join(10)
        server.server_close()
