"""What errors of the Kafka client mean: when they end a sample, under which code, and what is said."""

from __future__ import annotations

import pytest
from checked import packaged_rules
from confluent_kafka import KafkaError

from streamt_ol.services.errors import BROKER_ERRORS, BrokerError, BrokerUnreachableError, TlsRefusedError
from streamt_ol.services.kafka_settings import KafkaSettings
from streamt_ol.services.kafka_troubles import Troubles

IMPATIENT = 0.0


def troubles(*secrets: str, patience: float | None = None) -> Troubles:
    made = Troubles(KafkaSettings({}, secrets), packaged_rules())
    made.about("orders")
    if patience is not None:
        made._patience = patience  # noqa: SLF001 - nobody waits in a test
    return made


def client_error(name: str, reason: str = "said") -> KafkaError:
    return KafkaError(getattr(KafkaError, name), reason)


def raised(made: Troubles) -> BrokerError | None:
    try:
        made.check()
    except BrokerError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("code", "reason", "name", "patient"),
    [
        ("_TRANSPORT", "refused", "unreachable", True),
        ("_RESOLVE", "unknown", "unreachable", True),
        ("_BAD_MSG", "no Kafka", "unreachable", True),
        ("_ALL_BROKERS_DOWN", "1/1 brokers are down", "unreachable", True),
        ("_TRANSPORT", "x: SSL handshake failed: Disconnected", "certificate", True),
        ("_TRANSPORT", "x: Disconnected (after 1ms in state SSL_HANDSHAKE)", "certificate", True),
        ("_SSL", "certificate verify failed", "certificate", False),
        ("_INVALID_ARG", "ssl.key.location failed: PEM lib", "certificate", False),
        ("_INVALID_ARG", "no provider", "settings", False),
        ("_AUTHENTICATION", "invalid credentials", "login", False),
        ("SASL_AUTHENTICATION_FAILED", "invalid credentials", "login", False),
        ("UNKNOWN_TOPIC_OR_PART", "unknown", "topic_unknown", False),
        ("TOPIC_EXCEPTION", "invalid", "topic_unknown", False),
        ("TOPIC_AUTHORIZATION_FAILED", "not authorized", "topic_forbidden", False),
        ("LEADER_NOT_AVAILABLE", "election", "other", True),
    ],
    ids=str,
)
def test_each_error_has_a_class_and_ends_a_sample_at_once_or_if_it_stays(
    code: str, reason: str, name: str, *, patient: bool
) -> None:
    patient_one, impatient_one = troubles(patience=60), troubles(patience=IMPATIENT)
    for made in (patient_one, impatient_one):
        made.report(client_error(code, reason))

    assert (raised(patient_one) is None) is patient
    assert type(raised(impatient_one)) is BROKER_ERRORS[name]


def test_a_group_that_may_not_be_used_ends_nothing() -> None:
    made = troubles(patience=IMPATIENT)

    made.report(client_error("GROUP_AUTHORIZATION_FAILED", "not authorized"))

    assert raised(made) is None
    assert made.at_the_end() is None


def test_an_error_that_has_no_code_of_its_own_is_told_by_its_name() -> None:
    error = troubles().failure(client_error("LEADER_NOT_AVAILABLE", "Broker: Leader not available"))

    assert error.diagnostic().as_dict() == {
        "code": "E546_BROKER_ERROR",
        "message": "the broker reports LEADER_NOT_AVAILABLE: Broker: Leader not available",
    }


def test_an_error_that_passes_is_forgotten() -> None:
    made = troubles(patience=IMPATIENT)
    made.report(client_error("_TRANSPORT", "gone"))

    made.heard()

    assert raised(made) is None


def test_an_error_that_says_little_takes_the_place_of_none_that_says_more() -> None:
    made = troubles(patience=IMPATIENT)
    made.report(client_error("_ALL_BROKERS_DOWN", "all are down"))
    made.report(client_error("_TRANSPORT", "first refused"))
    made.report(client_error("_TRANSPORT", "second refused"))
    made.report(client_error("_ALL_BROKERS_DOWN", "all are down"))

    error = raised(made)

    assert isinstance(error, BrokerUnreachableError)
    assert error.message == "no broker of runtime.kafka can be reached: second refused"


def test_a_peer_that_hangs_up_takes_the_place_of_no_reason_for_it() -> None:
    hung_up = "Disconnected: SSL connection closed by peer"
    made = troubles(patience=IMPATIENT)
    made.report(client_error("_TRANSPORT", f"x: SSL handshake failed: {hung_up}: a PLAINTEXT listener?"))
    made.report(client_error("_TRANSPORT", f"x: {hung_up} (after 0ms in state SSL_HANDSHAKE)"))

    error = raised(made)

    assert isinstance(error, TlsRefusedError)
    assert error.message.endswith("a PLAINTEXT listener?")


def test_time_that_goes_by_without_an_answer_is_no_error() -> None:
    made = troubles(patience=IMPATIENT)

    made.unanswered(client_error("_TRANSPORT", "Failed to get metadata"))
    made.unanswered(client_error("_TIMED_OUT", "timed out"))
    assert raised(made) is None

    made.unanswered(client_error("UNKNOWN_TOPIC_OR_PART"))
    assert raised(made) is not None


def test_trouble_with_one_topic_is_none_with_the_next() -> None:
    made = troubles(patience=IMPATIENT)
    made.report(client_error("UNKNOWN_TOPIC_OR_PART"))

    made.about("payments")

    assert raised(made) is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("b:9092: refused (after 12ms in state CONNECT)", "b:9092: refused"),
        ("b: refused (after 2ms in state CONNECT, 3 identical error(s) suppressed)", "b: refused"),
        ("[me:planted@b:9092]:9092/bootstrap: unknown", "[***@b:9092]:9092/bootstrap: unknown"),
        ("login as planted-user failed", "login as ***-user failed"),
        ("password=planted2", "password=***"),
    ],
)
def test_a_reason_is_told_without_secrets_and_without_what_differs_each_time(said: str, told: str) -> None:
    error = troubles("planted").failure(client_error("_TRANSPORT", said))

    assert error.message == f"no broker of runtime.kafka can be reached: {told}"
