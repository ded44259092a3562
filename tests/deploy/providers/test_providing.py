"""Which provider holds the resources of a kind, and what it is without its client."""

from __future__ import annotations

import sys

import pytest
from checked import packaged_rules

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.providers.kafka import KafkaTopics
from streamt_ol.deploy.providers.providing import Providers
from streamt_ol.deploy.records import Wanted

KAFKA = {"bootstrap_servers": "127.0.0.1:1"}


def test_every_kind_with_a_backend_has_one_provider_and_no_other_has() -> None:
    rules = packaged_rules()

    providers = Providers({"kafka": KAFKA}, rules)

    assert {kind: held.kind for kind, held in providers.items()} == {
        kind: kind for kind, entry in rules.catalogue("resource-kinds").entries.items() if "backend" in entry
    }
    assert providers["topic"] is providers["topic"]


def test_without_the_client_it_is_said_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    for module in ("topic_admin", "topic_entries"):
        monkeypatch.delitem(sys.modules, f"streamt_ol.deploy.providers.{module}", raising=False)

    with pytest.raises(RequestRefusedError) as caught:
        KafkaTopics({"kafka": KAFKA}, packaged_rules()).observe([Wanted("orders")])

    assert caught.value.diagnostic().as_dict() == {
        "code": "E547_KAFKA_EXTRA_MISSING",
        "message": "deployments of topics need the package confluent_kafka, which is not installed",
        "suggestion": "pip install 'streamt-ol[kafka]'",
    }


def test_settings_that_cannot_be_used_are_told_before_anything_is_asked() -> None:
    kafka = {**KAFKA, "ssl_ca_location": "/no/such/file.pem"}

    with pytest.raises(RequestRefusedError) as caught:
        KafkaTopics({"kafka": kafka}, packaged_rules()).observe([Wanted("orders")])

    assert (caught.value.code, caught.value.location) == ("E405_SSL_ERROR", "/runtime/kafka/ssl_ca_location")
