"""What only Apache Kafka shows: TLS, client certificates, logins, access lists, and a broker that dies."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from apache_kafka import SecuredBroker, apache_broker
from checked import write_project
from confluent_kafka.admin import ResourceType
from program import run_streamt
from sampled import numbered, numbers, sampler_of
from secured_runtimes import deny, login, tls, with_certificate

from streamt_ol.checks.shares import Shares
from streamt_ol.services.errors import (
    BrokerUnreachableError,
    LoginRefusedError,
    ServiceError,
    SslFileError,
    TlsRefusedError,
    TopicForbiddenError,
)


@pytest.fixture(scope="module")
def topic(broker: SecuredBroker) -> str:
    made = broker.new_topic()
    broker.produce(made, numbered(1, 2, 3))
    return made


def read(topic: str, kafka: dict[str, Any]) -> list[int]:
    with sampler_of("", kafka=kafka) as sampler:
        return numbers(sampler.sample(topic, 10))


def refused(topic: str, kafka: dict[str, Any]) -> ServiceError:
    with sampler_of("", kafka=kafka) as sampler, pytest.raises(ServiceError) as caught:
        sampler.sample(topic, 10)
    assert "planted" not in repr(caught.value) + str(caught.value.diagnostic())
    return caught.value


def test_a_topic_is_read_over_tls(broker: SecuredBroker, topic: str) -> None:
    assert read(topic, tls(broker)) == [1, 2, 3]


def test_a_broker_of_another_authority_is_refused(broker: SecuredBroker, topic: str) -> None:
    error = refused(topic, tls(broker, authority="other_authority"))

    assert (type(error), error.code, error.location) == (TlsRefusedError, "E405_SSL_ERROR", "/runtime/kafka")
    assert "certificate verify failed" in error.message


def test_a_broker_that_no_public_authority_knows_is_refused(broker: SecuredBroker, topic: str) -> None:
    error = refused(topic, {**tls(broker), "ssl_ca_location": None})

    assert (type(error), error.code) == (TlsRefusedError, "E405_SSL_ERROR")


def test_an_authority_file_that_is_missing_is_named_by_its_key(broker: SecuredBroker, topic: str) -> None:
    error = refused(topic, {**tls(broker), "ssl_ca_location": "/no/such/file.pem"})

    assert error.diagnostic().as_dict() == {
        "code": "E405_SSL_ERROR",
        "message": "`ssl_ca_location` names a file that cannot be read: No such file or directory",
        "location": "/runtime/kafka/ssl_ca_location",
    }
    assert isinstance(error, SslFileError)


def test_an_authority_file_without_a_certificate_is_an_error_of_tls(
    broker: SecuredBroker, topic: str
) -> None:
    error = refused(topic, tls(broker, authority="no_pem"))

    assert (type(error), error.code) == (TlsRefusedError, "E405_SSL_ERROR")
    assert "ssl.ca.location failed" in error.message


def test_a_listener_without_tls_is_told_to_a_client_with_it(broker: SecuredBroker, topic: str) -> None:
    error = refused(topic, tls(broker, "PLAINTEXT"))

    assert (type(error), error.code) == (TlsRefusedError, "E405_SSL_ERROR")
    assert error.message.endswith("connecting to a PLAINTEXT broker listener?")


def test_a_client_without_tls_is_asked_about_its_protocol(broker: SecuredBroker, topic: str) -> None:
    error = refused(topic, {"bootstrap_servers": broker.listeners["SSL"]})

    assert (type(error), error.code) == (BrokerUnreachableError, "E406_CONNECTION_REFUSED")
    assert error.message.endswith("does security_protocol fit the listener?")


def test_a_client_shows_its_certificate(broker: SecuredBroker, topic: str) -> None:
    assert read(topic, with_certificate(broker)) == [1, 2, 3]


def test_a_client_without_the_certificate_that_is_asked_for_is_refused(
    broker: SecuredBroker, topic: str
) -> None:
    error = refused(topic, tls(broker, "MUTUAL"))

    assert (type(error), error.code) == (TlsRefusedError, "E405_SSL_ERROR")


def test_a_key_that_its_password_does_not_open_is_an_error_of_tls(broker: SecuredBroker, topic: str) -> None:
    error = refused(topic, with_certificate(broker, "planted-wrong-secret"))

    assert (type(error), error.code) == (TlsRefusedError, "E405_SSL_ERROR")
    assert "ssl.key.location failed" in error.message


def test_a_user_logs_in_with_scram_over_tls(broker: SecuredBroker, topic: str) -> None:
    assert read(topic, login(broker)) == [1, 2, 3]


def test_a_mechanism_alone_means_a_login_over_tls(broker: SecuredBroker, topic: str) -> None:
    assert read(topic, {**login(broker), "security_protocol": None}) == [1, 2, 3]


def test_a_wrong_password_is_refused(broker: SecuredBroker, topic: str) -> None:
    error = refused(topic, login(broker, password="planted-wrong-secret"))

    assert error.diagnostic().as_dict() == {
        "code": "E404_AUTH_FAILED",
        "message": "the broker refused the login of runtime.kafka: "
        f"sasl_ssl://{broker.listeners['SASL_SSL']}/bootstrap: SASL authentication error: Authentication failed "
        "during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512",
        "location": "/runtime/kafka",
    }
    assert isinstance(error, LoginRefusedError)


def test_a_mechanism_that_the_broker_does_not_have_is_refused(broker: SecuredBroker, topic: str) -> None:
    error = refused(topic, {**login(broker), "sasl_mechanism": "PLAIN"})

    assert (type(error), error.code) == (LoginRefusedError, "E404_AUTH_FAILED")


def test_no_password_is_logged_however_much_is_asked_for(
    broker: SecuredBroker, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), caplog.at_level(logging.DEBUG, "streamt_ol.kafka"):
        refused(topic, login(broker, password="planted-wrong-secret"))
        read(topic, login(broker))

    assert "FAIL" in caplog.text
    assert "planted" not in caplog.text


def test_a_user_who_may_not_read_a_topic_is_told_so(broker: SecuredBroker) -> None:
    closed = broker.new_topic()
    deny(broker, ResourceType.TOPIC, closed)

    error = refused(closed, login(broker, "stranger"))

    assert error.diagnostic().as_dict() == {
        "code": "E541_TOPIC_FORBIDDEN",
        "message": f"the user of runtime.kafka may not read topic '{closed}'",
    }
    assert isinstance(error, TopicForbiddenError)


def test_a_user_who_may_join_no_group_reads_all_the_same(broker: SecuredBroker, topic: str) -> None:
    deny(broker, ResourceType.GROUP, "streamt-sample")

    assert read(topic, login(broker, "stranger")) == [1, 2, 3]


def test_a_broker_that_dies_while_a_topic_is_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with apache_broker(tmp_path) as own:
        topic = own.new_topic()
        own.produce(topic, [b'{"text": "%s"}' % (b"x" * 20_000)] * 2000)
        add = Shares.add

        def add_and_kill(self, *message) -> None:
            add(self, *message)
            if own.process.poll() is None:
                own.kill()

        monkeypatch.setattr(Shares, "add", add_and_kill)

        with sampler_of(own.address) as sampler, pytest.raises(BrokerUnreachableError):
            sampler.sample(topic, 2000)


@pytest.mark.parametrize("password", [None, "planted-wrong-secret"])
def test_the_command_prints_no_password(
    broker: SecuredBroker, topic: str, tmp_path: Path, password: str | None
) -> None:
    project = write_project(
        tmp_path,
        runtime={"kafka": login(broker, password=password)},
        sources=[{"name": "orders", "topic": topic, "columns": [{"name": "n", "type": "INT"}]}],
        tests=[
            {
                "name": "whole",
                "model": "orders",
                "type": "sample",
                "assertions": [{"not_null": {"columns": ["n"]}}],
            }
        ],
    )

    done = run_streamt("test", "--project-dir", project)

    assert done.exit_status == (0 if password is None else 1)
    assert ("E404_AUTH_FAILED" in done.stderr) is (password is not None)
    assert "planted" not in done.stdout + done.stderr
