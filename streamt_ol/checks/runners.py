"""The runner of a command: with the brokers and clusters that the runtime names."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from streamt_ol.checks.running import Runner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet


@contextmanager
def runner_for(graph: Graph, rules: RuleSet) -> Iterator[Runner]:
    """Give a runner of the tests of a project; nothing is connected before a test needs it.

    Connections are closed on the way out.
    """
    from streamt_ol.checks.flink_jobs import FlinkClusters  # here for start-up: a run alone pays for clients
    from streamt_ol.checks.sampling import Sampler

    runtime = graph.project.runtime
    with Sampler(runtime, rules) as sampler:
        yield Runner(graph, rules, sampler, FlinkClusters(runtime, rules))
