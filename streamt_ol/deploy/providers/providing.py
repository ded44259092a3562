"""Which provider holds the resources of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamt_ol.deploy.records import Provider
    from streamt_ol.engine.ruleset import RuleSet


class Providers(Mapping[str, "Provider"]):
    """The providers of a runtime by kind, each made when it is first asked for; nothing is connected.

    A kind that none can act on is absent. Of one whose service the runtime does not have, every question
    fails.
    """

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet) -> None:
        self._runtime = runtime
        self._rules = rules
        self._made: dict[str, Provider] = {}

    def __getitem__(self, kind: str) -> Provider:
        if kind not in self._made:
            self._made[kind] = _PROVIDERS[kind](self._runtime, self._rules)
        return self._made[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(_PROVIDERS)

    def __len__(self) -> int:
        return len(_PROVIDERS)


def _schemas(runtime: Mapping[str, Any], rules: RuleSet) -> Provider:
    from streamt_ol.deploy.providers.schema_registry.provider import RegistrySchemas

    return RegistrySchemas(runtime, rules)


def _topics(runtime: Mapping[str, Any], rules: RuleSet) -> Provider:
    from streamt_ol.deploy.providers.kafka import KafkaTopics

    return KafkaTopics(runtime, rules)


def _flink_jobs(runtime: Mapping[str, Any], rules: RuleSet) -> Provider:
    from streamt_ol.deploy.providers.flink.provider import FlinkJobs

    return FlinkJobs(runtime, rules)


def _connectors(runtime: Mapping[str, Any], rules: RuleSet) -> Provider:
    from streamt_ol.deploy.providers.connect.provider import Connectors

    return Connectors(runtime, rules)


def _gateway_rules(runtime: Mapping[str, Any], rules: RuleSet) -> Provider:
    from streamt_ol.deploy.providers.gateway.provider import GatewayRules

    return GatewayRules(runtime, rules)


_PROVIDERS: Final[Mapping[str, Callable[[Mapping[str, Any], RuleSet], Provider]]] = {
    "schema": _schemas,
    "topic": _topics,
    "flink_job": _flink_jobs,
    "connector": _connectors,
    "gateway_rule": _gateway_rules,
}
"""Kinds in the order of `resource-kinds`. A client of a service is imported when it is needed."""
