"""A stand-in for the REST interface of Flink: a real HTTP server with the documented answer of one request.

That is `GET /jobs/overview`. It is no Flink; it runs no jobs.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

from http_stand_in import Does, Handler, HttpStandIn, received, serving, tell

NO_JOBS = (
    b"",
    b"<html>",
    b"[]",
    b"{}",
    b'{"jobs": null}',
    b'{"jobs": [1]}',
    b"[" * 100_000,
)
"""What nobody takes for the jobs of a cluster."""


@dataclass
class FlinkStandIn(HttpStandIn):
    """The server: what it tells, and what it was asked."""

    methods: ClassVar[tuple[str, ...]] = ("GET",)
    protocol: ClassVar[str] = "HTTP/1.0"
    media_type: ClassVar[str] = "application/json; charset=UTF-8"

    jobs: list[tuple[str, str]] = field(default_factory=list)
    """Name and state, the one started first at the front."""
    answer: Does | None = None
    """What it does instead of telling its jobs."""
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    """Path and headers of each request."""

    def overview(self) -> dict[str, object]:
        return {"jobs": [_job(at, *job) for at, job in enumerate(self.jobs)]}


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


def _serve(handler: Handler, held: FlinkStandIn) -> None:
    request = received(handler)
    held.asked.append((request.path, request.headers))
    if held.answer is not None:
        held.answer(handler)
    else:
        tell(handler, 200, held.overview())


@contextmanager
def flink_stand_in(tls: ssl.SSLContext | None = None) -> Iterator[FlinkStandIn]:
    """Run the server on a free port of 127.0.0.1, with TLS if a context is given."""
    with serving(FlinkStandIn(), _serve, tls) as held:
        yield held
