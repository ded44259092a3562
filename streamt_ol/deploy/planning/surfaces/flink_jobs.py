"""Flink jobs as plans compare them: by cluster, by whether they run, and by the fingerprint of what they are.

Their SQL is carried along for whoever submits it, and shown nowhere. A login is no part of what a job is.
Sources: sections 1.2 to 1.4 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.flink_sql.job import job_definition
from streamt_ol.deploy.planning.changes import FieldChange
from streamt_ol.deploy.planning.surfaces.kind_surfaces import Described, KindSurfaces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.planning.facts import PlannedChange
    from streamt_ol.deploy.records import Surface
    from streamt_ol.engine.ruleset import RuleSet

_RUNNING: Final = "running"
_SHOWN: Final = len("sha256:") + 12
"""How much of a fingerprint people compare."""


def _described(artifact: Artifact, graph: Graph, rules: RuleSet) -> Described:
    """Return the job of an artifact; what its SQL cannot say stands in the way of making it."""
    definition = job_definition(artifact, graph, rules)
    return Described(
        surface={"cluster": definition.cluster, "state": _RUNNING, "fingerprint": definition.fingerprint},
        cluster=definition.cluster,
        payload={"definition": definition},
        problems=definition.problems,
    )


def _facts(change: PlannedChange, before: Surface | None, _after: Surface | None) -> PlannedChange:
    if before is not None:
        return change._replace(job=before["state"])
    return change._replace(job="ended" if change.verdict == "ended" else "absent")


def _shown(before: Surface | None, after: Surface | None) -> Iterator[FieldChange]:
    old, new = before or {}, after or {}
    if before is None:
        yield FieldChange("cluster", None, new.get("cluster"))
    yield FieldChange("definition", _short(old.get("fingerprint")), _short(new.get("fingerprint")))


def _short(fingerprint: str | None) -> str | None:
    return fingerprint and fingerprint[:_SHOWN]


FLINK_JOBS = KindSurfaces(_described, facts=_facts, shown=_shown, restored=True)
