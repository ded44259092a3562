"""Registries that refuse, fail, hang, break off and babble: nothing is registered twice, and no secret is told."""

from __future__ import annotations

import base64
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from http_stand_in import Does, Fault, Handler, answers, drips, hangs, hangs_up, never_ends, tell
from registry_stand_in import RegistryStandIn, registry_stand_in
from schema_plans import ORDERS, V1, V2, provider_of, registration, surface, wanted
from scripted_servers import refusing, tls_of, write_pem

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, RequestRefusedError
from streamt_ol.ground.errors import StreamtError

LATEST = f"/subjects/{ORDERS}/versions/latest"
VERSIONS = f"/subjects/{ORDERS}/versions"
PASSWORD = "planted-p@ss/word"


@pytest.fixture
def registry() -> Iterator[RegistryStandIn]:
    with registry_stand_in() as stand_in:
        yield stand_in


def refused(registry: RegistryStandIn, seconds: float = 20, **settings: str) -> StreamtError:
    """Return the error of a registration; no secret is in it."""
    with pytest.raises(StreamtError) as caught:
        provider_of(registry.url, seconds, **settings).execute(registration(V1))
    told = repr(caught.value) + str(caught.value.diagnostic()) + str(caught.value)
    assert "planted" not in told
    assert caught.value.__cause__ is None
    return caught.value


def unseen(registry: RegistryStandIn, seconds: float = 20, **settings: str) -> RequestRefusedError:
    """Return the error of a look at what is there."""
    with pytest.raises(RequestRefusedError) as caught:
        provider_of(registry.url, seconds, **settings).observe([wanted(V1)])
    assert "planted" not in repr(caught.value) + str(caught.value.diagnostic())
    return caught.value


# questions


@pytest.mark.parametrize(
    ("status", "body", "code", "words"),
    [
        (401, b'{"error_code": 401, "message": "Unauthorized"}', "E404_AUTH_FAILED", "Unauthorized"),
        (403, b'{"error_code": 40301, "message": "denied"}', "E404_AUTH_FAILED", "denied"),
        (404, b"<html>nothing here</html>", "E548_SERVICE_ANSWER", "it answers with status 404"),
        (404, b'{"error_code": 404, "message": "HTTP 404 Not Found"}', "E548_SERVICE_ANSWER", "HTTP 404 Not Found"),
        (406, b"", "E548_SERVICE_ANSWER", "it answers with status 406"),
        (422, b'{"error_code": 42202, "message": "no version"}', "E548_SERVICE_ANSWER", "no version"),
        (307, b"", "E548_SERVICE_ANSWER", "it answers with status 307"),
    ],
)  # fmt: skip
def test_a_refused_question_is_told_in_its_words(
    registry: RegistryStandIn, status: int, body: bytes, code: str, words: str
) -> None:
    registry.faults[f"GET {LATEST}"] = Fault(answers(status, body), times=9)

    error = unseen(registry)

    assert (error.code, error.location) == (code, "/runtime/schema_registry")
    assert error.message.endswith(f": {words}")
    assert len(registry.requests) == 1


def test_what_another_server_does_not_know_is_not_absent() -> None:
    with registry_stand_in() as other:
        error = unseen(RegistryStandIn(f"{other.url}/no/registry"))

    assert error.message == f"the Schema Registry does not tell of schema '{ORDERS}': HTTP 404 Not Found"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_question_is_asked_again_where_the_fault_may_pass(registry: RegistryStandIn, status: int) -> None:
    registry.put(ORDERS, V1)
    registry.faults[f"GET {LATEST}"] = Fault(answers(status), times=1)

    assert provider_of(registry.url).observe([wanted(V1)])[ORDERS].surface == surface(V1)
    assert len(registry.requests) == 2


