"""A compiled project to a checked export: events mapped, checked and serialized before one byte leaves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from streamt_ol.ground.errors import Diagnostic
from streamt_ol.lineage.event_check import EventChecker
from streamt_ol.lineage.facts import DatasetFacts, JobFacts, ReachFacts
from streamt_ol.lineage.lookalikes import look_alikes
from streamt_ol.lineage.mapping import MappedProject, map_project, needed_namespaces
from streamt_ol.lineage.namespaces import Candidates, Namespaces, complete
from streamt_ol.lineage.standard import PRODUCER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.lineage.schemas import OpenLineageSchemas

_URL_CREDENTIALS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/@:]{0,200}:[^\s/@]{1,200}@")
_LINE = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


@dataclass(frozen=True, slots=True)
class Export:
    """One canonical JSON line per event, datasets then jobs, and the warnings in their final order."""

    events: list[dict[str, Any]]
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
    namespaces = complete(given, needed_namespaces(graph, rules), graph.endpoints, candidates, rules)
    mapped = map_project(graph, rules, schemas, namespaces, event_time)
    events = [event for _facts, event in (*mapped.datasets, *mapped.jobs)]
    EventChecker(schemas, PRODUCER).check_sequence(events)
    lines = [orjson.dumps(event, option=_LINE) for event in events]
    warnings = [
        *mapped.warnings,
        *_similar_names(mapped, namespaces, rules),
        *_reach(mapped, lines, namespaces, rules),
    ]
    warnings.sort(key=lambda warning: (warning.code, warning.message, warning.location or ""))
    return Export(events, lines, len(mapped.datasets), len(mapped.jobs), namespaces, warnings)


def _similar_names(mapped: MappedProject, namespaces: Namespaces, rules: RuleSet) -> Iterator[Diagnostic]:
    by_namespace: dict[str, list[tuple[str, str]]] = {}
    for facts, event in mapped.datasets:
        by_namespace.setdefault(event["dataset"]["namespace"], []).append(
            (event["dataset"]["name"], facts.at)
        )
    for names in by_namespace.values():
        yield from look_alikes("dataset", names, rules)
    entries = rules.catalogue("namespaces").entries
    used = [
        (namespace, entries[key]["option"])
        for key, namespace in namespaces.items()
        if namespace in by_namespace
    ]
    yield from look_alikes("namespace", used, rules)
    for facts, _event in mapped.datasets:
        yield from look_alikes(
            "field",
            ((column.name, f"{facts.columns_at}/{column.position - 1}/name") for column in facts.columns),
            rules,
        )


def _reach(
    mapped: MappedProject, lines: list[bytes], namespaces: Namespaces, rules: RuleSet
) -> Iterator[Diagnostic]:
    """Yield warnings about what receivers of the export are known to stumble over."""
    table, bounds = rules.table("reach"), rules.catalogue("bounds")
    event_bytes, job_links = bounds["event_bytes"]["limit"], bounds["job_links"]["limit"]
    longest_name = bounds["topic_name"]["limit"]

    def warning(trait: str, at: str, label: str, amount: int = 0) -> Diagnostic:
        facts = ReachFacts(at=at, label=label, trait=trait, amount=str(amount))
        decision = table.decide(facts)
        return Diagnostic(decision["code"], decision["message"](facts), at)

    entries = rules.catalogue("namespaces").entries
    for key, namespace in namespaces.items():
        if key != "job" and namespace == namespaces["job"]:
            yield warning("shared_namespace", entries["job"]["option"], key)
    described: list[DatasetFacts | JobFacts] = [facts for facts, _event in mapped.datasets]
    described += [facts for facts, _event in mapped.jobs]
    for facts, line in zip(described, lines, strict=True):
        if len(line) > event_bytes:
            yield warning("large_event", facts.at, facts.label, len(line))
    for dataset, event in mapped.datasets:
        if len(event["dataset"]["name"]) > longest_name:
            yield warning("long_name", dataset.at, dataset.label, len(event["dataset"]["name"]))
        yield from (
            warning("url_credentials", location, label)
            for location, label, text in _prose(dataset)
            if "://" in text and _URL_CREDENTIALS.search(text)
        )
    for job, event in mapped.jobs:
        if len(event.get("inputs", ())) > job_links:
            yield warning("many_links", job.at, job.label, len(event["inputs"]))


def _prose(facts: DatasetFacts) -> Iterator[tuple[str, str, str]]:
    """Yield location, label and text of everything that a person wrote about a dataset in prose."""
    of = f"{facts.declared_by} '{facts.label}'"
    yield f"{facts.at}/description", f"the description of {of}", facts.description or ""
    yield f"{facts.at}/owner", f"the owner of {of}", facts.owner or ""
    for column in facts.columns:
        if column.description:
            yield (
                f"{facts.columns_at}/{column.position - 1}/description",
                f"the description of column '{column.name}' of {of}",
                column.description,
            )
