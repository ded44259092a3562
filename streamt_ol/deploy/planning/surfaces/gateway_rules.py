"""Gateway rules as plans compare them: an alias topic, and interceptors that filter and mask what it shows.

A surface is `{"alias": {...} or None, "interceptors": [...]}` in the terms of the Gateway's own interface, so
that it can be compared with what the Gateway lists. Configurations hold SQL; a plan shows their keys.
Sources: sections 1.2 and 4 of the runtime facts, section 5.3 of the project language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from streamt_ol.deploy.planning.changes import FieldChange
from streamt_ol.deploy.planning.redacting import MARK
from streamt_ol.deploy.planning.surfaces.gateway_facts import GatewayAlias, GatewayMask, GatewayQuery
from streamt_ol.deploy.planning.surfaces.gateway_sql import NotSayableError, Query, read_query
from streamt_ol.deploy.planning.surfaces.kind_surfaces import Described, KindSurfaces
from streamt_ol.deploy.providers.gateway.resources import virtual_cluster
from streamt_ol.deploy.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import CompiledModel, Graph
    from streamt_ol.deploy.planning.facts import PlannedChange
    from streamt_ol.deploy.planning.surfaces.gateway_facts import Reads, Registry, Values
    from streamt_ol.deploy.records import Surface
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.engine.tables import Decision

_NAME = re.compile(r"[a-zA-Z0-9._-]+")
_CONFIG = "config."
_DOT = r"\."
_LOGIN = ("username", "password", "ssl_certificate_location")


class _Read(NamedTuple):
    """What a virtual topic reads."""

    name: str
    """As the SQL calls it."""
    reads: Reads
    values: Values

    def registry(self, runtime: Mapping[str, Any]) -> Registry:
        """Return what the Gateway needs of a Schema Registry to look into the values."""
        settings = runtime.get("schema_registry")
        if self.values == "plain":
            return "unneeded"
        if not settings:
            return "absent"
        secured = "@" in urlsplit(settings["url"]).netloc or any(settings.get(key) for key in _LOGIN)
        return "secured" if secured else "open"


class _Rule:
    """One rule in the making."""

    def __init__(self, artifact: Artifact, model: CompiledModel, graph: Graph, rules: RuleSet) -> None:
        self._content = artifact.content
        self._at = artifact.at
        self._runtime = graph.project.runtime
        self._rules = rules
        self._read = _read(model, graph)
        self._cluster = virtual_cluster(self._runtime)
        self._problems: list[Problem] = []

    def described(self) -> Described:
        name, topic = self._content["virtual_topic"], self._content["physical_topic"]
        interceptors = [*self._filters(), *self._masks()]
        needed = self._read.registry(self._runtime) if interceptors else "unneeded"
        facts = GatewayAlias(
            at=self._at,
            name=name,
            topic=topic,
            names="sound" if _NAME.fullmatch(name) and _NAME.fullmatch(topic) else "unsound",
            reads=self._read.reads,
            compression="absent" if self._content["compression"] is None else "present",
            registry=needed,
        )
        for decision in self._rules.table("gateway-aliases").decide_all(facts):
            self._note(decision, facts, decision["where"](facts))
        if needed == "open":
            host = self._runtime["schema_registry"]["url"].rstrip("/")
            for interceptor in interceptors:
                interceptor["config"]["schemaRegistryConfig"] = {"host": host}
        alias = {"vCluster": self._cluster, "physicalName": topic, "physicalCluster": "main"}
        surface = {"alias": alias, "interceptors": interceptors}
        return Described(surface, problems=tuple(self._problems))

    def _filters(self) -> Iterator[Surface]:
        name = self._content["virtual_topic"]
        query = self._query()
        facts = GatewayQuery(
            self._at, name, query.shape if isinstance(query, Query) else query, self._read.values
        )
        decision = self._rules.table("gateway-queries").decide(facts)
        if decision.get("problem") is not None:
            self._note(decision, facts, f"{self._at}/sql")
        if decision["interceptor"] != "none" and isinstance(query, Query):
            statement = query.statement(self._content["physical_topic"])
            config = {"virtualTopic": name, "statement": statement}
            yield self._interceptor(decision["interceptor"], 0, config)

    def _query(self) -> Query | str:
        """Return the query, or the fact `shape` of what cannot be said."""
        sql = self._content["sql"]
        if not sql:
            return "none"
        try:
            return read_query(sql, self._read.name)
        except NotSayableError as error:
            return error.shape

    def _masks(self) -> Iterator[Surface]:
        name = self._content["virtual_topic"]
        for number, mask in enumerate(self._content["interceptors"]):
            facts = GatewayMask(self._at, name, mask["column"], mask["method"])
            decision = self._rules.table("gateway-masks").decide(facts)
            if decision.get("problem") is not None:
                self._note(decision, facts, f"{self._at}/security/policies")
                continue
            rule = {"type": decision["rule"], "maskingChar": "*"}
            policy = {"name": mask["name"], "fields": [mask["column"]], "rule": rule}
            config = {"topic": f"^{name.replace('.', _DOT)}$", "policies": [policy]}
            # Sorted, as the interceptors of a rule are when they are observed.
            for group in sorted({*mask["for_roles"]}) or (None,):
                yield self._interceptor("mask", number, config, group)

    def _interceptor(self, kind: str, number: int, config: Surface, group: str | None = None) -> Surface:
        scope = {"vCluster": self._cluster} | ({} if group is None else {"group": group})
        return {
            "name": f"{self._content['virtual_topic']}_{kind}_{number}",
            "scope": scope,
            "pluginClass": self._rules.catalogue("gateway-interceptors")[kind]["plugin"],
            "priority": self._rules.catalogue("gateway-bounds")["priority"]["limit"],
            "config": dict(config),
        }

    def _note(self, decision: Decision, facts: Any, at: str) -> None:
        self._problems.append(
            Problem(decision["problem"], decision["message"](facts), decision["remedy"](facts), at)
        )


def _described(artifact: Artifact, graph: Graph, rules: RuleSet) -> Described:
    model = next(model for model in graph.models if model.declared.name == artifact.owner)
    return _Rule(artifact, model, graph, rules).described()


def _read(model: CompiledModel, graph: Graph) -> _Read:
    first = model.dependencies[0]
    reads: Reads = "several" if len(model.dependencies) > 1 else "topic"
    if first.kind == "ref":
        read = graph.models[first.position]
        return _Read(first.name, "alias" if read.output == "gateway" else reads, "plain")
    schema = graph.sources[first.position].raw.get("schema")
    plain = schema is None or (schema.get("format") or "").lower() == "json"
    return _Read(first.name, reads, "plain" if plain else "framed")


def _facts(change: PlannedChange, before: Surface | None, after: Surface | None) -> PlannedChange:
    """Say whether an interceptor, or the alias, is there no longer."""
    old, new = dict(_parts(before)), dict(_parts(after))
    return change if before is None or not old.keys() - new.keys() else change._replace(keys="removed")


def _shown(before: Surface | None, after: Surface | None) -> Iterator[FieldChange]:
    """Yield what changes: of configurations only the keys."""
    old, new = dict(_parts(before)), dict(_parts(after))
    for name in [*new, *(name for name in old if name not in new)]:
        was, will_be = old.get(name, {}), new.get(name, {})
        for key in [*will_be, *(key for key in was if key not in will_be)]:
            if was.get(key) != will_be.get(key):
                yield FieldChange(f"{name}.{key}", _told(key, was), _told(key, will_be))


def _parts(surface: Surface | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the alias and the interceptors of a surface with what each consists of."""
    if surface is None:
        return
    if surface["alias"] is not None:
        yield "alias", surface["alias"]
    for one in surface["interceptors"]:
        config = {f"{_CONFIG}{key}": value for key, value in one["config"].items()}
        group = f"[{one['scope']['group']}]" if "group" in one["scope"] else ""
        rest = {key: value for key, value in one.items() if key not in ("name", "scope", "config")}
        yield f"{one['name']}{group}", {**rest, **config}


def _told(key: str, part: Mapping[str, Any]) -> Any:
    value = part.get(key)
    return MARK if value is not None and key.startswith(_CONFIG) else value


GATEWAY_RULES = KindSurfaces(_described, facts=_facts, shown=_shown)
