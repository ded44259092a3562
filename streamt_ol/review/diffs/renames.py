"""Identities that went and came with the same schema and edges: perhaps one thing under another name.

A suggestion, never a verdict: what went is still gone for whoever knows it by its name.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from streamt_ol.review.diffs.found import canonical

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from streamt_ol.review.diffs.designs import Design, Identity

_NO_FIELDS = canonical([])
_ROUNDS = 8
"""How far a rename may depend on the rename of a neighbour that depends on another."""


def suggest_renames(old: Design, new: Design) -> dict[Identity, Identity]:
    """Return old identity to new one, where exactly one that went and one that came look the same.

    Among several that look the same, those of one name in two namespaces belong together. What is known of a
    neighbour grows with each round, for it may have been renamed itself.
    """
    gone = [identity for identity in old.events if identity not in new.events]
    come = [identity for identity in new.events if identity not in old.events]
    if not gone or not come:
        return {}
    before, after = _Surroundings(old, new), _Surroundings(new, old)
    renamed: dict[Identity, Identity] = {}
    for _round in range(_ROUNDS):
        known = {target: target for target in renamed.values()}
        looks = (
            _by_look(before, [one for one in gone if one not in renamed], renamed),
            _by_look(after, [one for one in come if one not in known], known),
        )
        matched = dict(_matches(*looks))
        if not matched:
            break
        renamed |= matched
    return renamed


class _Surroundings:
    """The neighbours of each identity of one side, and its fields."""

    def __init__(self, design: Design, other: Design) -> None:
        self._design = design
        self._other = other
        self._fields: dict[Identity, bytes] = {}
        self._neighbours: dict[Identity, list[tuple[str, Identity]]] = {}
        for edge in design.edges():
            self._neighbours.setdefault(edge.source, []).append(("feeds", edge.target))
            self._neighbours.setdefault(edge.target, []).append(("fed by", edge.source))

    def look(self, identity: Identity, names: Mapping[Identity, Identity]) -> Hashable | None:
        """Return what tells an identity from others, but for its name; None where that is too little.

        `names` are the identities of the other side that neighbours are known to have become.
        """
        near: list[tuple[str, tuple[str, ...]]] = []
        for way, neighbour in self._neighbours.get(identity, ()):
            stays = neighbour not in self._design.events or neighbour in self._other.events
            near.append((way, neighbour if stays else names.get(neighbour, ())))
        fields = self._fields_of(identity)
        if fields == _NO_FIELDS and not any(neighbour for _way, neighbour in near):
            return None
        return identity.kind, fields, tuple(sorted(near))

    def _fields_of(self, identity: Identity) -> bytes:
        if identity not in self._fields:
            schema = self._design.entity(identity).facets.get("schema", {})
            self._fields[identity] = canonical(schema.get("fields", []))
        return self._fields[identity]


def _by_look(
    side: _Surroundings, identities: list[Identity], names: Mapping[Identity, Identity]
) -> dict[Hashable, list[Identity]]:
    looks: dict[Hashable, list[Identity]] = {}
    for identity in identities:
        look = side.look(identity, names)
        if look is not None:
            looks.setdefault(look, []).append(identity)
    return looks


def _matches(
    gone: Mapping[Hashable, list[Identity]], come: Mapping[Hashable, list[Identity]]
) -> Iterator[tuple[Identity, Identity]]:
    for look, before in gone.items():
        after = come.get(look, [])
        if len(before) == len(after) == 1:
            yield before[0], after[0]
            continue
        named_before, named_after = _once(before), _once(after)
        for name in named_before.keys() & named_after.keys():
            yield named_before[name], named_after[name]


def _once(identities: list[Identity]) -> dict[str, Identity]:
    """Return, by its name, each identity whose name no other has."""
    often = Counter(identity.name for identity in identities)
    return {identity.name: identity for identity in identities if often[identity.name] == 1}
