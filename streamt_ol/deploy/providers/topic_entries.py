"""Settings of topics in the forms of the Kafka client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigSource

from streamt_ol.deploy.providers.topic_changes import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def set_for_topic(entries: Iterable[Any]) -> dict[str, str]:
    """Return what was set for the topic itself, by name: no defaults of the brokers. Secrets are HIDDEN."""
    return {
        entry.name: HIDDEN if entry.is_sensitive or entry.value is None else entry.value
        for entry in sorted(entries, key=lambda entry: entry.name)
        if ConfigSource(entry.source) is ConfigSource.DYNAMIC_TOPIC_CONFIG
    }


def altered(values: Mapping[str, str | None]) -> list[ConfigEntry]:
    """Return the entries that change settings; None takes one back to its default."""
    return [
        ConfigEntry(
            name,
            value,
            incremental_operation=AlterConfigOpType.DELETE if value is None else AlterConfigOpType.SET,
        )
        for name, value in values.items()
    ]
