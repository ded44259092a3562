"""What people and systems that read an export may stumble over: look-alikes, sizes, credentials in prose.

Finders yield traits; the `look-alikes` and `reach` tables say which of them are worth a warning, and how.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamt_ol.ground.errors import Diagnostic
from streamt_ol.lineage.facts import DatasetFacts, ReachFacts
from streamt_ol.lineage.lookalikes import look_alikes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.reading import Catalogue
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.lineage.facts import JobFacts
    from streamt_ol.lineage.mapping import MappedProject
    from streamt_ol.lineage.namespaces import Namespaces

_URL_CREDENTIALS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/@:]{0,200}:[^\s/@]{1,200}@")


def similar_names(mapped: MappedProject, namespaces: Namespaces, rules: RuleSet) -> Iterator[Diagnostic]:
    """Yield warnings about datasets of one namespace, used namespaces and fields of one dataset (D16)."""
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
        fields = ((column.name, f"{facts.columns_at}/{column.position - 1}/name") for column in facts.columns)
        yield from look_alikes("field", fields, rules)


def reach(
    mapped: MappedProject, lines: list[bytes], namespaces: Namespaces, rules: RuleSet
) -> Iterator[Diagnostic]:
    """Yield warnings about what receivers of the export are known to refuse or to show."""
    table = rules.table("reach")
    bounds, entries = rules.catalogue("bounds"), rules.catalogue("namespaces")
    for traits in (
        _shared_namespaces(namespaces, entries),
        _large_events(mapped, lines, bounds["event_bytes"]["limit"]),
        _long_names(mapped, bounds["topic_name"]["limit"]),
        _many_links(mapped, bounds["job_links"]["limit"]),
        _credentials(mapped),
    ):
        for facts in traits:
            decision = table.decide(facts)
            yield Diagnostic(decision["code"], decision["message"](facts), facts.at)


def _shared_namespaces(namespaces: Namespaces, entries: Catalogue) -> Iterator[ReachFacts]:
    for key, namespace in namespaces.items():
        if key != "job" and namespace == namespaces["job"]:
            yield ReachFacts(at=entries["job"]["option"], label=key, trait="shared_namespace", amount="")


def _large_events(mapped: MappedProject, lines: list[bytes], limit: int) -> Iterator[ReachFacts]:
    described: list[DatasetFacts | JobFacts] = [facts for facts, _event in mapped.datasets]
    described += [facts for facts, _event in mapped.jobs]
    for facts, line in zip(described, lines, strict=True):
        if len(line) > limit:
            yield ReachFacts(at=facts.at, label=facts.label, trait="large_event", amount=str(len(line)))


def _long_names(mapped: MappedProject, limit: int) -> Iterator[ReachFacts]:
    for facts, event in mapped.datasets:
        length = len(event["dataset"]["name"])
        if length > limit:
            yield ReachFacts(at=facts.at, label=facts.label, trait="long_name", amount=str(length))


def _many_links(mapped: MappedProject, limit: int) -> Iterator[ReachFacts]:
    for facts, event in mapped.jobs:
        links = len(event.get("inputs", ()))
        if links > limit:
            yield ReachFacts(at=facts.at, label=facts.label, trait="many_links", amount=str(links))


def _credentials(mapped: MappedProject) -> Iterator[ReachFacts]:
    # A model with a dataset and a job has its prose in both: the dataset, which has fields, speaks for it.
    described: dict[str, DatasetFacts | JobFacts] = {facts.at: facts for facts, _event in mapped.jobs}
    described |= {facts.at: facts for facts, _event in mapped.datasets}
    for facts in described.values():
        for at, label, text in _prose(facts):
            if "://" in text and _URL_CREDENTIALS.search(text):
                yield ReachFacts(at=at, label=label, trait="url_credentials", amount="")


def _prose(facts: DatasetFacts | JobFacts) -> Iterator[tuple[str, str, str]]:
    """Yield location, label and text of everything that a person wrote about an entity in prose."""
    of = f"{facts.declared_by} '{facts.label}'"
    yield f"{facts.at}/description", f"the description of {of}", facts.description or ""
    yield f"{facts.at}/owner", f"the owner of {of}", facts.owner or ""
    if isinstance(facts, DatasetFacts):
        for column in facts.columns:
            at = f"{facts.columns_at}/{column.position - 1}/description"
            yield at, f"the description of column '{column.name}' of {of}", column.description or ""
