"""The runner of a command: with the brokers and clusters that the runtime names.

Clients are imported and made for the first test that needs them: most runs need one of them, or none.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from streamt_ol.checks.running import Runner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamt_ol.checks.continuous_tests import Job
    from streamt_ol.checks.flink_jobs import FlinkClusters
    from streamt_ol.checks.sampling import Sample, Sampler
    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet


@contextmanager
def runner_for(graph: Graph, rules: RuleSet) -> Iterator[Runner]:
    """Give a runner of the tests of a project; on the way out its connections are closed."""
    runtime = graph.project.runtime
    topics = _Topics(runtime, rules)
    try:
        yield Runner(graph, rules, topics, _Clusters(runtime, rules))
    finally:
        topics.close()


class _Topics:
    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet) -> None:
        self._runtime = runtime
        self._rules = rules
        self._sampler: Sampler | None = None

    def sample(self, topic: str, size: int) -> Sample:
        if self._sampler is None:
            from streamt_ol.checks.sampling import Sampler

            self._sampler = Sampler(self._runtime, self._rules)
        return self._sampler.sample(topic, size)

    def close(self) -> None:
        if self._sampler is not None:
            self._sampler.close()


class _Clusters:
    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet) -> None:
        self._runtime = runtime
        self._rules = rules
        self._clusters: FlinkClusters | None = None

    def jobs(self, cluster: str | None) -> Sequence[Job]:
        if self._clusters is None:
            from streamt_ol.checks.flink_jobs import FlinkClusters

            self._clusters = FlinkClusters(self._runtime, self._rules)
        return self._clusters.jobs(cluster)
