"""A compiled project to a checked export: events mapped, checked and serialized before one byte leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from streamt_ol.ground.watching import nobody
from streamt_ol.lineage.event_check import EventChecker
from streamt_ol.lineage.mapping import ProjectMapping, needed_namespaces
from streamt_ol.lineage.namespaces import Candidates, Namespaces, complete
from streamt_ol.lineage.projection import project_facts
from streamt_ol.lineage.reach import describe, reach, similar_names
from streamt_ol.lineage.standard import PRODUCER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.errors import Diagnostic
    from streamt_ol.ground.watching import Watch
    from streamt_ol.lineage.facts import DatasetFacts, JobFacts
    from streamt_ol.lineage.mapping import Event
    from streamt_ol.lineage.reach import Described
    from streamt_ol.lineage.schemas import OpenLineageSchemas

_LINE = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
CHUNK = 1 << 20
"""Bytes of lines that are joined: so many small ones apart take twice their size."""


@dataclass(frozen=True, slots=True)
class Export:
    """One canonical JSON line per event, datasets then jobs, and the warnings in their final order."""

    described: list[Described]
    """What each line describes."""
    chunks: list[bytes]
    """Whole lines, joined to about a MiB."""
    datasets: int
    jobs: int
    namespaces: Namespaces
    warnings: list[Diagnostic]

    def lines(self) -> Iterator[bytes]:
        """Yield each line with its line feed."""
        for chunk in self.chunks:
            yield from chunk.splitlines(keepends=True)


def export_graph(
    graph: Graph,
    rules: RuleSet,
    schemas: OpenLineageSchemas,
    given: Namespaces,
    candidates: Candidates,
    event_time: str,
    watch: Watch = nobody,
) -> Export:
    """Return the checked export of a graph, or raise the first ExportError.

    `given` are the namespaces that options or variables selected; needed ones are derived here. Each event is
    mapped, checked, serialized and let go before the next: only its line stays.
    """
    project = project_facts(graph)
    namespaces = complete(given, needed_namespaces(project, rules), graph.endpoints, candidates, rules)
    mapping = ProjectMapping(project, rules, schemas, namespaces, event_time)
    mapped: list[DatasetFacts | JobFacts] = []

    def events() -> Iterator[Event]:
        for facts, event in mapping.events():
            mapped.append(facts)
            yield event

    described: list[Described] = []
    chunks: list[bytes] = []
    lines: list[bytes] = []
    size = 0
    for event in EventChecker(schemas, PRODUCER).checked(events()):
        line = orjson.dumps(event, option=_LINE)
        described.append(describe(mapped[-1], event, len(line)))
        lines.append(line)
        size += len(line)
        if size >= CHUNK:
            chunks.append(b"".join(lines))
            lines, size = [], 0
            watch("Checking events", len(described), None)
    chunks.append(b"".join(lines))
    warnings = [
        *mapping.warnings,
        *similar_names(described, namespaces, rules),
        *reach(described, namespaces, rules),
    ]
    warnings.sort(key=lambda warning: (warning.code, warning.message, warning.location or ""))
    datasets = sum(one.facts.entity == "dataset" for one in described)
    return Export(described, chunks, datasets, len(described) - datasets, namespaces, warnings)
