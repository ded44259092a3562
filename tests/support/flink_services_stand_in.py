"""A stand-in for the REST interfaces of a Flink JobManager and its SQL Gateway: real HTTP, documented answers.

It is no Flink; `flink_answers.py` has what it answers. What a test wants to go wrong is a `Fault`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from flink_answers import Held, told, word_of
from http_stand_in import Does, Handler, HttpStandIn, answers, received, serving, tell


@dataclass
class FlinkStandIn(HttpStandIn, Held):
    """The servers, what they hold, and what they were asked.

    Their faults are called by the word of a request; `insert` is a statement that makes a job.
    """

    methods: ClassVar[tuple[str, ...]] = ("GET", "POST", "PATCH", "DELETE")
    protocol: ClassVar[str] = "HTTP/1.0"
    media_type: ClassVar[str] = "application/json; charset=UTF-8"

    asked: list[str] = field(default_factory=list)
    """The words of all requests, in their order."""
    bodies: list[tuple[str, Any]] = field(default_factory=list)
    """The word and the content of each request that had some."""
    headers: list[dict[str, str]] = field(default_factory=list)

    def count(self, word: str) -> int:
        return self.asked.count(word)


def failing(status: int, *errors: str) -> Does:
    """Answer with a status and errors as Flink has them."""
    return answers(status, {"errors": list(errors)})


def _serve(handler: Handler, held: FlinkStandIn) -> None:
    method, path, body, headers = received(handler)
    word = word_of(method, path)
    held.asked.append(word)
    held.headers.append(dict(headers))
    if body is not None:
        held.bodies.append((word, body))
    kind = "insert" if word == "statement" and body["statement"].startswith("INSERT") else word
    with held.lock:
        fault = held.fault_of(kind)
        answer = told(held, word, path, body) if fault is None or fault.carried_out else None
    if fault is not None:
        fault.does(handler)
    elif answer is not None:
        tell(handler, *answer)


@contextmanager
def flink_services() -> Iterator[FlinkStandIn]:
    """Serve both interfaces on one free port of 127.0.0.1."""
    with serving(FlinkStandIn(), _serve) as held:
        yield held
