"""`runtime.kafka` as settings of the Kafka client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checked import packaged_rules

from streamt_ol.services.errors import KafkaSettingsError, SslFileError
from streamt_ol.services.kafka_settings import kafka_settings


def values(**kafka: Any) -> dict[str, str]:
    runtime = {"kafka": {"bootstrap_servers": "b:9092", **kafka}}
    found = dict(kafka_settings(runtime, packaged_rules()).values)
    assert found.pop("bootstrap.servers") == "b:9092"
    return found


def test_addresses_alone_mean_a_plain_connection() -> None:
    assert values() == {"security.protocol": "plaintext"}


def test_keys_without_a_value_and_addresses_for_others_are_left_out() -> None:
    assert values(
        sasl_username=None, ssl_ca_location="", security_protocol=None, bootstrap_servers_internal="inner:1"
    ) == {"security.protocol": "plaintext"}


def test_every_key_is_handed_on(tmp_path: Path) -> None:
    file = tmp_path / "some.pem"
    file.touch()
    kafka = {
        "security_protocol": "Sasl_Plaintext",
        "sasl_mechanism": "SCRAM-SHA-256",
        "sasl_username": "me",
        "sasl_password": "planted",
        "ssl_ca_location": str(file),
        "ssl_certificate_location": str(file),
        "ssl_key_location": str(file),
        "ssl_key_password": "planted too",
    }

    assert values(**kafka) == {
        "security.protocol": "sasl_plaintext",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": "me",
        "sasl.password": "planted",
        "ssl.ca.location": str(file),
        "ssl.certificate.location": str(file),
        "ssl.key.location": str(file),
        "ssl.key.password": "planted too",
    }


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI"])
def test_a_login_goes_over_tls_unless_another_protocol_is_given(mechanism: str) -> None:
    assert values(sasl_mechanism=mechanism)["security.protocol"] == "sasl_ssl"
    assert (
        values(sasl_mechanism=mechanism, security_protocol="SASL_PLAINTEXT")["security.protocol"]
        == "sasl_plaintext"
    )


@pytest.mark.parametrize("key", ["ssl_ca_location", "ssl_certificate_location"])
def test_certificates_mean_tls(key: str, tmp_path: Path) -> None:
    file = tmp_path / "some.pem"
    file.touch()

    assert values(**{key: str(file)})["security.protocol"] == "ssl"
    assert values(**{key: str(file)}, security_protocol="plaintext")["security.protocol"] == "plaintext"


def test_a_login_by_token_is_not_supported_and_says_so() -> None:
    with pytest.raises(KafkaSettingsError) as caught:
        values(sasl_mechanism="OAUTHBEARER", security_protocol="SASL_SSL")

    assert caught.value.diagnostic().as_dict() == {
        "code": "E545_KAFKA_SETTINGS",
        "message": "OAUTHBEARER is not supported: the project language has no setting for a token",
        "location": "/runtime/kafka/sasl_mechanism",
    }


@pytest.mark.parametrize(
    ("name", "reason"),
    [("/no/such.pem", "No such file or directory"), ("/", "Is a directory"), ("a\0b", "its name is invalid")],
)
def test_a_file_that_cannot_be_read_is_named_by_its_key(name: str, reason: str) -> None:
    with pytest.raises(SslFileError) as caught:
        values(ssl_key_location=name)

    assert caught.value.diagnostic().as_dict() == {
        "code": "E405_SSL_ERROR",
        "message": f"`ssl_key_location` names a file that cannot be read: {reason}",
        "location": "/runtime/kafka/ssl_key_location",
    }


def test_settings_show_nothing() -> None:
    runtime = {"kafka": {"bootstrap_servers": "b:9092", "sasl_password": "planted"}}

    assert "planted" not in repr(kafka_settings(runtime, packaged_rules()))


def test_a_longer_secret_is_struck_out_before_one_that_it_holds() -> None:
    runtime = {
        "kafka": {
            "bootstrap_servers": "b",
            "sasl_password": "secret",
            "ssl_key_password": "secret-of-the-key",
        }
    }

    assert (
        kafka_settings(runtime, packaged_rules()).without_secrets("secret-of-the-key, secret") == "***, ***"
    )
