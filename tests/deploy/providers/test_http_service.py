"""The client of every service over HTTP, against real servers that do what servers do."""

from __future__ import annotations

import base64
import json
import logging
from pathlib import Path
from typing import Any

import pytest
import trustme
from scripted_servers import (
    Script,
    Server,
    answer,
    drip,
    full,
    hang,
    refusing,
    reset,
    say,
    serving,
    stream,
    tls_of,
)

from streamt_ol import __version__
from streamt_ol.services.http_service import (
    Answer,
    HttpService,
    MalformedAnswerError,
    NoAnswerError,
    segment,
)

SECONDS = 20.0
SHORT = 1.0
MOST = 65536


def ask(
    url: str, path: str = "connectors", *, method: str = "GET", content: Any = None, **more: Any
) -> Answer:
    seconds, most = more.pop("seconds", SECONDS), more.pop("most", MOST)
    client = HttpService({"url": url, **more})
    return client.ask(method, path, seconds=seconds, most=most, content=content)


def trouble(url: str, **more: Any) -> tuple[str, str, bool]:
    """Return why there is no answer, the setting that is at fault, and whether the request may have arrived."""
    with pytest.raises(NoAnswerError) as caught:
        ask(url, **more)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert "planted" not in repr(caught.value)
    return caught.value.trouble, caught.value.setting, caught.value.sent


def authorization(server: Server) -> list[str]:
    return [
        value for request in server.requests for name, value in request.headers if name == "Authorization"
    ]


def basic(user: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def test_one_request_is_sent_with_nothing_that_nobody_asked_for() -> None:
    with serving(answer(200, b"{}", Set_Cookie="a=b")) as server:
        answered = ask(server.url)

    assert (answered.status, answered.body) == (200, b"{}")
    assert [(request.line, request.body) for request in server.requests] == [
        ("GET /connectors HTTP/1.1", b"")
    ]
    assert dict(server.requests[0].headers) == {
        "Host": f"127.0.0.1:{server.port}",
        "Accept": "application/json, */*;q=0.1",
        "Accept-Encoding": "identity",
        "User-Agent": f"streamt-ol/{__version__}",
    }


def test_a_body_is_sent_as_json() -> None:
    with serving() as server:
        ask(server.url, method="PUT", content={"topics": "käse"})

    assert server.requests[0].line == "PUT /connectors HTTP/1.1"
    assert server.requests[0].body == '{"topics": "käse"}'.encode()
    assert ("Content-Type", "application/json") in server.requests[0].headers


def test_every_request_has_a_connection_of_its_own_and_no_cookie() -> None:
    with serving(answer(200, b"{}", Set_Cookie="session=planted")) as server:
        client = HttpService({"url": server.url})
        for _ in range(2):
            client.ask("GET", "/", seconds=SECONDS, most=MOST)

    assert [request.connection for request in server.requests] == [1, 2]
    assert [name for request in server.requests for name, _value in request.headers if name == "Cookie"] == []


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("", "/connectors"),
        ("/", "/connectors"),
        ("/behind/a%20gate/", "/behind/a%20gate/connectors"),
        ("/base?key=planted#part", "/base/connectors"),
    ],
)
def test_a_path_of_the_address_stays_in_front_and_a_query_goes(written: str, asked: str) -> None:
    with serving() as server:
        ask(f"{server.url}{written}")

    assert server.requests[0].line == f"GET {asked} HTTP/1.1"


def test_a_login_of_the_address_is_one_and_is_in_no_request_line() -> None:
    with serving() as server:
        ask(server.url.replace("://", "://me:pl%40nted@"))

    assert server.requests[0].line == "GET /connectors HTTP/1.1"
    assert authorization(server) == [basic("me", "pl@nted")]


def test_the_settings_have_the_login_before_the_address_has_it() -> None:
    with serving() as server:
        ask(server.url.replace("://", "://me:planted@"), username="other", password="planted-too")

    assert authorization(server) == [basic("other", "planted-too")]


