"""What the Gateway lists and takes, in the terms of surfaces; nothing is sent here.

A list may leave out what is as it is by default, and have null for what is not there: both are read alike.
What a resource has beside what is known here stays in its surface, so that a difference is seen.
Source: the public description of the interface `gateway/v2`, kinds `AliasTopic` and `Interceptor`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamt_ol.deploy.records import Surface

ALIAS: Final = "AliasTopic"
INTERCEPTOR: Final = "Interceptor"
PATHS: Final = {ALIAS: "alias-topic", INTERCEPTOR: "interceptor"}
_API: Final = "gateway/v2"
PASSTHROUGH: Final = "passthrough"
"""The virtual cluster of a Gateway that has no other."""
_MAIN: Final = "main"
_METADATA: Final = "further metadata"
_MORE: Final = "further parts"
_SHORT: Final = 3
"""Texts that are no longer are no secrets, and striking them out would leave nothing of a message."""
_LITERALS: Final = re.compile(r"'([^']{3,})'|('[^']{1,2}')|(?<![\w.'])(-?\d[\d.]{2,})(?![\w'])")
"""Texts and numbers in SQL; numbers of two digits are in many words, too."""
_SCOPE: Final = ("vCluster", "group", "username")


class UndocumentedError(Exception):
    """What the Gateway tells is not what it documents; says in which way."""


class Identity(NamedTuple):
    """By what the Gateway tells resources apart; an alias has neither group nor user."""

    kind: str
    """`AliasTopic` or `Interceptor`."""
    name: str
    cluster: str | None
    """The virtual cluster; None for an interceptor that is in none."""
    group: str | None = None
    username: str | None = None

    def __str__(self) -> str:
        """Return `alias topic 'orders.eu'`, `interceptor 'orders.eu_mask_0' of group 'support'`."""
        called = "alias topic" if self.kind == ALIAS else "interceptor"
        group = f" of group '{self.group}'" if self.group else ""
        return f"{called} '{self.name}'{group}"


def virtual_cluster(runtime: Mapping[str, Any]) -> str:
    """Return the virtual cluster of the Gateway that a runtime names, or the usual one."""
    gateway = (runtime.get("conduktor") or {}).get("gateway") or {}
    return gateway.get("virtual_cluster") or PASSTHROUGH


def listed(kind: str, told: Any) -> dict[Identity, Surface]:
    """Return a list of the Gateway by identity; raises UndocumentedError."""
    if not isinstance(told, list):
        raise UndocumentedError("no list")
    there: dict[Identity, Surface] = {}
    for one in told:
        identity, surface = read(kind, one)
        if identity in there:
            raise UndocumentedError("one resource stands twice")
        there[identity] = surface
    return there


def read(kind: str, told: Any) -> tuple[Identity, Surface]:
    """Return one resource as the Gateway tells of it; raises UndocumentedError."""
    parts = _present(told)
    metadata, spec = _present(parts.pop("metadata", None)), _present(parts.pop("spec", None))
    if (parts.pop("kind", None), parts.pop("apiVersion", None)) != (kind, _API):
        raise UndocumentedError("another kind of resource")
    name = metadata.pop("name", None)
    if not isinstance(name, str):
        raise UndocumentedError("a resource without a name")
    if kind == ALIAS:
        cluster = metadata.pop("vCluster", PASSTHROUGH)
        if not isinstance(cluster, str) or not isinstance(spec.get("physicalName"), str):
            raise UndocumentedError("no alias topic")
        usual = {"vCluster": cluster, "physicalCluster": _MAIN}
        return Identity(kind, name, cluster), {**usual, **spec, **_unknown(metadata, parts)}
    scope = _present(metadata.pop("scope", None) or {})
    if not set(scope) <= set(_SCOPE) or not all(isinstance(part, str) for part in scope.values()):
        raise UndocumentedError("no scope of an interceptor")
    if not isinstance(spec.get("pluginClass"), str) or not isinstance(spec.get("config"), dict):
        raise UndocumentedError("no interceptor")
    identity = Identity(kind, name, *(scope.get(part) for part in _SCOPE))
    return identity, {"name": name, "scope": scope, **spec, **_unknown(metadata, parts)}


def identified(name: str, surface: Surface | None) -> dict[Identity, Surface]:
    """Return the parts of a rule by identity, the alias first: in the order in which they are put."""
    if surface is None:
        return {}
    parts: dict[Identity, Surface] = {}
    if surface["alias"] is not None:
        parts[Identity(ALIAS, name, surface["alias"]["vCluster"])] = surface["alias"]
    for one in surface["interceptors"]:
        parts[Identity(INTERCEPTOR, one["name"], *(one["scope"].get(part) for part in _SCOPE))] = one
    return parts


def rule_surface(
    name: str, cluster: str, words: Sequence[str], there: Mapping[Identity, Surface]
) -> Surface | None:
    """Return what there is of a rule: its alias, and the interceptors whose names are those of its own.

    `words` are the kinds of interceptors, in their order. None where there is nothing. Interceptors of others
    are not looked at, also where they act on the same alias.
    """
    alias = there.get(Identity(ALIAS, name, cluster))
    managed = re.compile(rf"{re.escape(name)}_({'|'.join(words)})_(0|[1-9][0-9]*)")
    own: list[tuple[int, int, str, Surface]] = []
    for identity, surface in there.items():
        found = managed.fullmatch(identity.name) if identity.kind == INTERCEPTOR else None
        if found and identity.cluster == cluster and identity.username is None:
            own.append((words.index(found[1]), int(found[2]), identity.group or "", surface))
    own.sort(key=lambda one: one[:3])
    if alias is None and not own:
        return None
    return {"alias": alias, "interceptors": [surface for *_order, surface in own]}


def body(identity: Identity, surface: Surface) -> dict[str, Any]:
    """Return what is put to make a resource as its surface says."""
    parts = dict(surface)
    metadata: dict[str, Any] = {"name": identity.name, **parts.pop(_METADATA, {})}
    more = parts.pop(_MORE, {})
    if identity.kind == ALIAS:
        metadata["vCluster"] = parts.pop("vCluster")
    else:
        del parts["name"]
        metadata["scope"] = parts.pop("scope")
    return {"kind": identity.kind, "apiVersion": _API, "metadata": metadata, "spec": parts, **more}


def reference(identity: Identity) -> dict[str, str]:
    """Return what is sent to delete a resource: of an interceptor its scope, its name stands in the path."""
    if identity.kind == ALIAS:
        return {"name": identity.name, "vCluster": identity.cluster or PASSTHROUGH}
    values = zip(_SCOPE, (identity.cluster, identity.group, identity.username), strict=True)
    return {part: value for part, value in values if value is not None}


def words_of(surfaces: Iterable[Surface]) -> tuple[str, ...]:
    """Return the texts of configurations that no message may hold: whole values, and literals in SQL.

    A literal of one or two characters is hidden with its quotes: without them it is part of many words.
    """
    leaves = [leaf for surface in surfaces for leaf in _texts(surface.get("config"))]
    literals = [
        literal for leaf in leaves for found in _LITERALS.findall(leaf) for literal in found if literal
    ]
    return tuple(dict.fromkeys([leaf for leaf in leaves if len(leaf) > _SHORT] + literals))


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _unknown(metadata: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """Return what a resource has that is not known here, so that it can be put again as it was."""
    return {key: part for key, part in ((_METADATA, metadata), (_MORE, parts)) if part}


def _present(mapping: Any) -> dict[str, Any]:
    """Return a mapping without what is null; raises UndocumentedError for what is none."""
    if not isinstance(mapping, dict):
        raise UndocumentedError("no mapping")
    return {key: value for key, value in mapping.items() if value is not None}
