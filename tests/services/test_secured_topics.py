"""Deployments of topics over TLS and with logins, as only Apache Kafka has them."""

from __future__ import annotations

import logging
from typing import Any
from uuid import uuid4

import pytest
from apache_kafka import SecuredBroker
from confluent_kafka.admin import AclOperation, ResourceType
from secured_runtimes import allow, deny, login, tls, with_certificate
from topic_plans import creation, live, planned, provider_of, surface

from streamt_ol.deploy.providers.errors import ProviderError, RequestRefusedError
from streamt_ol.deploy.providers.kafka import KafkaTopics
from streamt_ol.deploy.records import Wanted


def provider(kafka: dict[str, Any]) -> KafkaTopics:
    return provider_of(kafka["bootstrap_servers"], **kafka)


def refused(kafka: dict[str, Any]) -> ProviderError:
    with pytest.raises(RequestRefusedError) as caught:
        provider(kafka).execute(creation(f"made-{uuid4().hex[:12]}", surface()))
    assert "planted" not in repr(caught.value) + str(caught.value.diagnostic())
    return caught.value


@pytest.mark.parametrize("way", [tls, with_certificate, login], ids=lambda way: way.__name__)
def test_a_topic_is_created_over_a_secured_connection(broker: SecuredBroker, way: Any) -> None:
    name = f"made-{uuid4().hex[:12]}"

    provider(way(broker)).execute(creation(name, surface(2, retention_ms="1000")))

    assert live(broker, name) == surface(2, retention_ms="1000")


def test_a_broker_of_another_authority_is_refused(broker: SecuredBroker) -> None:
    error = refused(tls(broker, authority="other_authority"))

    assert (error.code, error.location) == ("E405_SSL_ERROR", "/runtime/kafka")
    assert "certificate verify failed" in error.message


def test_a_listener_without_tls_is_told_to_a_client_with_it(broker: SecuredBroker) -> None:
    assert refused(tls(broker, "PLAINTEXT")).code == "E405_SSL_ERROR"


def test_a_client_without_tls_is_asked_about_its_protocol(broker: SecuredBroker) -> None:
    error = refused({"bootstrap_servers": broker.listeners["SSL"]})

    assert error.code == "E406_CONNECTION_REFUSED"
    assert error.message.endswith("does security_protocol fit the listener?")


def test_a_key_that_its_password_does_not_open_is_an_error_of_tls(broker: SecuredBroker) -> None:
    assert refused(with_certificate(broker, "planted-wrong-secret")).code == "E405_SSL_ERROR"


def test_a_wrong_password_is_refused_with_the_reason_of_the_broker(broker: SecuredBroker) -> None:
    error = refused(login(broker, password="planted-wrong-secret"))

    assert error.diagnostic().as_dict() == {
        "code": "E404_AUTH_FAILED",
        "message": "the broker refused the login of runtime.kafka: "
        f"sasl_ssl://{broker.listeners['SASL_SSL']}/bootstrap: SASL authentication error: Authentication failed "
        "during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512",
        "location": "/runtime/kafka",
    }


def test_a_topic_that_the_user_may_not_see_is_told_as_that(broker: SecuredBroker) -> None:
    closed = broker.new_topic()
    deny(broker, ResourceType.TOPIC, closed)

    with pytest.raises(RequestRefusedError) as caught:
        provider(login(broker, "stranger")).observe([Wanted(closed)])

    assert caught.value.diagnostic().as_dict() == {
        "code": "E541_TOPIC_FORBIDDEN",
        "message": f"the user of runtime.kafka may not see topic '{closed}'",
        "location": "/runtime/kafka",
    }


def test_a_topic_that_the_user_may_not_change_is_left_alone(broker: SecuredBroker) -> None:
    topic = broker.new_topic()
    allow(broker, ResourceType.TOPIC, topic, AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS)

    with pytest.raises(RequestRefusedError) as caught:
        provider(login(broker, "stranger")).execute(
            planned("update", topic, surface(), surface(retention_ms="1"))
        )

    assert (caught.value.code, caught.value.message) == (
        "E407_DEPLOY_ERROR",
        f"the broker does not alter topic '{topic}': Topic authorization failed. "
        "(TOPIC_AUTHORIZATION_FAILED)",
    )
    assert live(broker, topic) == surface()


def test_no_password_is_logged_however_much_is_asked_for(
    broker: SecuredBroker, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), caplog.at_level(logging.DEBUG, "streamt_ol.kafka"):
        refused(login(broker, password="planted-wrong-secret"))
        provider(login(broker)).observe([Wanted("orders")])

    assert "planted" not in caplog.text
