"""Tests of projects whose topics and clusters are values: what runs tests is real, what they look at is given."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from golden_cases import ROOT

from streamt_ol.checks.continuous_tests import Job
from streamt_ol.checks.records import Message, Selected
from streamt_ol.checks.running import Runner
from streamt_ol.checks.selection import select
from streamt_ol.compiler.compiling import compile_project
from streamt_ol.compiler.records import Graph
from streamt_ol.engine.ruleset import RuleSet, load_rules
from streamt_ol.project.load import load_project
from streamt_ol.project.records import Project

KINDS = ["topic", "virtual_topic", "flink", "sink"]


@functools.cache
def packaged_rules() -> RuleSet:
    return load_rules(ROOT / "rules")


def write_project(folder: Path, **document: Any) -> Path:
    """Write a project about one source, `orders` on `shop.orders`, and what the document adds."""
    whole = {
        "apiVersion": "streamt.dev/v1alpha1",
        "project": {"name": "shop"},
        "runtime": {"kafka": {"bootstrap_servers": "broker.example:9092"}},
        "sources": [
            {"name": "orders", "topic": "shop.orders", "columns": [{"name": "id", "type": "STRING"}]}
        ],
        **document,
    }
    (folder / "stream_project.yml").write_text(json.dumps(whole), "utf-8")
    return folder


def read_project(folder: Path, **document: Any) -> Project:
    return load_project(
        write_project(folder, **document),
        environment=None,
        process_environment={},
        materializations=KINDS,
    ).project


def compiled(folder: Path, **document: Any) -> Graph:
    return compile_project(read_project(folder, **document), packaged_rules())


def messages(*values: Mapping[str, Any], partition: int = 0) -> tuple[Message, ...]:
    """Return values as the messages of a partition from offset 0 on."""
    return tuple(Message(partition, offset, value) for offset, value in enumerate(values))


@dataclass(frozen=True)
class Read:
    messages: Sequence[Message]


@dataclass
class GivenTopics:
    """Topics as values; an exception in the place of messages is raised. Remembers what was asked."""

    topics: Mapping[str, Sequence[Message] | BaseException]
    asked: list[tuple[str, int]] = field(default_factory=list)

    def sample(self, topic: str, size: int) -> Read:
        self.asked.append((topic, size))
        held = self.topics[topic]
        if isinstance(held, BaseException):
            raise held
        return Read(held[:size])


@dataclass(frozen=True)
class GivenClusters:
    """The jobs of clusters as values; an exception in their place is raised."""

    clusters: Mapping[str | None, Sequence[Job] | BaseException]

    def jobs(self, cluster: str | None) -> Sequence[Job]:
        held = self.clusters[cluster]
        if isinstance(held, BaseException):
            raise held
        return held


def runner(
    graph: Graph,
    topics: Mapping[str, Sequence[Message] | BaseException] | GivenTopics | None = None,
    clusters: Mapping[str | None, Sequence[Job] | BaseException] | None = None,
) -> Runner:
    given = topics if isinstance(topics, GivenTopics) else GivenTopics(topics or {})
    return Runner(graph, packaged_rules(), given, GivenClusters(clusters or {}))


def all_tests(graph: Graph) -> tuple[Selected, ...]:
    return select(graph.project.tests)


def sample_test(*assertions: Mapping[str, Any], name: str = "looked_at", **more: Any) -> dict[str, Any]:
    """Return a sample test about `orders`."""
    return {"name": name, "model": "orders", "type": "sample", "assertions": list(assertions), **more}
