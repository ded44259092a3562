"""What differs between two designs, as found: without severities, ids or sentences.

What belongs to something that came or went is not listed again: the fields of a dataset, the edges of a job.
The time of events never counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.ground.pointer import pointer
from streamt_ol.review.diffs.found import Found, canonical, pairs, same
from streamt_ol.review.diffs.schema_fields import field_differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from streamt_ol.review.diffs.designs import Design, Edge, Entity, Identity

    _Compare = Callable[..., Iterator[Found]]

_BASE = frozenset({"_producer", "_schemaURL", "_deleted"})
"""What every facet has, and what says nothing about its dataset or job."""
_FACET_GROUPS = frozenset({"facets", "inputFacets", "outputFacets"})
_ORIGINS = (
    ("producer", "producer", "producer", "_producer"),
    ("standard", "schema URLs", "schemaURL", "_schemaURL"),
)
"""Subject, its words, the key of the event and the key of its facets."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something found, and what it is about: an edge, where there is one, else a dataset or job."""

    identity: Identity
    found: Found
    edge: Edge | None = None


def differences(old: Design, new: Design) -> Iterator[Difference]:
    """Yield every difference, in no particular order."""
    for identity, event in old.events.items():
        other = new.events.get(identity)
        if other is None:
            yield Difference(identity, Found(identity.kind, old=True))
        elif not same({**event, "eventTime": None}, {**other, "eventTime": None}):
            before, after = old.entity(identity), new.entity(identity)
            for found in _described(before, after):
                yield Difference(identity, found)
            yield from _edges(before, after)
    for identity in new.events:
        if identity not in old.events:
            yield Difference(identity, Found(identity.kind, new=True))


def _described(old: Entity, new: Entity) -> Iterator[Found]:
    yield from _origins(old, new)
    for key, before, after in pairs(old.rest, new.rest):
        yield Found("facet", pointer(key), f"key {key}", before, after)
    yield from _facets("/facets", old.facets, new.facets, _MEANINGS)


def _origins(old: Entity, new: Entity) -> Iterator[Found]:
    """Yield who wrote an event and its facets, and which schemas they name, each as one difference."""
    if same(old.event, new.event) and old.facets == new.facets and old.edges == new.edges:
        return
    facets_before, facets_after = dict(_facets_of(old)), dict(_facets_of(new))
    for subject, part, of_event, of_facets in _ORIGINS:
        before = {"event": old.event.get(of_event)}
        after = {"event": new.event.get(of_event)}
        for at in facets_before.keys() & facets_after.keys():
            before[at], after[at] = facets_before[at].get(of_facets), facets_after[at].get(of_facets)
        if not same(before, after):
            yield Found(subject, f"/{of_event}", part, before, after)


def _facets_of(entity: Entity) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, facet in entity.facets.items():
        yield pointer(name), facet
    for edge, said in entity.edges.items():
        for group in said.keys() & _FACET_GROUPS:
            for name, facet in said[group].items():
                yield pointer(*edge.source, *edge.target, group, name), facet


def _facets(
    at: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    meanings: Mapping[str, _Compare],
) -> Iterator[Found]:
    for name, before, after in pairs(old, new):
        place = at + pointer(name)
        compare: _Compare = meanings.get(name, _plain)
        found = list(compare(name, place, before or {}, after or {}))
        if not found and (before is None or after is None):
            found = [Found("facet", place, f"facet {name}", before, after)]
        yield from found


def _plain(
    name: str, at: str, old: Mapping[str, Any], new: Mapping[str, Any], *known: str
) -> Iterator[Found]:
    """Yield what differs in a facet by key, but for known keys; nothing if the facet came or went."""
    if not old or not new:
        return
    for key, before, after in pairs(old, new):
        if key not in _BASE and key not in known:
            yield Found("facet", at + pointer(key), f"{key} of facet {name}", before, after)


def _documentation(name: str, at: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Found]:
    before, after = old.get("description"), new.get("description")
    if before != after:
        yield Found("description", f"{at}/description", "description", before, after)
    yield from _plain(name, at, old, new, "description")


def _schema(name: str, at: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Found]:
    yield from field_differences(old.get("fields", ()), new.get("fields", ()), at)
    yield from _plain(name, at, old, new, "fields")


def _ownership(name: str, at: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Found]:
    """Yield owners that came and went; where one took the place of one, that is one change."""
    before, after = _owners(old), _owners(new)
    gone = [owner for key, owner in before.items() if key not in after]
    come = [owner for key, owner in after.items() if key not in before]
    place = f"{at}/owners"
    if len(gone) == len(come) == 1:
        yield Found("owner", place, "owner", gone[0], come[0], (_called(gone[0]), _called(come[0])))
    else:
        for owner in gone:
            yield Found("owner", place + _owner_at(owner), f"owner {_called(owner)}", old=owner)
        for owner in come:
            yield Found("owner", place + _owner_at(owner), f"owner {_called(owner)}", new=owner)
    yield from _plain(name, at, old, new, "owners")


def _owners(facet: Mapping[str, Any]) -> dict[bytes, dict[str, Any]]:
    """Return the owners by everything that is said of them; their order says nothing."""
    return {canonical(owner): owner for owner in facet.get("owners", ())}


def _owner_at(owner: Mapping[str, Any]) -> str:
    return pointer(owner["name"], owner["type"]) if owner.get("type") else pointer(owner["name"])


def _called(owner: Mapping[str, Any]) -> str:
    return f"{owner['name']} ({owner['type']})" if owner.get("type") else str(owner["name"])


def _edges(old: Entity, new: Entity) -> Iterator[Difference]:
    identity = old.identity
    for edge in dict.fromkeys([*old.edges, *new.edges]):
        side, other = ("inputs", edge.source) if edge.target == identity else ("outputs", edge.target)
        at = pointer(side, other.namespace, other.name)
        if edge in old.edges and edge in new.edges:
            for found in _said_of_edge(at, old.edges[edge], new.edges[edge]):
                yield Difference(identity, found, edge)
        else:
            found = Found("edge", at, old=True) if edge in old.edges else Found("edge", at, new=True)
            yield Difference(identity, found, edge)


def _said_of_edge(at: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Found]:
    for group, before, after in pairs(old, new):
        place = at + pointer(group)
        if group in _FACET_GROUPS:
            yield from _facets(place, before or {}, after or {}, {})
        else:
            yield Found("facet", place, f"key {group}", before, after)


_MEANINGS: dict[str, _Compare] = {
    "documentation": _documentation,
    "ownership": _ownership,
    "schema": _schema,
}
"""Facets of which more is known than that they are facets."""
