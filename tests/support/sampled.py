"""Samples as tests ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from brokers import Broker
from checked import packaged_rules

from streamt_ol.checks.sampling import Sample, Sampler


@contextmanager
def sampler_of(address: str, seconds: float | None = None, **runtime: Any) -> Iterator[Sampler]:
    """Give a sampler of a runtime: `kafka` adds keys to its address, the rest is as written."""
    kafka: Mapping[str, Any] = {"bootstrap_servers": address, **runtime.pop("kafka", {})}
    with Sampler({"kafka": kafka, **runtime}, packaged_rules(), seconds=seconds) as sampler:
        yield sampler


def sample(broker: Broker, topic: str, size: int = 100, **runtime: Any) -> Sample:
    """Return a sample by a sampler of its own."""
    with sampler_of(broker.address, **runtime) as sampler:
        return sampler.sample(topic, size)


def positions(taken: Sample) -> list[tuple[int, int]]:
    return [(message.partition, message.offset) for message in taken.messages]


def numbers(taken: Sample) -> list[Any]:
    """Return what the messages hold under `n`."""
    return [message.value["n"] for message in taken.messages]


def numbered(*values: int) -> list[bytes]:
    return [b'{"n": %d}' % value for value in values]
