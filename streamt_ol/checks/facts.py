"""What the tables see of tests: finite facts and names, no values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from streamt_ol.compiler.facts import Presence

Amount = Literal["nothing", "something"]
Subject = Literal[
    "there",
    "unknown",
    "out_of_reach",
    "nothing_asked_for",
    "no_message",
    "job_absent",
    "job_running",
    "job_stopped",
]


class AssertionFacts(NamedTuple):
    """Facts of the record `assertion` (rules/facts.yml)."""

    at: str
    type: str
    kind: str
    says: Amount
    window: Presence
    registry: Presence


class RunFacts(NamedTuple):
    """Facts of the record `test_run`."""

    at: str
    model: str
    topic: str
    job: str
    cluster: str
    state: str
    subject: Subject
    problems: Presence
    looked_at: Amount


class ResultFacts(NamedTuple):
    """Facts of the record `test_result`."""

    at: str
    status: str
