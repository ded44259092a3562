"""Without the packages of the extra `kafka`."""

from __future__ import annotations

import sys

import pytest
from checked import packaged_rules
from registry_stand_in import registry_stand_in

from streamt_ol.checks.sampling import Sampler
from streamt_ol.checks.shares import Record
from streamt_ol.checks.values import Values
from streamt_ol.services.deadlines import Deadline
from streamt_ol.services.errors import KafkaExtraMissingError


def missing(monkeypatch: pytest.MonkeyPatch, package: str, user: str) -> None:
    """Let a package not be found by the module that uses it."""
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"streamt_ol.checks.{user}", raising=False)


def test_a_sample_without_the_client_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    missing(monkeypatch, "confluent_kafka", "kafka_client")
    sampler = Sampler({"kafka": {"bootstrap_servers": "127.0.0.1:1"}}, packaged_rules())

    with pytest.raises(KafkaExtraMissingError) as caught:
        sampler.sample("orders", 10)

    assert caught.value.diagnostic().as_dict() == {
        "code": "E547_KAFKA_EXTRA_MISSING",
        "message": "sample tests need the package confluent_kafka, which is not installed",
        "suggestion": "pip install 'streamt-ol[kafka]'",
    }


def test_an_avro_value_without_its_reader_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    missing(monkeypatch, "fastavro", "avro_values")
    with registry_stand_in() as registry:
        registry.register(1, '"string"')
        values = Values({"schema_registry": {"url": registry.url}}, packaged_rules())

        with pytest.raises(KafkaExtraMissingError) as caught:
            values.read("orders", Record(0, 0, b"\0\0\0\0\1x"), Deadline(30))

    assert caught.value.message == "sample tests need the package fastavro, which is not installed"
