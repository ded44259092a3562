"""Which surfaces a kind has. A kind that is not here is described by nothing, and none can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.planning.surfaces.connectors import CONNECTORS
from streamt_ol.deploy.planning.surfaces.flink_jobs import FLINK_JOBS
from streamt_ol.deploy.planning.surfaces.gateway_rules import GATEWAY_RULES
from streamt_ol.deploy.planning.surfaces.kind_surfaces import Described, KindSurfaces
from streamt_ol.deploy.planning.surfaces.schemas import SCHEMAS
from streamt_ol.deploy.planning.surfaces.topics import TOPICS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet


def _nothing(_artifact: Artifact, _graph: Graph, _rules: RuleSet) -> Described:
    return Described({})


_UNKNOWN: Final = KindSurfaces(_nothing)
_SURFACES: Final[Mapping[str, KindSurfaces]] = {
    "schema": SCHEMAS,
    "topic": TOPICS,
    "flink_job": FLINK_JOBS,
    "connector": CONNECTORS,
    "gateway_rule": GATEWAY_RULES,
}


def surfaces_of(kind: str) -> KindSurfaces:
    """Return the surfaces of a kind of `resource-kinds`."""
    return _SURFACES.get(kind, _UNKNOWN)
