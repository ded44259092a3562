"""What becomes of questions and changes to a service over HTTP: repeats, refusals, doubts and their end."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
import trustme
from scripted_servers import (
    PATIENCE,
    Script,
    answer,
    hang,
    read_request,
    refusing,
    reset,
    say,
    serving,
    stream,
    tls_of,
)
from service_bounds import rules_with

from streamt_ol.deploy.providers.errors import (
    OutcomeUnknownError,
    PreimageMovedError,
    ProviderError,
    RequestRefusedError,
)
from streamt_ol.deploy.providers.service import Service
from streamt_ol.deploy.providers.service_records import About, InDoubtError, Standing
from streamt_ol.services.http_service import Answer

AT = "/runtime/connect/clusters/main"
ABOUT = About("connector 'x'", "created", ("planted-value",))
SHORT = 0.3
REFUSED = "the service refuses to have connector 'x' created: "
UNKNOWN = "it is not known whether connector 'x' was created by the service: "
LATE = "no answer came in time"
BROKEN_OFF = "the connection broke off"


def told(status: int, message: str = "said") -> Script:
    return answer(status, json.dumps({"error_code": status, "message": message}).encode())


def service(
    url: str | None, name: str = "schema_registry", *, bounds: dict[str, int] | None = None, **more: Any
) -> Service:
    seconds, settings = more.pop("seconds", None), more.pop("settings", {})
    given = None if url is None else {"url": url, "password": "planted-password", **settings}
    return Service(name, "the service", AT, given, rules_with(**bounds or {}), seconds=seconds, **more)


def refused(work: Callable[[], object]) -> tuple[str, str, str | None]:
    """Return code, message and location of what is raised by work that certainly changed nothing."""
    with pytest.raises(RequestRefusedError) as caught:
        work()
    _is_clean(caught.value)
    return caught.value.code, caught.value.message, caught.value.location


def doubted(work: Callable[[], object]) -> InDoubtError:
    with pytest.raises(InDoubtError) as caught:
        work()
    _is_clean(caught.value)
    _is_clean(caught.value.unknown)
    return caught.value


def _is_clean(error: Exception) -> None:
    assert (error.__cause__, error.__suppress_context__ or error.__context__ is None) == (None, True)
    assert "planted" not in f"{error!r} {error}"


def question(url: str | None, **more: Any) -> Any:
    return service(url, **more).question("connectors/x", ABOUT, absent={404})


def change(url: str | None, method: str = "PUT", **more: Any) -> int:
    content = {"key": "planted-value"}
    return service(url, **more).change(method, "connectors/x", content, ABOUT).status


def test_a_question_is_answered_with_plain_values() -> None:
    with serving(answer(200, b'{"a": [1, "b"]}')) as server:
        assert question(server.url) == {"a": [1, "b"]}

    assert [request.line for request in server.requests] == ["GET /connectors/x HTTP/1.1"]


def test_a_status_of_absence_is_nothing_and_no_failure() -> None:
    with serving(told(404)) as server:
        assert question(server.url) is None

    assert len(server.requests) == 1


def test_a_change_that_is_carried_out_has_a_status_of_success() -> None:
    with serving(answer(201, b"{}")) as server:
        assert change(server.url, "POST") == 201

    assert [(request.line, request.body) for request in server.requests] == [
        ("POST /connectors/x HTTP/1.1", b'{"key": "planted-value"}')
    ]


def test_a_change_that_is_carried_out_needs_no_answer_that_can_be_read() -> None:
    with serving(stream(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")) as server:
        assert change(server.url, bounds={"answer_bytes": 1000}) == 200


def test_a_service_that_the_runtime_does_not_have_is_told_by_its_place() -> None:
    expected = (
        "E208_MISSING_CONFIG",
        "connector 'x' needs the service, and the runtime does not say where it is",
        AT,
    )

    assert refused(lambda: question(None)) == expected
    assert refused(lambda: change(None)) == expected
    with pytest.raises(RequestRefusedError) as caught:
        question(None)
    assert caught.value.suggestion == f"set its address at {AT}"


def test_an_address_that_is_none_is_told_by_its_place() -> None:
    message = f"the service has no address with http:// or https:// at {AT}/url"

    assert refused(lambda: change("planted")) == ("E208_MISSING_CONFIG", message, f"{AT}/url")


def test_a_file_that_cannot_be_used_is_told_by_its_place() -> None:
    with serving() as server:
        assert refused(lambda: change(server.url, settings={"ssl_ca_location": "/no/planted"})) == (
            "E405_SSL_ERROR",
            f"the certificate or key that {AT}/ssl_ca_location names cannot be used for the service",
            f"{AT}/ssl_ca_location",
        )

        assert server.connections == 0


@pytest.mark.parametrize(
    ("script", "helps"),
    [
        (
            None,
            "see whether it is at work, and whether host and port of its address in the runtime are right",
        ),
        (told(401), "correct username and password in the runtime, or the variables that they come from"),
        (told(403), "have that right given to the user, or set the username of another in the runtime"),
        (hang, "see whether it is at work, then run the command again"),
        (
            told(404),
            "see whether its address in the runtime leads to it and to nothing else, and what its log says",
        ),
    ],
    ids=["nobody", "login", "right", "late", "another"],
)
def test_a_question_that_fails_says_what_helps(script: Script | None, helps: str) -> None:
    with serving(*([script] if script else [])) as server:
        url = server.url if script else f"http://127.0.0.1:{refusing()}"
        with pytest.raises(RequestRefusedError) as caught:
            service(url, seconds=SHORT, bounds={"attempts": 1}).question("connectors/x", ABOUT)

    assert caught.value.suggestion == helps


def test_settings_of_the_connection_that_cannot_be_used_say_what_helps() -> None:
    def helps(url: str, **settings: str) -> str | None:
        with pytest.raises(RequestRefusedError) as caught:
            service(url, settings=settings).question("connectors/x", ABOUT)
        return caught.value.suggestion

    with serving(tls=tls_of(trustme.CA(), "localhost")) as server:
        file = helps(server.url, ssl_ca_location="/no/such")
        authority = helps(server.url)

    assert helps("planted") == "write it there, such as https://HOST:PORT"
    assert file == "name a PEM file that can be read; a key that is encrypted takes ssl_key_password, too"
    assert authority == "name the certificate of its authority with ssl_ca_location"


@pytest.mark.parametrize("ask", [question, change])
def test_whoever_is_not_there_did_nothing(ask: Callable[[str], object]) -> None:
    address = f"127.0.0.1:{refusing()}"

    assert refused(lambda: ask(f"http://{address}")) == (
        "E406_CONNECTION_REFUSED",
        f"the service at {address} cannot be connected to, so connector 'x' was not created: "
        "the connection was refused",
        AT,
    )


@pytest.mark.parametrize("ask", [question, change])
def test_a_certificate_that_nobody_trusts_ends_it_at_once(ask: Callable[[str], object]) -> None:
    with serving(tls=tls_of(trustme.CA(), "localhost")) as server:
        assert refused(lambda: ask(server.url)) == (
            "E405_SSL_ERROR",
            f"no TLS connection to the service at {server.url.removeprefix('https://')} came about, "
            "so connector 'x' was not created: its certificate is signed by nobody who is trusted here",
            AT,
        )

        assert (server.connections, server.requests) == (1, [])


@pytest.mark.parametrize("ask", [question, change])
@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "the service refuses the login (401): said"),
        (403, "the service forbids its user to have connector 'x' created (403): said"),
    ],
)
def test_a_login_that_is_not_taken_has_a_code_of_its_own(
    ask: Callable[[str], object], status: int, message: str
) -> None:
    with serving(told(status)) as server:
        assert refused(lambda: ask(server.url)) == ("E404_AUTH_FAILED", message, AT)

        assert len(server.requests) == 1


def test_a_question_that_is_not_answered_in_time_says_so() -> None:
    with serving(hang) as server:
        assert refused(lambda: question(server.url, seconds=SHORT, bounds={"attempts": 2})) == (
            "E406_CONNECTION_REFUSED",
            f"the service at {server.url.removeprefix('http://')} does not answer about connector 'x': {LATE}",
            AT,
        )

        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (told(400, "no such\nthing"), "no such thing"),
        (answer(400, b"<html>planted</html>"), "it answers with status 400"),
        (answer(400, b'{"message": 7}'), "it answers with status 400"),
        (answer(400, b"[]"), "it answers with status 400"),
        (told(500, "it is broken"), "it is broken"),
        (answer(302, Location="http://127.0.0.1/planted"), "it answers with status 302"),
        (answer(200, b"<html>"), "the answer cannot be read"),
        (answer(200, b'{"a": 1, "a": 2}'), "the answer cannot be read"),
        (answer(200, b'{"a": NaN}'), "the answer cannot be read"),
        (answer(200, b"x" * 1001), "the answer cannot be read"),
        (say(b"220 mail.example ESMTP\r\n\r\n"), "the answer is no HTTP"),
    ],
    ids=[
        "words",
        "page",
        "no text",
        "list",
        "broken",
        "redirect",
        "no JSON",
        "twice",
        "NaN",
        "huge",
        "no HTTP",
    ],
)
def test_a_question_that_is_answered_otherwise_has_the_services_own_words(
    script: Script, reason: str
) -> None:
    with serving(script) as server:
        failed = refused(lambda: question(server.url, bounds={"answer_bytes": 1000}))

    assert failed == ("E548_SERVICE_ANSWER", f"the service does not tell of connector 'x': {reason}", AT)


@pytest.mark.parametrize("trouble", ["too_many", "rebalancing"])
def test_a_question_that_comes_too_soon_says_that_this_passes(trouble: str) -> None:
    error = service("http://localhost").failure(trouble, "question", ABOUT, "said")

    assert isinstance(error, RequestRefusedError)
    assert (error.code, error.message, error.suggestion) == (
        "E548_SERVICE_ANSWER",
        "the service does not tell of connector 'x': said",
        "it cannot now, and says that this passes: wait a little, then run the command again",
    )


@pytest.mark.parametrize("status", [300, 307, 308, 400, 404, 409, 415, 422, 499])
def test_a_change_that_is_refused_was_not_done_and_is_not_sent_again(status: int) -> None:
    with serving(told(status)) as server:
        assert refused(lambda: change(server.url)) == ("E407_DEPLOY_ERROR", f"{REFUSED}said", AT)

        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("trouble", "helps"),
    [
        ("too_many", "it has more requests than it takes: wait a little, then try again"),
        (
            "rebalancing",
            "its workers share their work out anew: wait until they have done so, then try again",
        ),
        (
            "redirected",
            "its address in the runtime leads to another one, and no redirect is followed: "
            "write the address that it leads to",
        ),
        ("refused", None),
    ],
)
def test_a_change_that_could_be_made_later_or_elsewhere_says_so(trouble: str, helps: str | None) -> None:
    error = service("http://localhost").failure(trouble, "change", ABOUT, "said")

    assert isinstance(error, RequestRefusedError)
    assert (error.message, error.suggestion) == (f"{REFUSED}said", helps)


def test_what_is_there_and_was_not_planned_for_is_told_by_its_fields() -> None:
    error = service("http://localhost").failure("moved", "change", ABOUT, "another key", fields=("config.a",))

    assert isinstance(error, PreimageMovedError)
    assert (error.code, error.fields) == ("E407_DEPLOY_ERROR", ("config.a",))
    assert error.message == "connector 'x' is not as it was when this was planned: another key"


@pytest.mark.parametrize("status", [500, 501, 503, 599])
def test_a_change_that_the_service_fails_at_is_in_doubt_and_over(status: int) -> None:
    with serving(told(status)) as server:
        doubt = doubted(lambda: change(server.url, "POST"))

        assert len(server.requests) == 1
    assert (doubt.unknown.message, doubt.refused.message) == (f"{UNKNOWN}said", f"{REFUSED}said")
    assert isinstance(doubt.unknown, OutcomeUnknownError)
    assert doubt.answered


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (told(502), "said"),
        (told(504), "said"),
        (hang, LATE),
        (reset(), BROKEN_OFF),
        (say(b"HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nhalf", goes_on=False), BROKEN_OFF),
        (say(b"220 mail.example ESMTP\r\n\r\n"), "the answer is no HTTP"),
    ],
    ids=["bad gateway", "gateway timeout", "hang", "reset", "half", "no HTTP"],
)
def test_a_change_without_an_answer_is_in_doubt_and_may_still_come(script: Script, reason: str) -> None:
    with serving(script) as server:
        doubt = doubted(lambda: change(server.url, "POST", seconds=SHORT))

        assert len(server.requests) == 1
    assert (doubt.unknown.message, doubt.answered) == (f"{UNKNOWN}{reason}", False)


@pytest.mark.parametrize(
    ("first", "then", "answered"),
    [
        (told(500, "first"), told(404, "gone"), True),
        (reset(), told(404, "gone"), False),
        (told(504, "first"), told(404, "gone"), False),
        (told(429, "busy"), told(500, "gone"), True),
        (reset(), told(500, "gone"), False),
        (told(500, "first"), told(504, "gone"), False),
    ],
    ids=[
        "broken then refused",
        "lost then refused",
        "lost behind a gateway then refused",
        "busy then broken",
        "lost then broken",
        "broken then lost behind a gateway",
    ],
)
def test_an_attempt_that_is_refused_says_nothing_of_those_before_it(
    first: Script, then: Script, *, answered: bool
) -> None:
    with serving(first, then) as server:
        doubt = doubted(lambda: change(server.url, "DELETE", bounds={"attempts": 2}))

        assert len(server.requests) == 2
    assert (doubt.unknown.message, doubt.refused.message) == (f"{UNKNOWN}gone", f"{REFUSED}gone")
    assert doubt.answered is answered


def test_what_was_sent_once_is_in_doubt_when_nobody_is_there_afterwards() -> None:
    listening = socket.create_server(("127.0.0.1", 0))

    def hear_one_request_and_leave() -> None:
        connection, _address = listening.accept()
        listening.close()
        with connection:
            read_request(connection, 1)

    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    leaving = Thread(target=hear_one_request_and_leave)
    leaving.start()
    try:
        doubt = doubted(lambda: change(url))
    finally:
        leaving.join(PATIENCE)

    assert (doubt.unknown.message, doubt.answered) == (f"{UNKNOWN}{BROKEN_OFF}", False)


def test_a_refusal_after_attempts_that_changed_nothing_is_no_doubt() -> None:
    with serving(told(429), told(422)) as server:
        assert refused(lambda: change(server.url))[1] == f"{REFUSED}said"

        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("standing", "answered", "end"),
    [
        ("after", True, None),
        ("after", False, None),
        ("before", True, (RequestRefusedError, f"{REFUSED}said")),
        ("before", False, (OutcomeUnknownError, f"{UNKNOWN}said")),
        ("neither", True, (OutcomeUnknownError, f"{UNKNOWN}said")),
        ("neither", False, (OutcomeUnknownError, f"{UNKNOWN}said")),
    ],
)
def test_what_is_there_settles_a_doubt(
    standing: Standing, end: tuple[type[Exception], str] | None, *, answered: bool
) -> None:
    with serving(told(500)) as server:
        asked = service(server.url)
        doubt = doubted(lambda: asked.change("POST", "connectors", {}, ABOUT))
    doubt.answered = answered

    if end is None:
        asked.settled(doubt, lambda: standing)
        return
    with pytest.raises(end[0]) as caught:
        asked.settled(doubt, lambda: standing)
    assert (str(caught.value), caught.value.__cause__) == (end[1], None)


def test_a_doubt_stays_one_where_nobody_can_look() -> None:
    with serving(told(500)) as server:
        asked = service(server.url)
        doubt = doubted(lambda: asked.change("POST", "connectors", {}, ABOUT))

    with pytest.raises(OutcomeUnknownError) as caught:
        asked.settled(doubt, lambda: asked.question("connectors/x", ABOUT))

    assert caught.value.message == f"{UNKNOWN}said"
    assert not isinstance(caught.value, ProviderError)


@pytest.mark.parametrize(
    ("name", "method", "sent"),
    [
        ("schema_registry", "GET", 3),
        ("schema_registry", "PUT", 3),
        ("schema_registry", "DELETE", 3),
        ("schema_registry", "POST", 1),
        ("connect", "GET", 3),
        ("connect", "PUT", 3),
        ("connect", "DELETE", 3),
        ("connect", "POST", 1),
        ("connect", "PATCH", 1),
        ("flink", "POST", 3),
        ("flink", "PATCH", 1),
        ("sql_gateway", "POST", 1),
        ("gateway", "GET", 3),
        ("gateway", "PUT", 1),
        ("gateway", "DELETE", 1),
        ("gateway", "POST", 1),
    ],
)
@pytest.mark.parametrize("script", [reset(), told(503), told(429)], ids=["lost", "broken", "busy"])
def test_only_what_can_be_repeated_without_harm_is_sent_again(
    name: str, method: str, sent: int, script: Script
) -> None:
    with serving(script) as server:
        asked = service(server.url, name)
        request = "question" if method == "GET" else "change"
        with contextlib.suppress(InDoubtError, RequestRefusedError):
            asked.sent(method, "connectors/x", None, ABOUT, request)

    assert [line for line, _headers, _body, _connection in server.requests] == [
        f"{method} /connectors/x HTTP/1.1"
    ] * sent


def test_a_repeat_that_succeeds_is_a_success() -> None:
    with serving(reset(), told(503), answer(200, b"{}")) as server:
        assert change(server.url) == 200

    bodies = {request.body for request in server.requests}
    assert (len(server.requests), bodies) == (3, {b'{"key": "planted-value"}'})


def passing(answer: Answer) -> str | None:
    return "rebalancing" if answer.status == 409 else None


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "POST"])
def test_what_workers_have_not_begun_is_sent_again_until_they_are_ready(method: str) -> None:
    with serving(*[told(409)] * 5, answer(200, b"{}")) as server:
        asked = service(server.url, "connect", special=passing)
        answered, doubt = asked.sent(method, "connectors/x", None, ABOUT, "change")

    assert (answered.status, doubt, len(server.requests)) == (200, "", 6)


def test_what_workers_do_not_begin_in_their_time_is_told() -> None:
    with serving(told(409, "busy")) as server:
        asked = service(server.url, "connect", special=passing, bounds={"passing_seconds": 0})
        failed = refused(lambda: asked.change("POST", "connectors", {}, ABOUT))

    assert (failed[1], len(server.requests)) == (f"{REFUSED}busy", 3)


@pytest.mark.parametrize("status", [400, 401, 404, 409, 501])
def test_a_question_that_is_refused_is_asked_once(status: int) -> None:
    with serving(told(status)) as server:
        with pytest.raises(RequestRefusedError):
            service(server.url).question("connectors/x", ABOUT)

        assert len(server.requests) == (3 if status == 501 else 1)


def test_words_of_a_service_are_told_without_what_was_sent() -> None:
    said = "value planted-value, planted-password; password=planted " + "x" * 600

    with serving(told(400, said)) as server:
        message = refused(lambda: change(server.url))[1]

    assert message.startswith(f"{REFUSED}value ***, ***; password=*** xxx")
    assert message.endswith("xxx...")
    assert len(message) == len(REFUSED) + 500


def test_a_service_may_say_its_reason_elsewhere() -> None:
    with serving(answer(400, b'{"errors": ["first", "root"]}')) as server:
        failed = refused(lambda: change(server.url, reason=lambda body: body["errors"][-1]))
    assert failed[1] == f"{REFUSED}root"

    with serving(answer(400, b'{"message": "other"}')) as server:
        failed = refused(lambda: change(server.url, reason=lambda body: body["errors"][-1]))
    assert failed[1] == f"{REFUSED}it answers with status 400"


def test_what_a_request_is_about_does_not_show_its_secrets() -> None:
    assert repr(ABOUT) == "About(\"connector 'x'\", 'created')"
