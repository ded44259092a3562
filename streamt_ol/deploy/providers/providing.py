"""Which provider holds the resources of a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.providers.kafka import KafkaTopics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.records import Provider
    from streamt_ol.engine.ruleset import RuleSet


def providers_for(runtime: Mapping[str, Any], rules: RuleSet) -> dict[str, Provider]:
    """Return the providers of a runtime by kind, nothing connected; a kind that none can act on is absent."""
    made: tuple[Provider, ...] = (KafkaTopics(runtime, rules),) if runtime.get("kafka") else ()
    return {provider.kind: provider for provider in made}
