"""Why a service over HTTP gave no answer: which machine was asked, the reason, and what helps."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
import trustme
from scripted_servers import PATIENCE, full, hang, refusing, reset, serving, tls_of
from service_bounds import rules_with

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.providers.service import Service
from streamt_ol.deploy.providers.service_records import About
from streamt_ol.services.connection_errors import error_name, said_of
from streamt_ol.services.http_service import HttpService

AT = "/runtime/schema_registry"
ABOUT = About("schema 'x'")
SECONDS = 0.5
LONG_AGO = datetime.now(UTC) - timedelta(days=800)
LONG_HENCE = datetime.now(UTC) + timedelta(days=800)


def told(url: str, **settings: Any) -> tuple[str, str, str | None]:
    """Return code, message and suggestion for a service that gives no answer."""
    rules = rules_with(attempts=1)
    given = {"url": url, "password": "planted-password", **settings}
    service = Service("schema_registry", "the registry", AT, given, rules, seconds=SECONDS)
    with pytest.raises(RequestRefusedError) as caught:
        service.question("subjects", ABOUT)
    error = caught.value
    assert "planted" not in f"{error!r} {error} {error.suggestion}"
    return error.code, error.message, error.suggestion


@contextmanager
def answering_at_once(data: bytes) -> Iterator[int]:
    """Serve one connection that says this whatever it is sent; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(data)
                connection.recv(65536)

        server = Thread(target=serve)
        server.start()
        yield listener.getsockname()[1]
        server.join(PATIENCE)
        assert not server.is_alive()


def test_a_port_where_nobody_listens() -> None:
    address = f"127.0.0.1:{refusing()}"

    assert told(f"http://me:planted@{address}/planted?planted") == (
        "E406_CONNECTION_REFUSED",
        f"the registry at {address} cannot be connected to, so schema 'x' was not shown: "
        "the connection was refused",
        "see whether it is at work, and whether host and port of its address in the runtime are right",
    )


def test_a_name_that_nobody_knows() -> None:
    code, message, suggestion = told("https://registry.invalid")

    assert (code, message) == (
        "E406_CONNECTION_REFUSED",
        "the registry at registry.invalid:443 cannot be connected to, so schema 'x' was not shown: "
        "no address is known for its name",
    )
    assert suggestion is not None
    assert suggestion.startswith("see whether the host of its address in the runtime is right")


def test_a_machine_that_takes_no_connection_in_time() -> None:
    with full() as (host, port):
        _code, message, _suggestion = told(f"http://{host}:{port}")

    assert message.endswith("was not shown: no connection came about in time")


@pytest.mark.parametrize(
    ("options", "reason", "helps"),
    [
        (
            {"not_before": LONG_AGO, "not_after": LONG_AGO + timedelta(days=1)},
            "its certificate has expired",
            "have its certificate renewed, and see whether the clock of this machine is right",
        ),
        (
            {"not_before": LONG_HENCE, "not_after": LONG_HENCE + timedelta(days=1)},
            "its certificate is not valid yet",
            "see whether the clock of this machine is right, and from when on its certificate is valid",
        ),
    ],
    ids=["expired", "early"],
)
def test_a_certificate_out_of_its_time(
    authority: trustme.CA, ca_file: str, options: dict[str, Any], reason: str, helps: str
) -> None:
    with serving(tls=tls_of(authority, "localhost", **options)) as server:
        failed = told(server.url, ssl_ca_location=ca_file)

    address = server.url.removeprefix("https://")
    message = (
        f"no TLS connection to the registry at {address} came about, so schema 'x' was not shown: {reason}"
    )
    assert failed == ("E405_SSL_ERROR", message, helps)


def test_a_certificate_for_another_name(authority: trustme.CA, ca_file: str) -> None:
    with serving(tls=tls_of(authority, "elsewhere.example")) as server:
        code, message, suggestion = told(server.url, ssl_ca_location=ca_file)

    assert code == "E405_SSL_ERROR"
    assert message.endswith("was not shown: its certificate is for another name")
    assert suggestion == (
        "write an address in the runtime that its certificate is for, or have this one put into the certificate"
    )


