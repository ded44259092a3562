"""The HTTP transport against real servers: what is sent, what counts as delivered, what is tried again."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from scripted_servers import (
    PATIENCE,
    Script,
    answer,
    refusing,
    reset,
    say,
    serving,
    stream,
)
from transport_configs import packaged_rules

from streamt_ol import __version__
from streamt_ol.runs.config_errors import TransportConfigError
from streamt_ol.runs.deliveries import DeliveryError
from streamt_ol.runs.settings import HttpSettings, Secret
from streamt_ol.runs.transports import Transport, open_transport
from streamt_ol.services.http_network import Stream

RULES = packaged_rules()
LINE = '{"eventType":"START","name":"größer"}\n'.encode()
SECRET = "t0p-s3cret"
TRANSIENT = [408, 429, 500, 502, 503, 504]
FINAL = [400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 425, 451, 499, 501, 505, 507, 511, 599]
REDIRECTS = [300, 301, 302, 303, 304, 307, 308]


def transport_to(
    url: str, endpoint: str = "api/v1/lineage", *, timeout: float = 2, retries: int = 0
) -> Transport:
    return open_transport(HttpSettings(url, endpoint, timeout, retries), RULES)


def failure(transport: Transport, line: bytes = LINE) -> str:
    """Return the text of a delivery that fails; nothing is behind it."""
    with pytest.raises(DeliveryError) as caught:
        transport.send(line)
    error = caught.value
    assert (error.code, error.location) == ("W112_OPENLINEAGE_EMIT_FAILED", "openlineage.transport")
    assert (error.__cause__, error.__context__) == (None, None)
    return error.message


# What is sent


def test_a_request_is_the_bytes_of_the_line_and_the_headers_that_are_promised() -> None:
    with serving() as server:
        transport = transport_to(f"{server.url}/base/")
        transport.send(LINE)
        transport.close()

    (request,) = server.requests
    assert request.line == "POST /base/api/v1/lineage HTTP/1.1"
    assert request.body == LINE
    assert request.headers == [
        ("Host", f"127.0.0.1:{server.port}"),
        ("Content-Type", "application/json"),
        ("User-Agent", f"streamt-ol/{__version__}"),
        ("Content-Length", str(len(LINE))),
    ]


def test_nothing_is_contacted_before_the_first_event_and_nothing_by_closing() -> None:
    with serving() as server:
        transport_to(server.url).close()

    assert server.connections == 0


def test_events_are_sent_one_after_the_other_over_one_connection() -> None:
    with serving(answer(201), answer(204), answer(200, b'{"ok":true}')) as server:
        transport = transport_to(server.url)
        for number in range(20):
            transport.send(b"%d\n" % number)
        transport.close()
        assert server.left.wait(PATIENCE)

    assert [request.body for request in server.requests] == [b"%d\n" % number for number in range(20)]
    assert server.connections == 1


def test_a_connection_that_the_server_has_closed_in_between_is_opened_anew() -> None:
    with serving(say(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", goes_on=False)) as server:
        transport = transport_to(server.url)
        transport.send(LINE)
        assert server.hung_up.wait(PATIENCE)
        transport.send(LINE)
        transport.close()

    assert server.connections == 2


def test_an_event_larger_than_every_buffer_arrives_whole() -> None:
    line = b'"' + b"x" * 8_000_000 + b'"\n'
    with serving() as server:
        transport = transport_to(server.url, timeout=5)
        transport.send(line)
        transport.close()

    assert server.requests[0].body == line


def test_cookies_of_the_server_are_not_sent_back() -> None:
    with serving(answer(200, Set_Cookie="session=1; Path=/")) as server:
        transport = transport_to(server.url)
        transport.send(LINE)
        transport.send(LINE)
        transport.close()

    assert [name for request in server.requests for name, _value in request.headers if name == "Cookie"] == []


# The environment


def test_proxies_and_netrc_of_the_environment_are_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text(f"machine 127.0.0.1 login me password {SECRET}\n", "utf-8")
    netrc.chmod(0o600)
    with serving(answer(200)) as server, serving(answer(502)) as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("NETRC", str(netrc))
        monkeypatch.setenv("HOME", str(tmp_path))
        transport = transport_to(server.url)
        transport.send(LINE)
        transport.close()

    assert proxy.connections == 0
    assert [name for name, _value in server.requests[0].headers if name == "Authorization"] == []


# What counts as delivered


@pytest.mark.parametrize("status", [200, 201, 202, 203, 204, 206, 226, 299])
def test_a_status_of_success_is_a_delivery(status: int) -> None:
    with serving(answer(status)) as server:
        transport = transport_to(server.url, retries=1)
        transport.send(LINE)
        transport.close()

    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [*TRANSIENT, *FINAL])
def test_any_other_status_is_none_and_its_number_is_all_that_is_told(status: int) -> None:
    with serving(answer(status, SECRET.encode(), X_Reason=SECRET)) as server:
        transport = transport_to(server.url)
        assert failure(transport) == f"the server answered {status}"
        transport.close()

    assert len(server.requests) == 1


@pytest.mark.parametrize("status", REDIRECTS)
def test_no_redirect_is_followed_and_the_other_server_sees_nothing(status: int) -> None:
    with serving() as other, serving(answer(status, Location=f"{other.url}/login")) as server:
        transport = transport_to(server.url, retries=1)
        assert failure(transport) == f"the server answered {status}, a redirect, and none is followed"
        transport.close()

    assert (len(server.requests), other.connections) == (1, 0)


def test_interim_answers_are_passed_over() -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    with serving(say(interim + b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")) as server:
        transport = transport_to(server.url)
        transport.send(LINE)
        transport.close()

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "page", [b"<!DOCTYPE html><title>Log in</title>", b"\r\n\t <HTML lang=en>", b"<html>" + b" " * 70_000]
)
def test_a_web_page_is_no_success_whatever_its_status(page: bytes) -> None:
    with serving(answer(200, page, Content_Type="text/html")) as server:
        transport = transport_to(server.url, retries=1)
        message = "a web page answered, as proxies and logins have them: the event has probably not arrived"
        assert failure(transport) == message
        transport.close()

    assert len(server.requests) == 1


@pytest.mark.parametrize("body", [b"OK", b"<ok/>", b'"<html>"'])
def test_a_receiver_may_answer_what_it_likes_under_any_type(body: bytes) -> None:
    with serving(answer(200, body, Content_Type="text/html")) as server:
        transport = transport_to(server.url)
        transport.send(LINE)
        transport.close()

    assert len(server.requests) == 1


def test_of_a_body_without_end_little_is_read_and_the_connection_is_closed() -> None:
    with serving(stream(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")) as server:
        transport = transport_to(server.url, timeout=5)
        transport.send(LINE)
        transport.close()

    assert server.sent < 30_000_000


def test_of_an_answer_that_is_no_success_nothing_is_read_at_all() -> None:
    with serving(stream(b"HTTP/1.1 403 No\r\nContent-Length: 99999999999\r\n\r\n")) as server:
        transport = transport_to(server.url, timeout=5)
        assert failure(transport) == "the server answered 403"
        transport.close()

    assert server.sent < 30_000_000


CUT = "the server accepted the event, but broke its answer off or did not end it in time"


@pytest.mark.parametrize(
    "end",
    [
        say(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart", goes_on=False),
        say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\npa", goes_on=False),
        say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n", goes_on=False),
        reset(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"),
    ],
    ids=["length", "chunk", "nonsense", "reset"],
)
def test_an_answer_that_is_broken_off_is_not_asked_for_again(end: Script) -> None:
    with serving(end) as server:
        transport = transport_to(server.url, retries=1)
        assert failure(transport) == CUT
        transport.close()

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        b"SSH-2.0-OpenSSH_9.6\r\nInvalid SSH identification string.\r\n\r\n",
        b"220 mail.example ESMTP\r\n221 closing connection\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        b"\x15\x03\x03\x00\x02\x02\x46\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"y" * 200_000 + b"\r\n\r\n",
    ],
    ids=["ssh", "smtp", "switch", "status", "status-999", "length", "alert", "header"],
)
def test_what_is_no_http_is_told_as_that_and_not_asked_again(nonsense: bytes) -> None:
    with serving(say(nonsense)) as server:
        transport = transport_to(server.url, retries=1)
        assert failure(transport) == "what answered does not speak HTTP"
        transport.close()

    assert server.connections == 1


# What is tried again


@pytest.mark.parametrize("status", TRANSIENT)
def test_each_transient_status_is_tried_again_once_with_the_same_bytes(status: int) -> None:
    with serving(answer(status), answer(200)) as server:
        transport = transport_to(server.url, retries=1)
        transport.send(LINE)
        transport.close()

    assert [request.body for request in server.requests] == [LINE, LINE]


@pytest.mark.parametrize("status", TRANSIENT)
def test_a_transient_status_is_tried_again_at_most_once(status: int) -> None:
    with serving(answer(503), answer(status), answer(200)) as server:
        transport = transport_to(server.url, retries=1)
        assert failure(transport) == f"the server answered {status}"
        transport.close()

    assert len(server.requests) == 2


@pytest.mark.parametrize("status", FINAL)
def test_no_other_status_is_tried_again(status: int) -> None:
    with serving(answer(status), answer(200)) as server:
        transport = transport_to(server.url, retries=1)
        assert failure(transport) == f"the server answered {status}"
        transport.close()

    assert len(server.requests) == 1


def test_a_final_status_ends_the_second_attempt_too() -> None:
    with serving(answer(503), answer(404), answer(200)) as server:
        transport = transport_to(server.url, retries=1)
        assert failure(transport) == "the server answered 404"
        transport.close()

    assert len(server.requests) == 2


def test_a_server_that_asks_for_an_hour_of_patience_is_asked_again_at_once() -> None:
    with serving(answer(429, Retry_After="3600"), answer(200)) as server:
        transport = transport_to(server.url, retries=1)
        transport.send(LINE)
        transport.close()

    assert len(server.requests) == 2


GONE = "the server cannot be reached, or broke the connection off before it answered"


@pytest.mark.parametrize(
    "end",
    [
        say(b"", goes_on=False),
        say(b"HTTP/1.1 200", goes_on=False),
        say(b"HTTP/1.1 200 OK\r\nContent-", goes_on=False),
        reset(),
        reset(b"HTTP/1.1 200 OK\r\nContent-"),
    ],
    ids=["nothing", "line", "header", "reset", "reset-header"],
)
def test_a_connection_that_is_broken_off_before_the_answer_is_tried_again_once(end: Script) -> None:
    with serving(end, answer(200)) as server:
        transport = transport_to(server.url, retries=1)
        transport.send(LINE)
        transport.close()
    with serving(end) as other:
        transport = transport_to(other.url, retries=1)
        assert failure(transport) == GONE
        transport.close()

    assert (len(server.requests), len(other.requests)) == (2, 2)


def test_a_port_that_nobody_listens_on_is_told_in_words_without_an_address() -> None:
    transport = transport_to(f"http://127.0.0.1:{refusing()}", retries=1)

    assert failure(transport) == GONE
    transport.close()


def test_a_name_that_nobody_knows_is_told_in_words_without_the_name() -> None:
    transport = transport_to("https://no-such-host.invalid", retries=1)

    assert failure(transport) == GONE
    transport.close()


def test_without_a_retry_there_is_one_attempt() -> None:
    with serving(answer(503), answer(200)) as server:
        transport = transport_to(server.url)
        assert failure(transport) == "the server answered 503"
        transport.close()

    assert len(server.requests) == 1


def test_an_event_is_sent_after_one_that_failed() -> None:
    with serving(answer(500), answer(200)) as server:
        transport = transport_to(server.url)
        assert failure(transport) == "the server answered 500"
        transport.send(b"second\n")
        transport.close()

    assert [request.body for request in server.requests] == [LINE, b"second\n"]


# The end


def test_closing_twice_is_fine_and_nothing_is_sent_afterwards() -> None:
    with serving() as server:
        transport = transport_to(server.url, retries=1)
        transport.send(LINE)
        transport.close()
        transport.close()
        assert failure(transport) == "the transport is closed already"
        assert server.left.wait(PATIENCE)

    assert (len(server.requests), server.connections) == (1, 1)


UNCLOSED = "the connection could not be closed"


@pytest.fixture
def unclosable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make connections that the system closes, but not without a complaint."""
    real = Stream.close

    def close(stream: Stream) -> None:
        real(stream)
        raise OSError(5, SECRET)

    monkeypatch.setattr(Stream, "close", close)


