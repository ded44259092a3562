"""Schemas from a registry over a real connection: bounded, trusting nobody, silent about secrets."""

from __future__ import annotations

import base64
import json
import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from checked import packaged_rules
from http_stand_in import Handler, answers, never_ends
from registry_stand_in import RegistryStandIn, registry_stand_in
from scripted_servers import tls_of, write_pem

from streamt_ol.checks.registry import RegisteredSchema, Registry
from streamt_ol.checks.sampling_errors import (
    RegistryAnswerError,
    RegistryLoginError,
    RegistryTlsError,
    RegistryUnreachableError,
)
from streamt_ol.services.deadlines import Deadline
from streamt_ol.services.errors import ServiceError, SslFileError

SCHEMA = RegisteredSchema("AVRO", '"string"', ())


@pytest.fixture
def served() -> Iterator[RegistryStandIn]:
    with registry_stand_in() as stand_in:
        stand_in.register(1, '"string"')
        yield stand_in


def ask(url: str, number: int = 1, seconds: float = 30, **settings: Any) -> RegisteredSchema:
    registry = Registry({"url": url, **settings}, packaged_rules())
    return registry.schema(number, Deadline(seconds))


def refused(url: str, seconds: float = 30, **settings: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        ask(url, seconds=seconds, **settings)
    assert "planted" not in repr(caught.value) + str(caught.value.diagnostic())
    assert caught.value.__cause__ is None
    return caught.value


def test_a_schema_without_a_type_is_one_of_avro(served: RegistryStandIn) -> None:
    assert ask(served.url) == SCHEMA


def test_a_path_of_the_address_stays_in_front(served: RegistryStandIn) -> None:
    served.answers["/behind/a%20gate/schemas/ids/1"] = served.answers.pop("/schemas/ids/1")

    assert ask(f"{served.url}/behind/a%20gate/") == SCHEMA


@pytest.mark.parametrize("inside", [True, False], ids=["in the address", "as settings"])
def test_user_and_password_log_in(served: RegistryStandIn, *, inside: bool) -> None:
    if inside:
        ask(served.url.replace("//", "//user:planted-p%40ss@"))
    else:
        ask(served.url, username="user", password="planted-p@ss")

    sent = served.headers[0]["Authorization"]
    assert base64.b64decode(sent.removeprefix("Basic ")) == b"user:planted-p@ss"


def test_nobody_logs_in_without_being_told_to(
    served: RegistryStandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login user password planted\n", "utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")

    assert ask(served.url) == SCHEMA
    assert "Authorization" not in served.headers[0]


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_login_is_an_error_of_its_own(served: RegistryStandIn, status: int) -> None:
    served.answers["/schemas/ids/1"] = (status, b'{"message": "planted"}')

    error = refused(served.url, username="user", password="planted-secret")

    assert error.diagnostic().as_dict() == {
        "code": "E404_AUTH_FAILED",
        "message": f"the registry refuses the login with status {status}",
        "location": "/runtime/schema_registry",
    }
    assert isinstance(error, RegistryLoginError)


@pytest.mark.parametrize("status", [204, 301, 302, 307, 429, 500, 503])
def test_any_other_status_is_told(served: RegistryStandIn, status: int) -> None:
    served.answers["/schemas/ids/1"] = (status, b"")

    error = refused(served.url)

    assert (type(error), error.code) == (RegistryAnswerError, "E544_SCHEMA_REGISTRY")
    assert error.message == f"the registry answers with status {status}"


def test_no_redirect_is_followed(served: RegistryStandIn) -> None:
    served.register(2, '"long"')

    served.answers["/schemas/ids/1"] = answers(302, Location="/schemas/ids/2")

    refused(served.url)

    assert served.asked == ["/schemas/ids/1"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"planted",
        b"[]",
        b"{}",
        b'{"schema": 1}',
        b'{"schema": null}',
        b'{"schema": "", "references": 1}',
        b'{"schema": "", "references": [{}]}',
        b'{"schema": "", "references": [{"subject": "a", "version": "planted"}]}',
        b"[" * 100_000,
        b"\xff",
    ],
    ids=lambda body: str(body)[:40],
)
def test_an_answer_that_is_no_schema_is_an_error_and_not_shown(served: RegistryStandIn, body: bytes) -> None:
    served.answers["/schemas/ids/1"] = (200, body)

    assert refused(served.url).message == "what the registry answers about schema 1 is no schema"


def test_an_answer_is_read_up_to_a_bound(served: RegistryStandIn) -> None:
    longest = 4_194_304
    served.register(1, "x" * (longest - len(json.dumps({"schema": ""}))))
    assert len(ask(served.url).text) == longest - 14

    served.register(1, "x" * longest)

    assert refused(served.url).message == "an answer is longer than 4194304 bytes"


def test_an_answer_that_never_ends_is_not_read_to_its_end(served: RegistryStandIn) -> None:
    served.answers["/schemas/ids/1"] = never_ends

    assert refused(served.url).message == "an answer is longer than 4194304 bytes"


@pytest.mark.parametrize("part", ["head", "body"])
def test_an_answer_that_drips_ends_with_its_time(served: RegistryStandIn, part: str) -> None:
    done = threading.Event()

    def drip(handler: Handler) -> None:
        if part == "body":
            handler.send_response(200)
            handler.send_header("Content-Length", "1000000")
            handler.end_headers()
        try:
            while not done.wait(0.05):
                handler.wfile.write(b"H")
        except OSError:
            pass
        handler.close_connection = True

    served.answers["/schemas/ids/1"] = drip
    try:
        error = refused(served.url, seconds=0.5)
    finally:
        done.set()

    assert (type(error), error.message) == (
        RegistryUnreachableError,
        f"the registry at {served.url.removeprefix('http://')} does not answer: no answer came in time",
    )


def test_a_registry_that_nobody_listens_for_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    error = refused(f"http://user:planted@127.0.0.1:{port}")

    assert (type(error), error.code) == (RegistryUnreachableError, "E544_SCHEMA_REGISTRY")
    assert (
        error.message
        == f"the registry at 127.0.0.1:{port} cannot be connected to: the connection was refused"
    )


def test_something_that_does_not_speak_http_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def babble() -> None:
            connection, _peer = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"planted planted\r\n\r\n")

        thread = threading.Thread(target=babble)
        thread.start()
        port = listening.getsockname()[1]
        error = refused(f"http://127.0.0.1:{port}")
        thread.join(10)

    assert (type(error), error.message) == (
        RegistryAnswerError,
        f"the registry at 127.0.0.1:{port} does not answer: the answer is no HTTP",
    )


