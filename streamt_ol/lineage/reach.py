"""What people and systems that read an export may stumble over: look-alikes, sizes, credentials in prose.

Finders yield traits; the `look-alikes` and `reach` tables say which of them are worth a warning, and how.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.ground.errors import Diagnostic
from streamt_ol.lineage.facts import DatasetFacts, ReachFacts
from streamt_ol.lineage.lookalikes import look_alikes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from streamt_ol.engine.reading import Catalogue
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.lineage.facts import JobFacts
    from streamt_ol.lineage.mapping import Event
    from streamt_ol.lineage.namespaces import Namespaces

_URL_CREDENTIALS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/@:]{0,200}:[^\s/@]{1,200}@")


class Described(NamedTuple):
    """What is left of an event that is written: what it describes, and what receivers look at."""

    facts: DatasetFacts | JobFacts
    namespace: str
    name: str
    links: int
    """Inputs."""
    size: int
    """Bytes of its line."""


def describe(facts: DatasetFacts | JobFacts, event: Event, size: int) -> Described:
    """Return what is kept of an event whose line has so many bytes."""
    entity = event[facts.entity]
    return Described(facts, entity["namespace"], entity["name"], len(event.get("inputs", ())), size)


def similar_names(
    described: Sequence[Described], namespaces: Namespaces, rules: RuleSet
) -> Iterator[Diagnostic]:
    """Yield warnings about datasets of one namespace, used namespaces and fields of one dataset (D16)."""
    by_namespace: dict[str, list[tuple[str, str]]] = {}
    for one in described:
        if one.facts.entity == "dataset":
            by_namespace.setdefault(one.namespace, []).append((one.name, one.facts.at))
    for names in by_namespace.values():
        yield from look_alikes("dataset", names, rules)
    entries = rules.catalogue("namespaces").entries
    used = [
        (namespace, entries[key]["option"])
        for key, namespace in namespaces.items()
        if namespace in by_namespace
    ]
    yield from look_alikes("namespace", used, rules)
    for facts in _datasets(described):
        fields = ((column.name, f"{facts.columns_at}/{column.position - 1}/name") for column in facts.columns)
        yield from look_alikes("field", fields, rules)


def reach(described: Sequence[Described], namespaces: Namespaces, rules: RuleSet) -> Iterator[Diagnostic]:
    """Yield warnings about what receivers of the export are known to refuse or to show."""
    table = rules.table("reach")
    bounds, entries = rules.catalogue("bounds"), rules.catalogue("namespaces")
    for traits in (
        _shared_namespaces(namespaces, entries),
        _large_events(described, bounds["event_bytes"]["limit"]),
        _long_names(described, bounds["topic_name"]["limit"]),
        _many_links(described, bounds["job_links"]["limit"]),
        _credentials(described),
    ):
        for facts in traits:
            decision = table.decide(facts)
            yield Diagnostic(decision["code"], decision["message"](facts), facts.at)


def _datasets(described: Iterable[Described]) -> Iterator[DatasetFacts]:
    return (one.facts for one in described if isinstance(one.facts, DatasetFacts))


def _shared_namespaces(namespaces: Namespaces, entries: Catalogue) -> Iterator[ReachFacts]:
    for key, namespace in namespaces.items():
        if key != "job" and namespace == namespaces["job"]:
            yield ReachFacts(at=entries["job"]["option"], label=key, trait="shared_namespace", amount="")


def _large_events(described: Sequence[Described], limit: int) -> Iterator[ReachFacts]:
    for one in described:
        if one.size > limit:
            yield _trait(one, "large_event", one.size)


def _long_names(described: Sequence[Described], limit: int) -> Iterator[ReachFacts]:
    for one in described:
        if one.facts.entity == "dataset" and len(one.name) > limit:
            yield _trait(one, "long_name", len(one.name))


def _many_links(described: Sequence[Described], limit: int) -> Iterator[ReachFacts]:
    for one in described:
        if one.links > limit:
            yield _trait(one, "many_links", one.links)


def _trait(one: Described, trait: str, amount: int) -> ReachFacts:
    return ReachFacts(at=one.facts.at, label=one.facts.label, trait=trait, amount=str(amount))


def _credentials(described: Sequence[Described]) -> Iterator[ReachFacts]:
    # A model with a dataset and a job has its prose in both: the dataset, which has fields, speaks for it.
    speaking: dict[str, DatasetFacts | JobFacts] = {
        one.facts.at: one.facts for one in described if one.facts.entity == "job"
    }
    speaking |= {facts.at: facts for facts in _datasets(described)}
    for facts in speaking.values():
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
