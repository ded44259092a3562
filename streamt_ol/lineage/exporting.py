"""A compiled project to a checked export: events mapped, checked and serialized before one byte leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from streamt_ol.lineage.event_check import EventChecker
from streamt_ol.lineage.mapping import map_project, needed_namespaces
from streamt_ol.lineage.namespaces import Candidates, Namespaces, complete
from streamt_ol.lineage.projection import project_facts
from streamt_ol.lineage.reach import reach, similar_names
from streamt_ol.lineage.standard import PRODUCER

if TYPE_CHECKING:
    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.errors import Diagnostic
    from streamt_ol.lineage.facts import DatasetFacts, JobFacts
    from streamt_ol.lineage.schemas import OpenLineageSchemas

_LINE = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


@dataclass(frozen=True, slots=True)
class Export:
    """One canonical JSON line per event, datasets then jobs, and the warnings in their final order."""

    events: list[dict[str, Any]]
    described: list[DatasetFacts | JobFacts]
    """What each event describes."""
    lines: list[bytes]
    datasets: int
    jobs: int
    namespaces: Namespaces
    warnings: list[Diagnostic]


def export_graph(
    graph: Graph,
    rules: RuleSet,
    schemas: OpenLineageSchemas,
    given: Namespaces,
    candidates: Candidates,
    event_time: str,
) -> Export:
    """Return the checked export of a graph, or raise the first ExportError.

    `given` are the namespaces that options or variables selected; needed ones are derived here.
    """
    project = project_facts(graph)
    namespaces = complete(given, needed_namespaces(project, rules), graph.endpoints, candidates, rules)
    mapped = map_project(project, rules, schemas, namespaces, event_time)
    described: list[DatasetFacts | JobFacts] = [facts for facts, _event in mapped.datasets]
    described += [facts for facts, _event in mapped.jobs]
    events = [event for _facts, event in (*mapped.datasets, *mapped.jobs)]
    EventChecker(schemas, PRODUCER).check_sequence(events)
    lines = [orjson.dumps(event, option=_LINE) for event in events]
    warnings = [
        *mapped.warnings,
        *similar_names(mapped, namespaces, rules),
        *reach(mapped, lines, namespaces, rules),
    ]
    warnings.sort(key=lambda warning: (warning.code, warning.message, warning.location or ""))
    return Export(events, described, lines, len(mapped.datasets), len(mapped.jobs), namespaces, warnings)
