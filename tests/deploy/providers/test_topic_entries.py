"""Settings of topics in the forms of the Kafka client."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import ConfigEntry, ConfigSource

from streamt_ol.deploy.providers.topic_entries import set_for_topic

FOR_TOPIC = ConfigSource.DYNAMIC_TOPIC_CONFIG


@pytest.mark.parametrize("source", [source for source in ConfigSource if source is not FOR_TOPIC])
def test_what_was_set_elsewhere_is_no_setting_of_the_topic(source: ConfigSource) -> None:
    entries = [ConfigEntry("min.insync.replicas", "1", source), ConfigEntry("retention.ms", "9", FOR_TOPIC)]

    assert set_for_topic(entries) == {"retention.ms": "9"}


def test_a_value_that_the_broker_does_not_show_is_hidden() -> None:
    entries = [
        ConfigEntry("login", "planted", FOR_TOPIC, is_sensitive=True),
        ConfigEntry("key", None, FOR_TOPIC),
    ]

    assert set_for_topic(entries) == {"key": "***", "login": "***"}
