"""Which provider holds the resources of a kind, and what it is without its client."""

from __future__ import annotations

import sys

import pytest
from checked import packaged_rules

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.providers.kafka import KafkaTopics
from streamt_ol.deploy.providers.providing import providers_for

KAFKA = {"bootstrap_servers": "127.0.0.1:1"}


def test_topics_have_a_provider_and_other_kinds_have_none() -> None:
    providers = providers_for({"kafka": KAFKA, "flink": {"default": "local"}}, packaged_rules())

    assert {kind: (type(held), held.backend) for kind, held in providers.items()} == {
        "topic": (KafkaTopics, "direct-kafka")
    }


def test_a_runtime_without_kafka_has_no_provider() -> None:
    assert providers_for({}, packaged_rules()) == {}


def test_without_the_client_it_is_said_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    for module in ("topic_admin", "topic_entries"):
        monkeypatch.delitem(sys.modules, f"streamt_ol.deploy.providers.{module}", raising=False)

    with pytest.raises(RequestRefusedError) as caught:
        KafkaTopics({"kafka": KAFKA}, packaged_rules()).observe(["orders"])

    assert caught.value.diagnostic().as_dict() == {
        "code": "E547_KAFKA_EXTRA_MISSING",
        "message": "deployments of topics need the package confluent_kafka, which is not installed",
        "suggestion": "pip install 'streamt-ol[kafka]'",
    }


def test_settings_that_cannot_be_used_are_told_before_anything_is_asked() -> None:
    kafka = {**KAFKA, "ssl_ca_location": "/no/such/file.pem"}

    with pytest.raises(RequestRefusedError) as caught:
        KafkaTopics({"kafka": kafka}, packaged_rules()).observe(["orders"])

    assert (caught.value.code, caught.value.location) == ("E405_SSL_ERROR", "/runtime/kafka/ssl_ca_location")