def test_a_fault_that_does_not_pass_is_told(registry: RegistryStandIn) -> None:
    body = b'{"error_code": 50001, "message": "Error in the backend data store"}'
    registry.faults[f"GET {LATEST}"] = Fault(answers(500, body), times=9)

    assert unseen(registry).message == (
        f"the Schema Registry does not tell of schema '{ORDERS}': Error in the backend data store"
    )
    assert len(registry.requests) == 3


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"planted",
        b"[]",
        b"7",
        b"{}",
        b'{"schema": 1, "version": 1, "id": 1}',
        b'{"schema": "", "version": "1", "id": 1}',
        b'{"schema": "", "version": true, "id": 1}',
        b'{"schema": "", "version": 1, "version": 2, "id": 1}',
        b'{"schema": "", "version": 1, "id": 1, "schemaType": 7}',
        b'{"schema": "", "version": 1, "id": 1, "references": 1}',
        b'{"schema": "", "version": 1, "id": 1, "references": [{"name": "planted"}]}',
        b'{"schema": "", "version": 1, "id": 1, "references": [{"name": "", "subject": "", "version": "x"}]}',
        b"[" * 100_000,
        b"\xff",
    ],
    ids=lambda body: str(body)[:60],
)
def test_an_answer_that_is_no_version_is_not_shown(registry: RegistryStandIn, body: bytes) -> None:
    registry.faults[f"GET {LATEST}"] = Fault(answers(200, body))

    error = unseen(registry)

    assert error.code == "E548_SERVICE_ANSWER"
    assert error.message == (
        f"the Schema Registry does not tell of schema '{ORDERS}': the answer cannot be read"
    )


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"is_compatible": "true"}', b'{"is_compatible": 1}'])
def test_a_judgement_that_is_none_is_an_error(registry: RegistryStandIn, body: bytes) -> None:
    registry.put(ORDERS, V1)
    registry.faults[f"POST /compatibility{VERSIONS}"] = Fault(answers(200, body))

    with pytest.raises(RequestRefusedError) as caught:
        provider_of(registry.url).observe([wanted(V2)])

    assert caught.value.code == "E548_SERVICE_ANSWER"


def test_a_registry_without_any_judgement_is_an_error(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)
    for path in (f"/compatibility{VERSIONS}", f"/compatibility{VERSIONS}/latest"):
        registry.faults[f"POST {path}"] = Fault(answers(405))

    with pytest.raises(RequestRefusedError) as caught:
        provider_of(registry.url).observe([wanted(V2)])

    assert caught.value.code == "E548_SERVICE_ANSWER"


def test_an_answer_without_end_is_read_up_to_a_bound(registry: RegistryStandIn) -> None:
    registry.faults[f"GET {LATEST}"] = Fault(never_ends)

    assert unseen(registry).code == "E548_SERVICE_ANSWER"


def test_no_redirect_is_followed(registry: RegistryStandIn) -> None:
    registry.faults[f"GET {LATEST}"] = Fault(answers(307, Location="/elsewhere"))

    assert unseen(registry).code == "E548_SERVICE_ANSWER"
    assert [request.path for request in registry.requests] == [LATEST]


@pytest.mark.parametrize("fault", [hangs, drips], ids=["hangs", "drips"])
def test_a_question_ends_with_its_time(registry: RegistryStandIn, fault: Does) -> None:
    registry.faults[f"GET {LATEST}"] = Fault(fault, times=9)

    error = unseen(registry, seconds=0.3)

    assert (error.code, error.message) == (
        "E406_CONNECTION_REFUSED",
        f"the Schema Registry at {registry.url.removeprefix('http://')} does not answer about schema "
        f"'{ORDERS}': no answer came in time",
    )


def test_a_registry_that_nobody_listens_for_is_told_without_its_login() -> None:
    address = f"127.0.0.1:{refusing()}"
    error = unseen(RegistryStandIn(f"http://user:planted@{address}"))

    assert (error.code, error.message) == (
        "E406_CONNECTION_REFUSED",
        f"the Schema Registry at {address} cannot be connected to, so schema '{ORDERS}' was not shown: "
        "the connection was refused",
    )


def test_a_runtime_without_a_registry_says_where_to_set_it() -> None:
    from checked import packaged_rules

    from streamt_ol.deploy.providers.schema_registry.provider import RegistrySchemas

    with pytest.raises(RequestRefusedError) as caught:
        RegistrySchemas({}, packaged_rules()).observe([wanted(V1)])

    assert caught.value.diagnostic().as_dict() == {
        "code": "E208_MISSING_CONFIG",
        "message": f"schema '{ORDERS}' needs the Schema Registry, and the runtime does not say where it is",
        "location": "/runtime/schema_registry",
        "suggestion": "set its address at /runtime/schema_registry",
    }


