"""What is known after `kill -9` at a step of an apply, whichever state it has.

The apply raises the partitions of a topic from 1 to 3, and then creates another topic with 2.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from brokers import Broker


class Crash(NamedTuple):
    """What is known right after a process died at a step."""

    step: str
    control: str
    """What the control says."""
    actions: tuple[str, str]
    """How far `state status` says that each action came."""
    there: tuple[str, str]
    """Where the raised and the created topic stand on the broker."""
    serial: int
    """Of the state."""


class Topics(Protocol):
    """The topics of a project that was applied once, and then declares something else."""

    @property
    def raised(self) -> str: ...

    @property
    def created(self) -> str: ...


BEFORE = ("prior", "prior")
HALF, ALL = ("candidate", "prior"), ("candidate", "candidate")
UNKNOWN = "in_progress"


def crashes(written: str, *commit: Crash) -> tuple[Crash, ...]:
    """Return all crashes of an apply: `written` says that a step is durable, `commit` are those of its commit."""
    return (
        Crash(f"before begin {written}", "clear", ("", ""), BEFORE, 1),
        Crash(f"after begin {written}", UNKNOWN, ("not_started", "not_started"), BEFORE, 1),
        Crash(f"before started 0 {written}", UNKNOWN, ("not_started", "not_started"), BEFORE, 1),
        Crash(f"after started 0 {written}", UNKNOWN, ("started", "not_started"), BEFORE, 1),
        Crash("before execute 0", UNKNOWN, ("started", "not_started"), BEFORE, 1),
        Crash("after execute 0", UNKNOWN, ("started", "not_started"), HALF, 1),
        Crash(f"before completed 0 {written}", UNKNOWN, ("started", "not_started"), HALF, 1),
        Crash(f"after completed 0 {written}", UNKNOWN, ("succeeded", "not_started"), HALF, 1),
        Crash(f"before started 1 {written}", UNKNOWN, ("succeeded", "not_started"), HALF, 1),
        Crash(f"after started 1 {written}", UNKNOWN, ("succeeded", "started"), HALF, 1),
        Crash("before execute 1", UNKNOWN, ("succeeded", "started"), HALF, 1),
        Crash("after execute 1", UNKNOWN, ("succeeded", "started"), ALL, 1),
        Crash(f"before completed 1 {written}", UNKNOWN, ("succeeded", "started"), ALL, 1),
        Crash(f"after completed 1 {written}", UNKNOWN, ("succeeded", "succeeded"), ALL, 1),
        *commit,
        Crash("before release", "clear", ("", ""), ALL, 2),
        Crash("after release", "clear", ("", ""), ALL, 2),
    )


def steps_of(told: bytes) -> list[str]:
    """Return the steps that a process told on its stderr."""
    lines = told.decode().splitlines()
    return [line.removeprefix("step: ") for line in lines if line.startswith("step: ")]


@contextmanager
def two_names(broker: Broker) -> Iterator[tuple[str, str]]:
    """Give the names of two topics, which are removed in the end if they are there."""
    prefix = f"t-{os.urandom(6).hex()}"
    names = f"{prefix}-a", f"{prefix}-b"
    try:
        yield names
    finally:
        admin = broker.admin()
        for gone in admin.delete_topics([*(broker.topics() & {*names})]).values():
            gone.result(30)


def there(broker: Broker, topics: Topics) -> tuple[str, str]:
    """Return where both topics stand."""
    return (
        {1: "prior", 3: "candidate"}[_partitions(broker, topics.raised)],
        {0: "prior", 2: "candidate"}[_partitions(broker, topics.created)],
    )


def _partitions(broker: Broker, name: str) -> int:
    found = broker.admin().list_topics(timeout=30).topics
    return len(found[name].partitions) if name in found else 0


def to_be_done(topics: Topics, crash: Crash) -> set[str]:
    """Return the addresses of what an apply after the recovery has left to do."""
    addresses = (f"topic:{topics.raised}", f"topic:{topics.created}")
    return {name for name, stands in zip(addresses, crash.there, strict=True) if stands == "prior"}