@pytest.mark.usefixtures("unclosable")
@pytest.mark.parametrize("status", [200, 503, 404])
def test_a_connection_that_cannot_be_closed_fails_the_delivery(
    status: int,
) -> None:
    with serving(answer(status, b"some", Connection="close")) as server:
        transport = transport_to(server.url, retries=1)
        assert failure(transport) == UNCLOSED

    assert len(server.requests) == 1


@pytest.mark.usefixtures("unclosable")
def test_a_failure_to_close_is_told_once() -> None:
    with serving() as server:
        transport = transport_to(server.url)
        transport.send(LINE)
        with pytest.raises(DeliveryError) as caught:
            transport.close()
        transport.close()

    assert (caught.value.message, caught.value.__cause__, caught.value.__context__) == (UNCLOSED, None, None)


# Settings


@pytest.mark.parametrize(
    ("settings", "location"),
    [
        (HttpSettings("http://lineage.example", "api", 1, 0), "openlineage.transport.url"),
        (HttpSettings("https://me@lineage.example", "api", 1, 0), "openlineage.transport.url"),
        (HttpSettings("https://lineage.example", "/api", 1, 0), "openlineage.transport.endpoint"),
        (HttpSettings("https://lineage.example", "api", 60, 0), "openlineage.transport.timeout"),
        (HttpSettings("https://lineage.example", "api", 1, 5), "openlineage.transport.retry.total"),
        (HttpSettings("http://127.0.0.1", "api", 1, 0, Secret(SECRET)), "openlineage.transport.auth"),
        (
            HttpSettings("https://lineage.example", "api", 1, 0, None, "/no/ca.pem"),
            "openlineage.transport.ca_file",
        ),
        (HttpSettings("https://256.0.0.1", "api", 1, 0), "openlineage.transport.url"),
        (HttpSettings("https://xn--a", "api", 1, 0), "openlineage.transport.url"),
    ],
)
def test_settings_that_no_configuration_could_give_are_refused(settings: HttpSettings, location: str) -> None:
    with pytest.raises(TransportConfigError) as caught:
        open_transport(settings, RULES)

    assert (caught.value.code, caught.value.location) == ("E506_OPENLINEAGE_INVALID", location)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


# Secrets


def test_neither_address_nor_event_is_logged_at_any_level(caplog: pytest.LogCaptureFixture) -> None:
    with serving(answer(200), answer(500)) as server:
        transport = transport_to(f"{server.url}/{SECRET}")
        with caplog.at_level(logging.DEBUG), caplog.at_level(logging.DEBUG, "httpx"):
            transport.send(LINE)
            failure(transport)
            transport.close()

    assert caplog.records == []
