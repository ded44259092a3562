"""The HTTP transport over TLS: whose certificates count, what is said of others, and where the key goes."""

from __future__ import annotations

import logging
import traceback
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import trustme
from scripted_servers import Script, answer, drip, reset, say, serving, tls_of
from transport_configs import packaged_rules

from streamt_ol.runs.deliveries import DeliveryError
from streamt_ol.runs.settings import HttpSettings, Secret
from streamt_ol.runs.transports import open_transport

LINE = b'{"eventType":"START"}\n'
KEY = "pl4nted-k3y"
NOT_TRUSTED = (
    "the certificate of the server is not valid, not for its name, or of an authority that is not trusted; "
    "ca_file names a private authority"
)
NO_TLS = "no TLS connection to the server came about"
GONE = "the server cannot be reached, or broke the connection off before it answered"
NOW = datetime.now(timezone.utc)


def send(url: str, ca_file: str | None = None, key: str | None = None, timeout: float = 3) -> None:
    secret = None if key is None else Secret(key)
    transport = open_transport(HttpSettings(url, "api", timeout, 1, secret, ca_file), packaged_rules())
    try:
        transport.send(LINE)
    finally:
        transport.close()


def failure(
    url: str, ca_file: str | None = None, key: str | None = None, timeout: float = 3
) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        send(url, ca_file, key, timeout)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    return caught.value


def test_a_private_authority_that_is_named_is_trusted(authority: trustme.CA, ca_file: str) -> None:
    with serving(tls=tls_of(authority, "localhost")) as server:
        send(server.url, ca_file)

    assert server.requests[0].body == LINE


def test_the_key_is_sent_as_a_bearer_token_and_only_inside_tls(authority: trustme.CA, ca_file: str) -> None:
    with serving(answer(503), answer(200), tls=tls_of(authority, "localhost")) as server:
        send(server.url, ca_file, KEY)

    sent = [
        value for request in server.requests for name, value in request.headers if name == "Authorization"
    ]
    assert sent == [f"Bearer {KEY}", f"Bearer {KEY}"]


def test_a_private_authority_that_nobody_named_is_not_trusted(authority: trustme.CA) -> None:
    with serving(tls=tls_of(authority, "localhost")) as server:
        assert failure(server.url, key=KEY).message == NOT_TRUSTED

    assert (server.requests, server.connections) == ([], 1)


def test_an_authority_that_is_named_is_the_only_one(authority: trustme.CA, ca_file: str) -> None:
    with serving(tls=tls_of(trustme.CA(), "localhost")) as server:
        assert failure(server.url, ca_file).message == NOT_TRUSTED

    assert (server.requests, server.connections) == ([], 1)


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_authorities_of_the_environment_are_not_trusted(
    variable: str, authority: trustme.CA, ca_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, ca_file)
    with serving(tls=tls_of(authority, "localhost")) as server:
        assert failure(server.url).message == NOT_TRUSTED

    assert server.requests == []


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"])
def test_a_wrong_path_in_the_environment_does_no_harm(
    variable: str, authority: trustme.CA, ca_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "/no/such/place")
    with serving(tls=tls_of(authority, "localhost")) as server:
        send(server.url, ca_file)

    assert len(server.requests) == 1


def test_session_keys_are_written_nowhere(
    authority: trustme.CA, ca_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = tls_of(authority, "localhost")
    keys = tmp_path / "keys"
    monkeypatch.setenv("SSLKEYLOGFILE", str(keys))
    with serving(tls=tls) as server:
        send(server.url, ca_file)

    assert len(server.requests) == 1
    assert not keys.exists()


def test_a_certificate_of_another_name_is_refused(authority: trustme.CA, ca_file: str) -> None:
    with serving(tls=tls_of(authority, "lineage.example")) as server:
        assert failure(server.url, ca_file).message == NOT_TRUSTED

    assert (server.requests, server.connections) == ([], 1)


@pytest.mark.parametrize(
    "lifetime",
    [
        {"not_before": NOW - timedelta(days=2), "not_after": NOW - timedelta(days=1)},
        {"not_before": NOW + timedelta(days=1), "not_after": NOW + timedelta(days=2)},
    ],
    ids=["expired", "not-yet"],
)
def test_a_certificate_outside_its_time_is_refused(
    lifetime: dict[str, datetime], authority: trustme.CA, ca_file: str
) -> None:
    with serving(tls=tls_of(authority, "localhost", **lifetime)) as server:
        assert failure(server.url, ca_file).message == NOT_TRUSTED

    assert (server.requests, server.connections) == ([], 1)


@pytest.mark.parametrize(
    "broken",
    [
        say(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        say(b"\x00" * 64),
        say(b"\x15\x03\x03\x00\x02\x02\x28"),
    ],
    ids=["plain-http", "zeros", "alert"],
)
def test_a_server_that_speaks_broken_tls_is_not_asked_again(broken: Script) -> None:
    with serving(at_once=broken) as server:
        assert failure(f"https://127.0.0.1:{server.port}", key=KEY).message == NO_TLS

    assert server.connections == 1


@pytest.mark.parametrize("end", [say(b"", goes_on=False), reset()], ids=["closed", "reset"])
def test_a_handshake_that_is_broken_off_is_tried_again_once(end: Script) -> None:
    with serving(at_once=end) as server:
        assert failure(f"https://127.0.0.1:{server.port}").message == GONE

    assert server.connections == 2


def test_an_answer_inside_tls_that_drips_is_given_up(authority: trustme.CA, ca_file: str) -> None:
    with serving(drip(b"HTTP/1.1 200 OK\r\nX: "), tls=tls_of(authority, "localhost")) as server:
        assert failure(server.url, ca_file, timeout=1).message == "the server did not answer in time"

    assert len(server.requests) == 2


def test_the_key_is_in_no_error_no_traceback_and_no_log(
    authority: trustme.CA, ca_file: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), serving(answer(401), tls=tls_of(authority, "localhost")) as server:
        error = failure(server.url, ca_file, KEY)

    frames = traceback.TracebackException.from_exception(error, capture_locals=True).stack
    of_the_program = [frame for frame in frames if "streamt_ol" in Path(frame.filename).parts]
    told = "".join(traceback.StackSummary.from_list(of_the_program).format())
    assert error.message == "the server answered 401"
    assert "self = <streamt_ol.runs.http_transport.HttpTransport object" in told
    assert KEY not in told + repr(error) + caplog.text
    assert str(server.port) not in error.message + caplog.text
