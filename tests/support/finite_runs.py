"""Runs of finite commands to try: requests with a fixed identity and clock, and a transport that remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

import orjson

from streamt_ol.engine.ruleset import RuleSet, load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.lineage.namespaces import Candidates
from streamt_ol.lineage.schemas import OpenLineageSchemas
from streamt_ol.runs.lifecycle import CommandRun, RunRequest, prepare_run

RULES = load_rules(rules_folder())
SCHEMAS = OpenLineageSchemas.packaged()
RUN_ID = "2eb8aa08-aa98-41ea-b4aa-73b441d16380"
BROKER, PROXY = "runtime.kafka.bootstrap_servers", "runtime.conduktor.gateway.proxy_bootstrap"
OUTCOMES = ("succeeded", "failed", "incomplete", "broken", "interrupted")


def ticking(step: timedelta = timedelta(seconds=1)) -> Callable[[], datetime]:
    """Return a clock that goes on by a step whenever somebody looks."""
    moments = [datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=timezone.utc)]

    def look() -> datetime:
        moments.append(moments[-1] + step)
        return moments[-2]

    return look


def request(
    command: str = "test",
    topics: Iterable[str] = ("payments.raw.v1",),
    options: dict[str, str | None] | None = None,
    variables: dict[str, str] | None = None,
    **says: Any,
) -> RunRequest:
    """Return a request as a command makes it; the job namespace is given as an option, the broker is known."""
    return RunRequest(
        **{
            "command": command,
            "project": "my shop",
            "topics": tuple(topics),
            "endpoints": {BROKER: "broker.example:9092", PROXY: None},
            "candidates": Candidates(
                {"job_namespace": "jobs", **(options or {})}, variables or {}, "openlineage-"
            ),
            "run_id": RUN_ID,
            "clock": ticking(),
            **says,
        }
    )


class Memory:
    """A transport that keeps what it is given, and fails where it is told to."""

    def __init__(self, failing: dict[str, BaseException] | None = None) -> None:
        self.failing = failing or {}
        """`START`, `terminal` or `close` to what is raised there."""
        self.lines: list[bytes] = []
        self.calls: list[str] = []

    def send(self, line: bytes) -> None:
        event = orjson.loads(line)
        self.calls.append(event["eventType"])
        if (error := self.failing.get("START" if event["eventType"] == "START" else "terminal")) is not None:
            raise error
        self.lines.append(line)

    def close(self) -> None:
        self.calls.append("close")
        if (error := self.failing.get("close")) is not None:
            raise error

    @property
    def events(self) -> list[dict[str, Any]]:
        return [orjson.loads(line) for line in self.lines]


def prepared(memory: Memory, rules: RuleSet = RULES, **says: Any) -> CommandRun:
    """Return a prepared run that sends into memory."""
    return prepare_run(request(**says), rules, SCHEMAS, lambda _variables, _rules: memory)