def test_a_certificate_of_an_authority_that_is_not_trusted() -> None:
    with serving(tls=tls_of(trustme.CA(), "localhost")) as server:
        _code, message, suggestion = told(server.url)

    assert message.endswith("was not shown: its certificate is signed by nobody who is trusted here")
    assert suggestion == "name the certificate of its authority with ssl_ca_location"


def test_a_port_without_tls() -> None:
    with answering_at_once(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        _code, message, suggestion = told(f"https://127.0.0.1:{port}")

    assert message.endswith("was not shown: it does not speak TLS there")
    assert suggestion == (
        "a service without TLS has an address with http:// in the runtime; with TLS it may have another port"
    )


def test_a_version_of_tls_that_is_not_spoken(authority: trustme.CA, ca_file: str) -> None:
    old = tls_of(authority, "localhost")
    old.set_ciphers("AES128-SHA")
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with serving(tls=old) as server:
        _code, message, _suggestion = told(server.url, ssl_ca_location=ca_file)

    assert message.endswith("it has no version or cipher of TLS that is accepted here")


@pytest.mark.parametrize(
    ("script", "reason", "helps"),
    [
        (hang, "no answer came in time", "see whether it is at work, then run the command again"),
        (
            reset(),
            "the connection broke off",
            "see whether it is at work and what its log says, then run the command again",
        ),
    ],
    ids=["late", "reset"],
)
def test_a_question_without_an_answer(script: Any, reason: str, helps: str) -> None:
    with serving(script) as server:
        failed = told(server.url)

    address = server.url.removeprefix("http://")
    message = f"the registry at {address} does not answer about schema 'x': {reason}"
    assert failed == ("E406_CONNECTION_REFUSED", message, helps)


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://registry.example", "registry.example:80"),
        ("https://registry.example/path?query", "registry.example:443"),
        ("http://me:planted@[::1]:8081/", "[::1]:8081"),
        ("http://me:12/planted@registry.example", ""),
        ("http://me:12?planted@registry.example:8081", ""),
        ("no address", ""),
        (None, ""),
    ],
)
def test_an_address_is_shown_as_host_and_port_and_never_a_piece_of_a_login(url: Any, endpoint: str) -> None:
    assert HttpService({"url": url}).endpoint == endpoint


def certificate_error(number: int) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError("planted")
    error.verify_code = number
    return error


def openssl_error(reason: str) -> ssl.SSLError:
    error = ssl.SSLError("planted")
    error.reason = reason
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.EHOSTUNREACH, "planted"), "there is no way to it from here"),
        (OSError(errno.ETIMEDOUT, "planted"), "no connection came about in time"),
        (BrokenPipeError(errno.EPIPE, "planted"), "the connection broke off"),
        (certificate_error(23), "its certificate is revoked"),
        (certificate_error(19), "its certificate is signed by nobody who is trusted here"),
        (certificate_error(99), "the connection failed"),
        (
            openssl_error("TLSV13_ALERT_CERTIFICATE_REQUIRED"),
            "it wants a certificate of this client that it trusts",
        ),
        (openssl_error("SOMETHING_NEW"), "the connection failed"),
        (OSError("planted"), "the connection failed"),
    ],
)
def test_what_has_no_server_here_is_told_by_its_name(error: OSError, reason: str) -> None:
    assert said_of(error_name(error), AT, rules_with()).reason == reason


def test_what_went_wrong_while_tls_was_agreed_on_is_told_as_that() -> None:
    assert said_of("TLS_BROKEN_OFF", AT, rules_with()).reason == (
        "it closed the connection before TLS was agreed on"
    )
    assert said_of("NO_HTTP", AT, rules_with()).reason == "the answer is no HTTP"
