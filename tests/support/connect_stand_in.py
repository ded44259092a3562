"""A stand-in for a Kafka Connect worker, for what the real one does not do on demand: faults of every kind.

A real HTTP server that keeps connectors as the documented interface says; whatever it is asked can be answered
by something else instead. Source: the public reference of the interface.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from http_stand_in import Does, Fault, Handler, HttpStandIn, Request, answers, received, serving, tell


@dataclass
class ConnectStandIn(HttpStandIn):
    """What it holds, what it was asked, and what goes wrong."""

    connectors: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Name to configuration."""
    states: dict[str, list[Any]] = field(default_factory=dict)
    """Name to what its status is, one after the other, the last for good: `(connector, [tasks])`, or None."""
    asked: list[Request] = field(default_factory=list)
    waiting: dict[str, list[Fault | None]] = field(default_factory=dict)
    """`METHOD /path` to what happens to the first, second, ... request; None for nothing special."""

    def fail(self, method: str, path: str, *does: Does | None, carried_out: bool = False) -> None:
        """Let the next requests to a path end otherwise, one after the other."""
        made = [None if one is None else Fault(one, carried_out) for one in does]
        self.waiting.setdefault(f"{method} {path}", []).extend(made)

    def fault_of(self, request: str) -> Fault | None:
        """Return what happens to a request instead of an answer; None for nothing special."""
        with self.lock:
            waiting = self.waiting.get(request)
            return waiting.pop(0) if waiting else None

    def requests(self, *methods: str) -> list[str]:
        """Return the requests of these methods: `PUT /connectors/x/config`."""
        return [f"{one.method} {one.path}" for one in self.asked if one.method in methods]


def refusing(status: int, message: str = "said", **headers: str) -> Does:
    """Answer with an error of Connect."""
    return answers(status, {"error_code": status, "message": message}, **headers)


def _serve(handler: Handler, stand_in: ConnectStandIn) -> None:
    asked = received(handler)
    stand_in.asked.append(asked)
    fault = stand_in.fault_of(f"{asked.method} {asked.path}")
    if fault is None:
        tell(handler, *_answered(stand_in, asked))
        return
    if fault.carried_out:
        _answered(stand_in, asked)
    fault.does(handler)


def _answered(stand_in: ConnectStandIn, asked: Request) -> tuple[int, Any]:
    if not stand_in.knows(asked.headers):
        return _error(401, "User cannot access the resource.")
    parts = [unquote(part) for part in asked.path.strip("/").split("/")]
    if parts[0] != "connectors" or len(parts) > 3:
        return _error(404, "HTTP 404 Not Found")
    if asked.method == "POST":
        return _created(stand_in, asked.body["name"], asked.body["config"])
    return _about(stand_in, asked, parts[1], parts[2] if len(parts) > 2 else "")


def _about(stand_in: ConnectStandIn, asked: Request, name: str, part: str) -> tuple[int, Any]:
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
    with serving(ConnectStandIn(), _serve, tls) as stand_in:
        yield stand_in