# registrations


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (401, "E404_AUTH_FAILED", "the Schema Registry refuses the login (401): denied"),
        (403, "E404_AUTH_FAILED", f"the Schema Registry forbids its user to have schema '{ORDERS}' registered (403): denied"),
        (404, "E407_DEPLOY_ERROR", f"the Schema Registry refuses to have schema '{ORDERS}' registered: denied"),
        (409, "E402_SCHEMA_INCOMPATIBLE", f"the Schema Registry finds the schema incompatible with what is registered for subject '{ORDERS}': denied"),
        (422, "E407_DEPLOY_ERROR", f"the Schema Registry refuses to have schema '{ORDERS}' registered: denied"),
        (429, "E407_DEPLOY_ERROR", f"the Schema Registry refuses to have schema '{ORDERS}' registered: denied"),
        (307, "E407_DEPLOY_ERROR", f"the Schema Registry refuses to have schema '{ORDERS}' registered: denied"),
    ],
)  # fmt: skip
def test_a_refused_registration_is_sent_once_and_told(
    registry: RegistryStandIn, status: int, code: str, message: str
) -> None:
    registry.faults[f"POST {VERSIONS}"] = Fault(answers(status, b'{"message": "denied"}'), times=9)

    error = refused(registry)

    assert (type(error), error.code, error.message) == (RequestRefusedError, code, message)
    assert len(registry.sent("POST", VERSIONS)) == 1
    assert registry.texts(ORDERS) == []


LOST = {
    "a failure": answers(500, b'{"error_code": 50002, "message": "timed out"}'),
    "a gateway's failure": answers(502, b"<html>planted</html>"),
    "nothing in time": hangs,
    "a drip": drips,
    "a connection that breaks off": hangs_up,
}


def happened(registry: RegistryStandIn) -> bool:
    """Return whether the registration met its fault."""
    return registry.faults[f"POST {VERSIONS}"].times == 0


@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
def test_a_registration_done_and_not_answered_is_found(registry: RegistryStandIn, fault: Does) -> None:
    registry.faults[f"POST {VERSIONS}"] = Fault(fault, carried_out=True)

    provider_of(registry.url, seconds=2).execute(registration(V1))

    assert happened(registry)
    assert len(registry.texts(ORDERS)) == 1
    assert len(registry.sent("POST", VERSIONS)) == 1


@pytest.mark.parametrize("body", [b"", b"planted", b"[]", b'{"id": "1"}', b"{}"])
def test_a_registration_with_a_broken_answer_is_found(registry: RegistryStandIn, body: bytes) -> None:
    registry.faults[f"POST {VERSIONS}"] = Fault(answers(200, body), carried_out=True)

    provider_of(registry.url).execute(registration(V1))

    assert happened(registry)
    assert len(registry.sent("POST", VERSIONS)) == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("nothing in time", "no answer came in time"),
        ("a drip", "no answer came in time"),
        ("a connection that breaks off", "the connection broke off"),
    ],
)
def test_a_registration_neither_answered_nor_seen(registry: RegistryStandIn, words: str, reason: str) -> None:
    registry.faults[f"POST {VERSIONS}"] = Fault(LOST[words])

    error = refused(registry, seconds=2)

    assert (type(error), error.code) == (OutcomeUnknownError, "E407_DEPLOY_ERROR")
    assert error.message == (
        f"it is not known whether schema '{ORDERS}' was registered by the Schema Registry: {reason}"
    )
    assert len(registry.sent("POST", VERSIONS)) == 1


def test_a_registration_that_changed_nothing_is_refused(
    registry: RegistryStandIn,
) -> None:
    body = b'{"error_code": 50003, "message": "Error while forwarding the request to the primary"}'
    registry.faults[f"POST {VERSIONS}"] = Fault(answers(500, body), times=9)

    error = refused(registry)

    assert type(error) is RequestRefusedError
    assert error.message.endswith("Error while forwarding the request to the primary")
    assert len(registry.sent("POST", VERSIONS)) == 1


def test_something_else_after_a_registration_is_a_doubt(registry: RegistryStandIn) -> None:
    def another(handler: Handler) -> None:
        registry.put(ORDERS, V2)
        tell(handler, 500, b"")

    registry.faults[f"POST {VERSIONS}"] = Fault(another)

    assert type(refused(registry)) is OutcomeUnknownError


