"""Planned actions on Gateway rules, and the provider that carries them out on a stand-in."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from gateway_resources import alias, interceptor
from gateway_stand_in import GatewayStandIn
from service_bounds import rules_with

from streamt_ol.deploy.providers.gateway.provider import GatewayRules
from streamt_ol.deploy.records import Action, Surface, Wanted

NAME = "orders.eu"
FILTER = "orders.eu_filter_0"
MASK = "orders.eu_mask_0"
GETS = ["GET /gateway/v2/alias-topic", "GET /gateway/v2/interceptor"]


def provider_of(stand_in: GatewayStandIn, seconds: float | None = None, **settings: Any) -> GatewayRules:
    return GatewayRules(stand_in.runtime(**settings), rules_with(), seconds=seconds)


def aliased(physical: str = "shop.orders", cluster: str = "passthrough") -> Surface:
    return {"vCluster": cluster, "physicalName": physical, "physicalCluster": "main"}


def filtering(statement: str = "SELECT * FROM t WHERE region = 'EU'", name: str = FILTER) -> Surface:
    return part(name, "VirtualSqlTopicPlugin", {"virtualTopic": NAME, "statement": statement})


def masking(field: str = "email", name: str = MASK, **scope: str) -> Surface:
    config = {"topic": "^orders\\.eu$", "policies": [{"name": name, "fields": [field]}]}
    return part(name, "FieldLevelDataMaskingPlugin", config, **scope)


def part(name: str, plugin: str, config: Surface, **scope: str) -> Surface:
    return {
        "name": name,
        "scope": {"vCluster": "passthrough", **scope},
        "pluginClass": f"io.conduktor.gateway.interceptor.{plugin}",
        "priority": 100,
        "config": config,
    }


def rule(*interceptors: Surface, physical: str = "shop.orders") -> Surface:
    return {"alias": aliased(physical), "interceptors": list(interceptors)}


def planned(action: str, before: Surface | None, after: Surface | None, name: str = NAME) -> Action:
    return Action(
        0, f"streamt://shop/default/gateway_rule/{name}", "gateway_rule", action, name, before, after
    )


def live(stand_in: GatewayStandIn, name: str = NAME) -> Surface | None:
    """Return what is there, as a provider of its own sees it; what it asks is forgotten."""
    asked = list(stand_in.requests)
    faults, stand_in.faults = stand_in.faults, {}
    found = provider_of(stand_in).observe([Wanted(name)])[name].surface
    stand_in.faults = faults
    stand_in.requests[:] = asked
    return found


def hold(stand_in: GatewayStandIn, surface: Surface, name: str = NAME) -> None:
    """Let a rule be there, as if it had been made before."""
    there = surface["alias"]
    stand_in.aliases[there["vCluster"], name] = alias(name, there["physicalName"], there["vCluster"])
    for one in surface["interceptors"]:
        scope = one["scope"]
        key = (one["name"], *(scope.get(part, "") for part in ("vCluster", "group", "username")))
        made = interceptor(
            one["name"], one["pluginClass"].rpartition("interceptor.")[2], one["config"], **scope
        )
        stand_in.interceptors[key] = deepcopy(made)
