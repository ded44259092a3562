"""A stand-in for a Schema Registry: a real HTTP server that follows the documented interface, and no more.

Source: the public reference of the interface. A subject is one segment of a path and is decoded once, so who
does not encode it is told that there is nothing.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import quote

from http_stand_in import Does, Handler, HttpStandIn, received, serving, tell
from registry_paths import Request, answered
from registry_schemas import RefusedError, schema_of
from registry_subjects import Subjects, Version

Answer = tuple[int, bytes] | Does
MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
_TAKEN = {MEDIA_TYPE, "application/vnd.schemaregistry+json", "application/json", "application/octet-stream"}


@dataclass
class RegistryStandIn(HttpStandIn):
    """What it answers, and what it was asked; its faults are called `METHOD /path`."""

    media_type: ClassVar[str] = MEDIA_TYPE
    tls_host: ClassVar[str] = "127.0.0.1"

    answers: dict[str, Answer] = field(default_factory=dict)
    """Path to what is answered to any GET of it."""
    asked: list[str] = field(default_factory=list)
    """The paths of all requests, with what follows `?`."""
    headers: list[Mapping[str, str]] = field(default_factory=list)
    subjects: Subjects = field(default_factory=Subjects)
    requests: list[Request] = field(default_factory=list)
    forbidden: dict[str, str] = field(default_factory=dict)
    """`METHOD /path` to why nobody may do that."""

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
    if not stand_in.knows(headers):
        raise RefusedError(401, 401, "Unauthorized")
    place = f"{request.method} {request.path}"
    if place in stand_in.forbidden:
        raise RefusedError(403, 40301, stand_in.forbidden[place])
    if request.body is not None and headers.get("Content-Type", "").partition(";")[0] not in _TAKEN:
        raise RefusedError(415, 415, "HTTP 415 Unsupported Media Type")
    with stand_in.lock:
        return answered(stand_in.subjects, request)


def _serve(handler: Handler, stand_in: RegistryStandIn) -> None:
    method, asked, body, headers = received(handler)
    path, _mark, query = asked.partition("?")
    request = Request(method, path, query, body)
    stand_in.asked.append(asked)
    stand_in.headers.append(headers)
    stand_in.requests.append(request)
    answer = stand_in.answers.get(asked) if method == "GET" else None
    if callable(answer):
        answer(handler)
    elif answer is not None:
        tell(handler, *answer)
    elif (fault := stand_in.fault_of(f"{method} {path}")) is not None:
        if fault.carried_out:
            _carried_out(stand_in, request, headers)
        fault.does(handler)
    else:
        try:
            status, told = 200, _carried_out(stand_in, request, headers)
        except RefusedError as refused:
            status, told = refused.status, refused.body
        tell(handler, status, told)


@contextmanager
def registry_stand_in(tls: ssl.SSLContext | None = None) -> Iterator[RegistryStandIn]:
    """Serve on a free port of 127.0.0.1."""
    with serving(RegistryStandIn(), _serve, tls) as stand_in:
        yield stand_in