def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    with serving() as elsewhere, serving(answer(307, Location=elsewhere.url)) as server:
        answered = ask(server.url, username="me", password="planted", method="PUT", content={})

    assert (answered.status, len(server.requests)) == (307, 1)
    assert (elsewhere.requests, elsewhere.connections) == ([], 0)


def test_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serving() as proxy, serving() as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password planted\n", "utf-8")
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
        ask(server.url)

    assert (proxy.connections, authorization(server)) == (0, [])


def test_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), serving() as server:
        ask(server.url.replace("://", "://me:planted@"))

    assert caplog.records == []


def test_of_a_long_answer_no_more_is_read_than_was_asked_for() -> None:
    with serving(stream(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")) as server:
        answered = ask(server.url, most=1000)

        assert server.hung_up.wait(SECONDS)  # nobody takes more
    assert (answered.status, answered.body) == (200, None)


def test_an_answer_may_be_exactly_as_long_as_is_read() -> None:
    with serving(answer(200, b"x" * 1000)) as server:
        assert ask(server.url, most=1000).body == b"x" * 1000
        assert ask(server.url, most=999).body is None


@pytest.mark.parametrize(
    "script",
    [hang, drip(b"HTTP/1.1 200 OK\r\nX: "), drip(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")],
    ids=["silent", "dripping headers", "dripping body"],
)
def test_the_time_of_a_request_ends_whatever_the_server_does(script: Script) -> None:
    with serving(script) as server:
        with pytest.raises(NoAnswerError) as caught:
            ask(server.url, seconds=SHORT)

        assert (caught.value.trouble, caught.value.late, caught.value.sent) == ("unanswered", True, True)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("script", "word"),
    [
        (reset(), "unanswered"),
        (say(b"", goes_on=False), "unanswered"),
        (say(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", goes_on=False), "unanswered"),
        (say(b"220 mail.example ESMTP\r\n\r\n"), "protocol"),
    ],
    ids=["reset", "closed", "half an answer", "no HTTP"],
)
def test_a_request_that_is_not_answered_well_may_have_arrived(script: Script, word: str) -> None:
    with serving(script) as server:
        assert trouble(server.url) == (word, "", True)

        assert len(server.requests) == 1


def test_a_request_that_found_nobody_was_not_sent() -> None:
    assert trouble(f"http://127.0.0.1:{refusing()}") == ("unreachable", "", False)
    assert trouble("http://name.invalid") == ("unreachable", "", False)
    with full() as (host, port):
        assert trouble(f"http://{host}:{port}", seconds=SHORT) == ("unreachable", "", False)


@pytest.mark.parametrize(
    "url", [None, "", "connect:8083", "ftp://connect.example", "http://", "http://[::1", "/connectors", 8083]
)
def test_what_is_no_address_is_told_with_its_setting(url: Any) -> None:
    assert trouble(url) == ("address", "url", False)


def test_an_authority_of_the_settings_is_trusted(authority: trustme.CA, ca_file: str) -> None:
    with serving(tls=tls_of(authority, "localhost")) as server:
        assert ask(server.url, ssl_ca_location=ca_file, username="me", password="planted").status == 200

    assert authorization(server) == [basic("me", "planted")]


def test_another_authority_is_not_and_hears_no_request(authority: trustme.CA) -> None:
    with serving(tls=tls_of(authority, "localhost")) as server:
        assert trouble(server.url, password="planted") == ("tls", "", False)

        assert server.requests == []


def test_a_certificate_of_another_name_is_not_accepted(authority: trustme.CA, ca_file: str) -> None:
    with serving(tls=tls_of(authority, "elsewhere.example")) as server:
        assert trouble(server.url, ssl_ca_location=ca_file) == ("tls", "", False)

        assert server.requests == []


def test_a_certificate_of_the_client_is_shown(authority: trustme.CA, ca_file: str, tmp_path: Path) -> None:
    client = tmp_path / "client.pem"
    authority.issue_cert("client@example.com").private_key_and_cert_chain_pem.write_to_path(str(client))

    with serving(tls=tls_of(authority, "localhost", clients=authority)) as server:
        answered = ask(server.url, ssl_ca_location=ca_file, ssl_certificate_location=str(client))
        without = trouble(server.url, ssl_ca_location=ca_file)

    assert (answered.status, len(server.requests)) == (200, 1)
    assert without[0] in {"tls", "unanswered"}  # with TLS 1.3 a client hears of it after its request


@pytest.mark.parametrize("setting", ["ssl_ca_location", "ssl_certificate_location"])
def test_a_file_that_cannot_be_used_is_told_with_its_setting(setting: str, tmp_path: Path) -> None:
    no_pem = tmp_path / "no.pem"
    no_pem.write_text("planted", "utf-8")

    with serving() as server:
        assert trouble(server.url, **{setting: str(no_pem)}) == ("certificate_file", setting, False)
        assert trouble(server.url, **{setting: str(tmp_path / "none")}) == (
            "certificate_file",
            setting,
            False,
        )

        assert server.connections == 0


@pytest.mark.parametrize(
    "body",
    [
        None,
        b"",
        b"<html>",
        b'{"a": 1, "a": 1}',
        b'{"b": [{"a": 1, "a": 2}]}',
        b'{"a": NaN}',
        b"[Infinity]",
        b"\xff",
        b"[" * 200000,
    ],
    ids=["too long", "empty", "page", "key twice", "key twice inside", "NaN", "Infinity", "bytes", "deep"],
)
def test_what_is_no_json_is_not_read(body: bytes | None) -> None:
    with pytest.raises(MalformedAnswerError):
        Answer(200, body).json()


def test_json_is_read_as_plain_values() -> None:
    value = {"a": [1, 1.5, True, None, "ä"], "b": {}}

    assert Answer(200, json.dumps(value).encode()).json() == value


def test_an_answer_does_not_show_its_body() -> None:
    assert "planted" not in repr(Answer(200, b"planted"))


@pytest.mark.parametrize(
    ("name", "encoded"),
    [
        ("plain-name_1.0~", "plain-name_1.0~"),
        ("a/b", "a%2Fb"),
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("...", "..."),
        ("a?b#c%2F d", "a%3Fb%23c%252F%20d"),
        ("käse", "k%C3%A4se"),
        ("\x00\n", "%00%0A"),
        ("\ud800", "%ED%A0%80"),
    ],
)
def test_a_name_is_one_segment_whatever_it_has_in_it(name: str, encoded: str) -> None:
    assert segment(name) == encoded

    with serving() as server:
        ask(server.url, f"connectors/{segment(name)}/status")
    assert server.requests[0].line == f"GET /connectors/{encoded}/status HTTP/1.1"


def shown(text: str, *secrets: str, longest: int = 500, **settings: Any) -> str:
    return HttpService(settings).without_secrets(text, secrets=secrets, longest=longest)


def test_words_of_a_service_are_shown_without_secrets_of_settings() -> None:
    settings = {
        "url": "http://me:pl%40nted-1@connect.example",
        "password": "planted-2",
        "api_key": "planted-3",
        "ssl_key_password": "planted-4",
    }

    told = shown("pl@nted-1 planted-2 planted-3 planted-4 planted-5", "planted-5", **settings)

    assert told == "*** *** *** *** ***"


def test_a_secret_is_struck_out_also_as_an_address_has_it() -> None:
    assert shown("p%40ss%2f1, p%40ss%2F1", url="http://me:p%40ss%2f1@a.example") == "***, ***"
    assert (
        shown("http://me:pl%C3%A4n@a.example", url="http://me:pl%C3%A4n@a.example") == "http://***@a.example"
    )
    assert shown("fine", password="\ud800") == "fine"


def test_a_secret_that_is_part_of_another_leaves_nothing_of_it() -> None:
    assert shown("planted-long", "planted", "planted-long", password="nted-l") == "***"


def test_words_of_a_service_are_one_line_that_ends() -> None:
    assert shown("no\n  good: password=planted") == "no good: password=***"
    assert shown("x" * 20, longest=10) == "xxxxxxx..."
    assert shown("x" * 10, longest=10) == "x" * 10


def test_an_address_that_is_none_does_not_keep_words_from_being_shown() -> None:
    assert shown("planted is wrong", url="http://[::1", password="planted") == "*** is wrong"
