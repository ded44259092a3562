"""What becomes of requests about topics that fail: class, code and words."""

from __future__ import annotations

import pytest
from checked import packaged_rules
from confluent_kafka import KafkaError

from streamt_ol.deploy.providers.errors import (
    OutcomeUnknownError,
    PreimageMovedError,
    ProviderError,
    RequestRefusedError,
)
from streamt_ol.deploy.providers.topic_facts import Request
from streamt_ol.deploy.providers.topic_failures import TopicFailures
from streamt_ol.services.kafka_settings import KafkaSettings

LOOKING = "Failed while waiting for controller: Local: Timed out"
SENT = "Failed while waiting for response from broker: Local: Timed out"


def failures(*secrets: str) -> TopicFailures:
    return TopicFailures(KafkaSettings({}, secrets), packaged_rules())


def failure(request: Request, code: str, reason: str = "said", *secrets: str):
    return failures(*secrets).of(KafkaError(getattr(KafkaError, code), reason), request, "orders")


@pytest.mark.parametrize(
    ("request_", "code", "reason", "cls", "told"),
    [
        (
            "observe",
            "_TIMED_OUT",
            LOOKING,
            RequestRefusedError,
            ("E406_CONNECTION_REFUSED", f"the brokers of runtime.kafka did not answer: {LOOKING}"),
        ),
        (
            "observe",
            "_TRANSPORT",
            SENT,
            RequestRefusedError,
            ("E406_CONNECTION_REFUSED", f"the brokers of runtime.kafka did not answer: {SENT}"),
        ),
        (
            "alter",
            "_TIMED_OUT",
            LOOKING,
            RequestRefusedError,
            (
                "E406_CONNECTION_REFUSED",
                f"no broker of runtime.kafka took the request to alter topic 'orders': {LOOKING}",
            ),
        ),
        (
            "create",
            "TOPIC_ALREADY_EXISTS",
            "said",
            PreimageMovedError,
            ("E407_DEPLOY_ERROR", "there is a topic 'orders' by now, and was none when this was planned"),
        ),
        (
            "extend",
            "UNKNOWN_TOPIC_OR_PART",
            "said",
            PreimageMovedError,
            ("E407_DEPLOY_ERROR", "there is no topic 'orders' any more, and was one when this was planned"),
        ),
        (
            "observe",
            "TOPIC_AUTHORIZATION_FAILED",
            "said",
            RequestRefusedError,
            ("E541_TOPIC_FORBIDDEN", "the user of runtime.kafka may not see topic 'orders'"),
        ),
        (
            "observe",
            "LEADER_NOT_AVAILABLE",
            "said",
            RequestRefusedError,
            ("E546_BROKER_ERROR", "the broker does not show topic 'orders': said (LEADER_NOT_AVAILABLE)"),
        ),
        (
            "delete",
            "TOPIC_DELETION_DISABLED",
            "said",
            RequestRefusedError,
            (
                "E407_DEPLOY_ERROR",
                "the broker does not delete topic 'orders': said (TOPIC_DELETION_DISABLED)",
            ),
        ),
        (
            "alter",
            "_UNSUPPORTED_FEATURE",
            "said",
            RequestRefusedError,
            ("E407_DEPLOY_ERROR", "the broker does not alter topic 'orders': said (_UNSUPPORTED_FEATURE)"),
        ),
    ],
)
def test_each_failure_has_the_code_and_the_words_of_its_cause(
    request_: Request, code: str, reason: str, cls: type, told: tuple[str, str]
) -> None:
    error = failure(request_, code, reason)

    assert (type(error), (error.code, error.message)) == (cls, told)


@pytest.mark.parametrize("client", ["Failed while {}: Local: Timed out", "Timed out {}"])
@pytest.mark.parametrize(
    "waiting",
    [
        "initializing",
        "constructing request",
        "waiting for broker",
        "waiting for controller",
        "waiting for a valid list of brokers to be available",
    ],
)
def test_a_request_that_the_client_gave_to_nobody_has_changed_nothing(client: str, waiting: str) -> None:
    reason = client.format(waiting)
    error = failure("create", "_TIMED_OUT", reason)

    assert (type(error), error.code, error.message) == (
        RequestRefusedError,
        "E406_CONNECTION_REFUSED",
        f"no broker of runtime.kafka took the request to create topic 'orders': {reason}",
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("_TIMED_OUT", SENT),
        ("_TIMED_OUT", "Timed out waiting for response from broker"),
        ("_TIMED_OUT", "Timed out waiting for fanouts"),
        ("_TRANSPORT", "Failed while waiting for response from broker: Local: Broker transport failure"),
        ("_BAD_MSG", "CreateTopics response protocol parse failure: Local: Bad message format"),
        ("REQUEST_TIMED_OUT", "said"),
        ("NETWORK_EXCEPTION", "said"),
        ("UNKNOWN", "said"),
    ],
)
@pytest.mark.parametrize("request_", ["create", "extend", "alter", "delete"])
def test_a_change_that_may_have_been_carried_out_is_told_as_that(
    request_: Request, code: str, reason: str
) -> None:
    error = failure(request_, code, reason)

    assert (type(error), error.code, error.message) == (
        OutcomeUnknownError,
        "E407_DEPLOY_ERROR",
        f"it is not known what became of the request to {request_} topic 'orders': {reason}",
    )


def test_an_unknown_outcome_is_no_failure_of_a_provider() -> None:
    assert not issubclass(OutcomeUnknownError, ProviderError)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("login as planted-user failed", "login as ***-user failed"),
        ("[me:other@b:9092]:9092/bootstrap: unknown", "[***@b:9092]:9092/bootstrap: unknown"),
        ("password=other", "password=***"),
    ],
)
def test_a_reason_is_told_without_secrets(said: str, told: str) -> None:
    error = failure("alter", "INVALID_CONFIG", said, "planted")

    assert error.message == f"the broker does not alter topic 'orders': {told} (INVALID_CONFIG)"
    assert "planted" not in repr(error)


def test_what_brokers_do_not_answer_is_told_with_the_place_of_their_settings() -> None:
    assert failure("observe", "_TIMED_OUT", LOOKING).location == "/runtime/kafka"
