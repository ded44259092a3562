"""One attempt over HTTP is bounded as a whole, by wall clock: whatever a server does, the command goes on.

A bound that does not hold shows itself by a wrong answer: every server here gives up long after the bound.
"""

from __future__ import annotations

import socket
from threading import Event
from typing import Any

import pytest
from scripted_servers import PATIENCE, Script, answer, deaf, drip, full, hang, serving
from transport_configs import packaged_rules

from streamt_ol.runs.deliveries import DeliveryError
from streamt_ol.runs.settings import HttpSettings
from streamt_ol.runs.transports import Transport, open_transport

LINE = b'{"eventType":"START"}\n'
LATE = "the server did not answer in time"
UNFINISHED = "the server accepted the event, but broke its answer off or did not end it in time"


def transport_to(url: str, *, timeout: float = 1, retries: int = 0) -> Transport:
    return open_transport(HttpSettings(url, "api/v1/lineage", timeout, retries), packaged_rules())


def failure(url: str, line: bytes = LINE, **options: Any) -> str:
    transport = transport_to(url, **options)
    with pytest.raises(DeliveryError) as caught:
        transport.send(line)
    transport.close()
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    return caught.value.message


@pytest.mark.parametrize(
    "slow",
    [
        hang,
        drip(b""),
        drip(b"HTTP/1.1 200 OK\r\nX-Slow: "),
        drip(b"HTTP/1.1 200 OK\r\n", b"X-Slow: 1\r\n"),
        drip(b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
        drip(b"HTTP/1.1 503 Later\r\nX-Slow: "),
    ],
    ids=["hangs", "first-line", "header", "headers", "interim-answers", "header-of-a-failure"],
)
def test_a_server_that_keeps_its_answer_back_is_given_up_once_per_attempt(slow: Script) -> None:
    with serving(slow) as server:
        assert failure(server.url, retries=1) == LATE

    assert (len(server.requests), server.connections) == (2, 2)


def test_the_connection_of_an_attempt_that_is_given_up_is_closed() -> None:
    with serving(hang) as server:
        transport = transport_to(server.url)
        with pytest.raises(DeliveryError):
            transport.send(LINE)
        assert server.left.wait(PATIENCE)
        transport.close()


def test_the_second_attempt_has_a_time_of_its_own() -> None:
    with serving(hang, answer(200)) as server:
        transport = transport_to(server.url, retries=1)
        transport.send(LINE)
        transport.close()

    assert len(server.requests) == 2


def test_the_next_event_has_a_time_of_its_own() -> None:
    with serving(hang, answer(200)) as server:
        transport = transport_to(server.url)
        with pytest.raises(DeliveryError):
            transport.send(LINE)
        transport.send(LINE)
        transport.close()

    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "slow",
    [
        drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        drip(b"HTTP/1.1 200 OK\r\n\r\n"),
    ],
    ids=["length", "chunks", "until-the-end"],
)
def test_a_body_that_drips_is_given_up_and_not_asked_for_again(slow: Script) -> None:
    with serving(slow) as server:
        assert failure(server.url, retries=1) == UNFINISHED

    assert len(server.requests) == 1


def test_a_body_that_drips_behind_a_failure_holds_nobody_up() -> None:
    with serving(drip(b"HTTP/1.1 404 No\r\nContent-Length: 100000\r\n\r\n")) as server:
        assert failure(server.url, timeout=5) == "the server answered 404"


def test_a_server_that_reads_nothing_of_a_large_event_is_given_up() -> None:
    with serving(at_once=deaf) as server:
        assert failure(server.url, b"x" * 32_000_000 + b"\n", retries=1) == LATE

    assert server.connections == 2


def test_a_server_that_does_not_take_the_connection_is_given_up() -> None:
    with full() as (host, port):
        assert failure(f"http://{host}:{port}") == LATE


@pytest.mark.parametrize("slow", [hang, drip(b"\x16\x03\x03\x40\x00")], ids=["hangs", "drips"])
def test_a_handshake_without_end_is_given_up(slow: Script) -> None:
    with serving(at_once=slow) as server:
        assert failure(f"https://127.0.0.1:{server.port}", retries=1) == LATE

    assert server.connections == 2


def test_a_resolver_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    over = Event()

    def silent(host: str, *_arguments: object, **_options: object) -> list[Any]:
        asked.append(host)
        over.wait(PATIENCE)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    try:
        assert failure("https://lineage.example", retries=1) == LATE
    finally:
        over.set()

    assert asked == ["lineage.example", "lineage.example"]


def test_an_address_that_hangs_leaves_time_for_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with full() as hanging, serving() as server:
        addresses = [hanging, ("127.0.0.1", server.port)]
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_arguments, **_options: found)
        transport = transport_to("http://localhost:1", timeout=4)
        transport.send(LINE)
        transport.close()

    assert len(server.requests) == 1
