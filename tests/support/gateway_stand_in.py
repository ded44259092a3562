"""A stand-in for Conduktor Gateway: a real HTTP server that follows its documented interface `gateway/v2`.

No real one can be had, so this is what tests speak to: alias topics and interceptors, listed, put and deleted,
with basic authentication and the documented refusals. Source: the public OpenAPI description of Gateway 3.9
and the reference of its interceptors. Faults are asked for one request at a time.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gateway_resources import Asked, Held, RefusedError, carried_out
from http_stand_in import Does, Fault, Handler, HttpStandIn, received, serving, tell


@dataclass
class GatewayStandIn(HttpStandIn, Held):
    """What it holds, what it was asked, and what goes wrong.

    Its faults are called by what is written, `PUT orders.eu`, or asked, `GET /gateway/v2/interceptor`.
    """

    methods: ClassVar[tuple[str, ...]] = ("GET", "PUT", "DELETE")

    login: str | None = "admin:conduktor"
    requests: list[Asked] = field(default_factory=list)

    def fails(self, request: str, does: Does, *, carried_out: bool = False, times: int = 1) -> None:
        """Let a request, and as many after it, be answered with something else."""
        self.faults[request] = Fault(does, carried_out, times)

    def runtime(self, **settings: Any) -> dict[str, Any]:
        """Return the runtime of a project that leads here."""
        user, _colon, password = (self.login or ":").partition(":")
        gateway = {"admin_url": self.url, "username": user, "password": password, **settings}
        return {"conduktor": {"gateway": gateway}}

    def told(self) -> list[str]:
        """Return the requests as they came: `GET /gateway/v2/alias-topic`, `PUT orders.eu`."""
        return [_called(one) for one in self.requests]

    def writes(self) -> list[str]:
        """Return the requests that change something."""
        return [one.written for one in self.requests if one.method != "GET"]

    def forget(self) -> None:
        """Forget what was asked."""
        self.requests.clear()


def _called(request: Asked) -> str:
    return f"GET {request.path}" if request.method == "GET" else request.written


def _serve(handler: Handler, stand_in: GatewayStandIn) -> None:
    request = Asked(*received(handler))
    with stand_in.lock:
        stand_in.requests.append(request)
        fault = stand_in.fault_of(_called(request))
        if fault is not None and fault.carried_out:
            carried_out(stand_in, request)
    if fault is not None:
        fault.does(handler)
        return
    tell(handler, *_answered(stand_in, request))


def _answered(stand_in: GatewayStandIn, request: Asked) -> tuple[int, Any]:
    if not stand_in.knows(request.headers):
        return 401, {"title": "The given credentials are not valid"}
    try:
        with stand_in.lock:
            return carried_out(stand_in, request)
    except RefusedError as refused:
        return refused.status, refused.body


@contextmanager
def gateway_stand_in(tls: ssl.SSLContext | None = None) -> Iterator[GatewayStandIn]:
    """Serve on a free port of 127.0.0.1."""
    with serving(GatewayStandIn(), _serve, tls) as stand_in:
        yield stand_in
