"""What the stand-in for Conduktor Gateway does with a request: alias topics and interceptors, as documented.

Source: the public OpenAPI description of Gateway 3.9 and the reference of its interceptors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote

from http_stand_in import Request

BASE = "/gateway/v2"
ALIASES = f"{BASE}/alias-topic"
INTERCEPTORS = f"{BASE}/interceptor"
PLUGINS = frozenset(
    f"io.conduktor.gateway.interceptor.{name}"
    for name in (
        "VirtualSqlTopicPlugin",
        "FieldLevelDataMaskingPlugin",
        "EncryptPlugin",
        "safeguard.ReadOnlyTopicPolicyPlugin",
        "safeguard.CreateTopicPolicyPlugin",
    )
)
_NAME = re.compile(r"[a-zA-Z0-9._-]+")

Resource = dict[str, Any]


class Asked(Request):
    """What a client sent."""

    @property
    def written(self) -> str:
        """Return method and name of what is written: `PUT orders.eu`, `DELETE orders.eu_mask_0`."""
        if self.path.startswith(f"{INTERCEPTORS}/"):
            return f"{self.method} {unquote(self.path.removeprefix(f'{INTERCEPTORS}/'))}"
        body = self.body or {}
        return f"{self.method} {body.get('metadata', body).get('name')}"


class RefusedError(Exception):
    """A request that the interface documents as one that is refused."""

    def __init__(self, status: int, title: str, msg: str = "") -> None:
        super().__init__(title)
        self.status = status
        self.body = {"title": title, "msg": msg} if msg else {"title": title}


@dataclass
class Held:
    """What a Gateway holds."""

    clusters: set[str] = field(default_factory=lambda: {"passthrough"})
    """Virtual clusters."""
    groups: set[str] = field(default_factory=set)
    aliases: dict[tuple[str, str], Resource] = field(default_factory=dict)
    """By virtual cluster and name."""
    interceptors: dict[tuple[str, ...], Resource] = field(default_factory=dict)
    """By name, virtual cluster, group and user name; empty for what a scope does not have."""
    shows_defaults: bool = False
    """Whether a list names what is as it is by default."""


def alias(name: str, physical: str, cluster: str = "passthrough", **spec: Any) -> Resource:
    """Return an alias topic as it is put."""
    return {
        "kind": "AliasTopic",
        "apiVersion": "gateway/v2",
        "metadata": {"name": name, "vCluster": cluster},
        "spec": {"physicalName": physical, "physicalCluster": "main", **spec},
    }


def interceptor(name: str, plugin: str, config: Resource, **scope: str) -> Resource:
    """Return an interceptor as it is put; `plugin` without its package."""
    return {
        "kind": "Interceptor",
        "apiVersion": "gateway/v2",
        "metadata": {"name": name, "scope": scope},
        "spec": {
            "pluginClass": f"io.conduktor.gateway.interceptor.{plugin}",
            "priority": 100,
            "config": config,
        },
    }


def carried_out(held: Held, request: Asked) -> tuple[int, Any]:
    """Return status and body of what is answered; raises RefusedError."""
    path, _mark, query = request.path.partition("?")
    asked = {key: values[-1] for key, values in parse_qs(query).items()}
    if path == ALIASES:
        return _ALIASES[request.method](held, request.body or {}, asked)
    if path == INTERCEPTORS and request.method in _INTERCEPTORS:
        return _INTERCEPTORS[request.method](held, request.body or {}, asked)
    if path.startswith(f"{INTERCEPTORS}/") and request.method == "DELETE":
        return _delete_interceptor(held, unquote(path.removeprefix(f"{INTERCEPTORS}/")), request.body)
    raise RefusedError(404, "Not found")


def _list_aliases(held: Held, _body: Resource, asked: Mapping[str, str]) -> tuple[int, Any]:
    if asked.get("vcluster", "passthrough") not in held.clusters:
        raise RefusedError(404, "The given virtual cluster does not exist")
    shown = [
        _without_defaults(one) if not held.shows_defaults else one
        for (cluster, name), one in held.aliases.items()
        if asked.get("vcluster", cluster) == cluster and asked.get("name", name) == name
    ]
    return 200, shown


def _without_defaults(one: Resource) -> Resource:
    shown = deepcopy(one)
    if shown["metadata"].get("vCluster") == "passthrough":
        del shown["metadata"]["vCluster"]
    if shown["spec"].get("physicalCluster") == "main":
        del shown["spec"]["physicalCluster"]
    return shown


def _put_alias(held: Held, body: Resource, _asked: Mapping[str, str]) -> tuple[int, Any]:
    metadata, spec = _parts(body, "AliasTopic")
    _require(_NAME.fullmatch(str(metadata.get("name"))), "Invalid value for: metadata.name")
    _require(_NAME.fullmatch(str(spec.get("physicalName"))), "Invalid value for: spec.physicalName")
    cluster = metadata.get("vCluster") or "passthrough"
    if cluster not in held.clusters:
        raise RefusedError(404, "The given virtual cluster does not exist")
    _require((cluster, spec["physicalName"]) not in held.aliases, "An alias cannot reference another alias")
    made = alias(metadata["name"], spec["physicalName"], cluster)
    return _upserted(held.aliases, (cluster, metadata["name"]), made)


def _delete_alias(held: Held, body: Resource, _asked: Mapping[str, str]) -> tuple[int, Any]:
    key = (body.get("vCluster") or "passthrough", body.get("name", ""))
    if held.aliases.pop(key, None) is None:
        raise RefusedError(404, "The given name does not exist in the given virtual cluster")
    return 204, None


def _list_interceptors(held: Held, _body: Resource, asked: Mapping[str, str]) -> tuple[int, Any]:
    filters = [asked.get(part) for part in ("name", "vcluster", "group", "username")]
    shown = [
        one
        for key, one in held.interceptors.items()
        if all(wanted in (None, part) for wanted, part in zip(filters, key, strict=True))
        and not (asked.get("global") == "true" and any(key[1:]))
    ]
    return 200, shown


def _put_interceptor(held: Held, body: Resource, _asked: Mapping[str, str]) -> tuple[int, Any]:
    metadata, spec = _parts(body, "Interceptor")
    scope = _scope(metadata.get("scope"))
    _require(isinstance(metadata.get("name"), str), "Invalid value for: metadata.name")
    _require(spec.get("pluginClass") in PLUGINS, f"Unknown plugin: {spec.get('pluginClass')}")
    _require(type(spec.get("priority")) is int, "Invalid value for: spec.priority")
    _require(isinstance(spec.get("config"), dict), "Invalid value for: spec.config")
    if scope.get("vCluster", "passthrough") not in held.clusters or (
        "group" in scope and scope["group"] not in held.groups
    ):
        raise RefusedError(404, "The virtual cluster or the group specified in the scope does not exist")
    made = {**body, "metadata": {"name": metadata["name"], "scope": scope}}
    return _upserted(held.interceptors, _key(metadata["name"], scope), made)


def _delete_interceptor(held: Held, name: str, body: Any) -> tuple[int, Any]:
    if held.interceptors.pop(_key(name, _scope(body)), None) is None:
        raise RefusedError(404, "The given interceptor does not exist")
    return 204, None


def _upserted(there: dict[Any, Resource], key: tuple[str, ...], made: Resource) -> tuple[int, Any]:
    known = there.get(key)
    there[key] = deepcopy(made)
    result = "Created" if known is None else "NotChanged" if known == made else "Updated"
    return 200, {"resource": made, "upsertResult": result}


def _parts(body: Resource, kind: str) -> tuple[Resource, Resource]:
    _require(body.get("kind") == kind, "Invalid value for: kind")
    _require(body.get("apiVersion") == "gateway/v2", "Invalid value for: apiVersion")
    metadata, spec = body.get("metadata"), body.get("spec")
    _require(isinstance(metadata, dict) and isinstance(spec, dict), "Invalid value for: body")
    assert isinstance(metadata, dict)
    assert isinstance(spec, dict)
    return metadata, spec


def _require(condition: Any, message: str) -> None:
    if not condition:
        raise RefusedError(400, "The request is not valid", message)


def _scope(scope: Any) -> dict[str, str]:
    """Return a scope without what it leaves open, which may be null, too."""
    return {part: value for part, value in (scope or {}).items() if value is not None}


def _key(name: str, scope: Mapping[str, str]) -> tuple[str, ...]:
    return (name, *(scope.get(part, "") for part in ("vCluster", "group", "username")))


_ALIASES = {"GET": _list_aliases, "PUT": _put_alias, "DELETE": _delete_alias}
_INTERCEPTORS = {"GET": _list_interceptors, "PUT": _put_interceptor}