def test_a_registry_of_a_private_authority_is_read(
    authority: trustme.CA, ca_file: str, tmp_path: Path
) -> None:
    client = authority.issue_cert("client@example.com")
    certificate = write_pem(tmp_path, "client.pem", *client.cert_chain_pems)
    key = write_pem(tmp_path, "key.pem", client.private_key_pem)
    with registry_stand_in(tls_of(authority, "127.0.0.1", clients=authority)) as stand_in:
        stand_in.register(1, '"string"')

        told = ask(
            stand_in.url,
            ssl_ca_location=ca_file,
            ssl_certificate_location=certificate,
            ssl_key_location=key,
        )

    assert told == SCHEMA


def test_a_registry_of_an_unknown_authority_is_refused(authority: trustme.CA) -> None:
    with registry_stand_in(tls_of(authority, "127.0.0.1")) as stand_in:
        error = refused(stand_in.url)

    assert (type(error), error.code) == (RegistryTlsError, "E405_SSL_ERROR")
    assert error.message == (
        f"no TLS connection to the registry at {stand_in.url.removeprefix('https://')} came about: "
        "its certificate is signed by nobody who is trusted here"
    )


@pytest.mark.parametrize("key", ["ssl_ca_location", "ssl_certificate_location", "ssl_key_location"])
def test_a_file_that_is_missing_is_named_by_its_key(key: str) -> None:
    error = refused("https://127.0.0.1:1", **{key: "/no/such/file.pem"})

    assert error.diagnostic().as_dict() == {
        "code": "E405_SSL_ERROR",
        "message": f"`{key}` names a file that cannot be read: No such file or directory",
        "location": f"/runtime/schema_registry/{key}",
    }
    assert isinstance(error, SslFileError)


@pytest.mark.parametrize("key", ["ssl_ca_location", "ssl_certificate_location"])
def test_a_file_that_holds_nothing_of_use_is_named_by_its_key(key: str, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.pem"
    nothing.write_text("planted", "utf-8")

    error = refused("https://127.0.0.1:1", **{key: str(nothing)})

    assert (type(error), error.message) == (SslFileError, f"`{key}` names a file that cannot be used")


def test_nothing_of_a_login_is_logged(served: RegistryStandIn, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        ask(served.url, username="user", password="planted-secret")

    encoded = base64.b64encode(b"user:planted-secret").decode()
    assert "planted" not in caplog.text
    assert encoded not in caplog.text