def test_a_failure_that_nobody_can_look_after_is_a_doubt(registry: RegistryStandIn) -> None:
    def going(handler: Handler) -> None:
        registry.faults[f"GET {LATEST}"] = Fault(answers(403), times=9)
        tell(handler, 500, b"")

    registry.faults[f"POST {VERSIONS}"] = Fault(going, carried_out=True)

    assert type(refused(registry)) is OutcomeUnknownError


def test_a_success_that_nobody_can_look_after_is_a_doubt(registry: RegistryStandIn) -> None:
    def going(handler: Handler) -> None:
        registry.faults[f"GET {LATEST}"] = Fault(answers(403, b'{"message": "denied"}'), times=9)
        tell(handler, 200, b'{"id": 1}')

    registry.faults[f"POST {VERSIONS}"] = Fault(going, carried_out=True)

    error = refused(registry)

    assert type(error) is OutcomeUnknownError
    assert error.message.endswith("forbids its user to have schema 'orders-value' shown (403): denied")


@pytest.mark.parametrize("code", [409, 40401, 42201])
def test_a_failure_is_one_whatever_code_it_gives(registry: RegistryStandIn, code: int) -> None:
    body = json.dumps({"error_code": code, "message": "planted or not"}).encode()
    registry.faults[f"POST {VERSIONS}"] = Fault(answers(500, body), carried_out=True)

    provider_of(registry.url).execute(registration(V1))

    assert happened(registry)
    assert len(registry.sent("POST", VERSIONS)) == 1


# taking back


@pytest.mark.parametrize("carried_out", [True, False])
def test_a_deletion_may_be_sent_again(registry: RegistryStandIn, *, carried_out: bool) -> None:
    provider, action = provider_of(registry.url), registration(V1)
    provider.execute(action)
    registry.faults[f"DELETE /subjects/{ORDERS}"] = Fault(answers(503), carried_out=carried_out)

    assert provider.undo(action) is True
    assert registry.subjects.names() == []
    assert len(registry.sent("DELETE")) == 2


def test_a_deletion_that_is_refused_is_told(registry: RegistryStandIn) -> None:
    provider, action = provider_of(registry.url), registration(V1)
    provider.execute(action)
    registry.forbidden[f"DELETE /subjects/{ORDERS}"] = "User is denied operation Delete"

    with pytest.raises(RequestRefusedError) as caught:
        provider.undo(action)

    assert (caught.value.code, caught.value.message) == (
        "E404_AUTH_FAILED",
        f"the Schema Registry forbids its user to have schema '{ORDERS}' deleted (403): "
        "User is denied operation Delete",
    )


def test_a_deletion_that_is_refused_at_last_may_have_been_done_before(registry: RegistryStandIn) -> None:
    def then_refusing(handler: Handler) -> None:
        registry.forbidden[f"DELETE /subjects/{ORDERS}"] = "no more"
        tell(handler, 503, b"")

    provider, action = provider_of(registry.url), registration(V1)
    provider.execute(action)
    registry.faults[f"DELETE /subjects/{ORDERS}"] = Fault(then_refusing, carried_out=True)

    assert provider.undo(action) is True
    assert registry.subjects.names() == []


def test_a_deletion_answered_and_not_done_is_a_doubt(registry: RegistryStandIn) -> None:
    provider, action = provider_of(registry.url), registration(V1)
    provider.execute(action)
    registry.faults[f"DELETE /subjects/{ORDERS}"] = Fault(answers(200, b"[1]"))

    with pytest.raises(OutcomeUnknownError, match="deleted by the Schema Registry: it is there still"):
        provider.undo(action)


def test_a_deletion_that_never_succeeds_and_left_everything_as_it_was_is_refused(
    registry: RegistryStandIn,
) -> None:
    provider, action = provider_of(registry.url), registration(V1)
    provider.execute(action)
    registry.faults[f"DELETE /subjects/{ORDERS}"] = Fault(answers(500), times=9)

    with pytest.raises(RequestRefusedError):
        provider.undo(action)

    assert len(registry.sent("DELETE")) == 3


# logins and TLS


