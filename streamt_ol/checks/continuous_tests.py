"""Continuous tests: the state of a Flink job that was deployed (section 8 of the project language)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from streamt_ol.checks.looked_at import LookedAt
from streamt_ol.compiler.declared_artifacts import test_jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.checks.records import Selected
    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet


class Job(NamedTuple):
    """A job as a cluster tells it."""

    name: str
    state: str
    started: int
    """Milliseconds since 1970."""


class Clusters(Protocol):
    """Asks Flink clusters for their jobs."""

    def jobs(self, cluster: str | None) -> Sequence[Job]:
        """Return the jobs of a cluster of the runtime, ended ones too; raises a StreamtError."""


class ContinuousTests:
    """Looks for the job that each continuous test compiles to, on the cluster that it compiles for."""

    def __init__(self, graph: Graph, rules: RuleSet, clusters: Clusters) -> None:
        self._jobs = {position: (name, content["cluster"]) for position, name, content in test_jobs(graph)}
        self._states = rules.table("job-states")
        self._clusters = clusters

    def look(self, test: Selected) -> LookedAt:
        """Return the state of a test's job: a running one where there is one, else the one started last."""
        name, cluster = self._jobs[test.position]
        found = [job for job in self._clusters.jobs(cluster) if job.name == name]
        if not found:
            return LookedAt("job_absent", job=name, cluster=cluster or "")
        subjects = [(self._states.match(job.state, test.at)["subject"], job) for job in found]
        subject, job = max(subjects, key=lambda pair: (pair[0] == "job_running", pair[1].started))
        return LookedAt(subject, job=name, cluster=cluster or "", state=job.state)
