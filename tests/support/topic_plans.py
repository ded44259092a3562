"""Planned actions on topics, and the provider that carries them out."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from brokers import Broker, until
from checked import packaged_rules

from streamt_ol.deploy.providers.kafka import KafkaTopics
from streamt_ol.deploy.records import Action, Surface, Wanted


def provider_of(address: str, seconds: float | None = None, **kafka: Any) -> KafkaTopics:
    runtime = {"kafka": {"bootstrap_servers": address, **kafka}}
    return KafkaTopics(runtime, packaged_rules(), seconds=seconds)


def surface(partitions: int = 1, replication_factor: int = 1, **config: str) -> Surface:
    """Return a surface; `_` stands for the dots of the names of settings."""
    settings = {name.replace("_", "."): value for name, value in config.items()}
    return {"partitions": partitions, "replication_factor": replication_factor, "config": settings}


def planned(action: str, topic: str, before: Surface | None, after: Surface | None) -> Action:
    return Action(0, f"streamt://shop/dev/topic/{topic}", "topic", action, topic, before, after)


def creation(topic: str, after: Surface) -> Action:
    return planned("create", topic, None, after)


def live(broker: Broker, topic: str) -> Surface | None:
    """Return what is there, as a provider of its own sees it."""
    return provider_of(broker.address).observe([Wanted(topic)])[topic].surface


@contextmanager
def frozen(broker: Broker) -> Iterator[None]:
    """Stop the broker as it is: what is sent to it waits until it goes on."""
    broker.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, broker.process.pid, os.WSTOPPED)  # until then some of its threads may go on to read
    try:
        yield
    finally:
        broker.process.send_signal(signal.SIGCONT)  # none to a broker that was killed


def await_unread(broker: Broker) -> None:
    """Wait until something was sent to a frozen broker."""
    port = int(broker.address.rpartition(":")[2])
    until(lambda: _unread_bytes(port) > 0)


def _unread_bytes(port: int) -> int:
    """Return how many bytes wait for whoever listens on a port, as Linux counts them."""
    tables = [Path(f"/proc/net/{name}") for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    return sum(
        int(row[4].partition(":")[2], 16) for row in rows if int(row[1].rpartition(":")[2], 16) == port
    )