@pytest.mark.parametrize("inside", [True, False], ids=["in the address", "as settings"])
def test_user_and_password_log_in_to_every_request(registry: RegistryStandIn, *, inside: bool) -> None:
    registry.login = f"user:{PASSWORD}"
    address = registry.url.replace("//", "//user:planted-p%40ss%2Fword@")
    provider = (
        provider_of(address) if inside else provider_of(registry.url, username="user", password=PASSWORD)
    )

    action = registration(V1)
    provider.execute(action)
    provider.observe([wanted(V2)])
    provider.undo(action)

    assert len(registry.headers) > 8
    assert all("planted" not in request.path for request in registry.requests)


def test_a_wrong_password_is_refused_and_not_told(
    registry: RegistryStandIn, caplog: pytest.LogCaptureFixture
) -> None:
    registry.login = "user:right"

    with caplog.at_level(logging.DEBUG):
        error = unseen(registry, username="user", password=PASSWORD)

    assert (error.code, error.message) == (
        "E404_AUTH_FAILED",
        "the Schema Registry refuses the login (401): Unauthorized",
    )
    assert "planted" not in caplog.text
    assert base64.b64encode(f"user:{PASSWORD}".encode()).decode() not in caplog.text


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_secret_that_the_registry_quotes_is_struck_out(registry: RegistryStandIn, method: str) -> None:
    quoted = json.dumps({"message": f"no {PASSWORD} here, token=planted-too"}).encode()
    place = f"GET {LATEST}" if method == "GET" else f"POST {VERSIONS}"
    registry.faults[place] = Fault(answers(422, quoted))

    assert refused(registry, password=PASSWORD, username="user").message.endswith("no *** here, token=***")


def test_long_words_of_a_registry_are_cut(registry: RegistryStandIn) -> None:
    body = json.dumps({"message": "very " * 10_000}).encode()
    registry.faults[f"POST {VERSIONS}"] = Fault(answers(422, body))

    assert len(refused(registry).message) < 650


def test_a_registry_of_a_private_authority_takes_a_client_with_a_certificate(
    authority: trustme.CA, ca_file: str, tmp_path: Path
) -> None:
    client = authority.issue_cert("client@example.com")
    with registry_stand_in(tls_of(authority, "127.0.0.1", clients=authority)) as registry:
        provider_of(
            registry.url,
            ssl_ca_location=ca_file,
            ssl_certificate_location=write_pem(tmp_path, "client.pem", *client.cert_chain_pems),
            ssl_key_location=write_pem(tmp_path, "key.pem", client.private_key_pem),
        ).execute(registration(V1))

        assert len(registry.texts(ORDERS)) == 1


def test_a_registry_of_an_unknown_authority_is_sent_nothing(authority: trustme.CA) -> None:
    with registry_stand_in(tls_of(authority, "127.0.0.1")) as registry:
        error = unseen(registry)

        assert (error.code, error.message) == (
            "E405_SSL_ERROR",
            f"no TLS connection to the Schema Registry at {registry.url.removeprefix('https://')} came about, "
            f"so schema '{ORDERS}' was not shown: its certificate is signed by nobody who is trusted here",
        )
        assert registry.requests == []


def test_a_client_without_the_certificate_that_is_asked_for_is_refused(
    authority: trustme.CA, ca_file: str
) -> None:
    with registry_stand_in(tls_of(authority, "127.0.0.1", clients=authority)) as registry:
        error = unseen(registry, ssl_ca_location=ca_file)

        assert error.code == "E406_CONNECTION_REFUSED"  # in TLS 1.3 it learns of it when it reads
        assert registry.requests == []


def test_a_file_that_cannot_be_used_is_told_before_anything_is_asked(registry: RegistryStandIn) -> None:
    error = unseen(registry, ssl_ca_location="/no/such/file.pem")

    assert (error.code, error.message) == (
        "E405_SSL_ERROR",
        "the certificate or key that /runtime/schema_registry/ssl_ca_location names cannot be used "
        "for the Schema Registry",
    )
    assert registry.requests == []


def test_two_registrations_at_once_make_one_version(registry: RegistryStandIn) -> None:
    failures: list[BaseException] = []

    def register() -> None:
        try:
            provider_of(registry.url).execute(registration(V1))
        except StreamtError as error:
            failures.append(error)

    threads = [threading.Thread(target=register) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert registry.subjects.registered == 1
    assert all("there is version 1 by now" in str(error) for error in failures)
