"""The jobs of a Flink cluster, asked over real connections of a stand-in for its REST interface."""

from __future__ import annotations

import base64
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from checked import packaged_rules
from flink_stand_in import NO_JOBS, FlinkStandIn, flink_stand_in
from http_stand_in import Handler, answers
from scripted_servers import tls_of, write_pem

from streamt_ol.checks.continuous_tests import Job
from streamt_ol.checks.flink_errors import (
    FlinkAnswerError,
    FlinkError,
    FlinkLoginError,
    FlinkNotConfiguredError,
    FlinkTlsError,
    FlinkUnreachableError,
)
from streamt_ol.checks.flink_jobs import FlinkClusters

SECRET = "planted-flink-password"


@pytest.fixture
def flink() -> Iterator[FlinkStandIn]:
    with flink_stand_in() as server:
        yield server


def clusters(**settings: Any) -> FlinkClusters:
    return FlinkClusters({"flink": {"clusters": {"main": settings}}}, packaged_rules())


def address(server: FlinkStandIn) -> str:
    return server.url.partition("://")[2]


def failure(**settings: Any) -> FlinkError:
    with pytest.raises(FlinkError) as caught:
        clusters(**settings).jobs("main")
    assert caught.value.location == "/runtime/flink/clusters/main"
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    return caught.value


def test_jobs_are_told_with_their_names_states_and_starts(flink: FlinkStandIn) -> None:
    flink.jobs = [("test_a", "RUNNING"), ("test_b", "FINISHED")]

    assert clusters(rest_url=flink.url).jobs("main") == (
        Job("test_a", "RUNNING", 1_767_225_600_000),
        Job("test_b", "FINISHED", 1_767_225_600_001),
    )
    ((path, headers),) = flink.asked
    assert path == "/jobs/overview"
    assert headers["Accept"].startswith("application/json")
    assert "Authorization" not in headers


def test_a_cluster_may_have_no_job_and_stand_under_a_path(flink: FlinkStandIn) -> None:
    assert clusters(rest_url=f"{flink.url}/flink/").jobs("main") == ()
    assert flink.asked[0][0] == "/flink/jobs/overview"


def test_a_cluster_is_asked_once_whatever_came_of_it(flink: FlinkStandIn) -> None:
    telling = clusters(rest_url=flink.url)
    flink.jobs = [("a", "RUNNING")]

    assert telling.jobs("main") == telling.jobs("main")
    assert len(flink.asked) == 1

    flink.answer = answers(503, b"{}")
    failing = clusters(rest_url=flink.url)
    texts = []
    for _ in range(2):
        with pytest.raises(FlinkAnswerError) as caught:
            failing.jobs("main")
        texts.append(caught.value.message)
    assert texts == ["cluster 'main' answers with status 503"] * 2
    assert len(flink.asked) == 2


@pytest.mark.parametrize("in_the_address", [False, True])
def test_a_login_is_sent_and_shown_nowhere(
    flink: FlinkStandIn, caplog: pytest.LogCaptureFixture, *, in_the_address: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = {"rest_url": flink.url, "username": "ada", "password": SECRET}
    if in_the_address:
        settings = {"rest_url": flink.url.replace("://", f"://ada:{SECRET}@")}
    flink.answer = answers(401, b"no")

    error = failure(**settings)

    sent = base64.b64encode(f"ada:{SECRET}".encode()).decode()
    assert flink.asked[0][1]["Authorization"] == f"Basic {sent}"
    assert isinstance(error, FlinkLoginError)
    assert error.message == "cluster 'main' refuses the login with status 401"
    assert SECRET not in repr(error) + str(error)
    assert caplog.records == []


@pytest.mark.parametrize("address", [None, "", "localhost:8081", "ftp://localhost", "http://", "http://h:x"])
def test_a_cluster_needs_an_address_that_can_be_asked(address: str | None) -> None:
    error = failure(rest_url=address)

    assert isinstance(error, FlinkNotConfiguredError)
    assert error.code == "E208_MISSING_CONFIG"
    assert error.message == "cluster 'main' has no rest_url with http:// or https://"


def test_without_a_cluster_there_is_nobody_to_ask() -> None:
    with pytest.raises(FlinkNotConfiguredError, match="no Flink cluster is named, and none is the default"):
        clusters().jobs(None)


def test_nobody_listens(flink: FlinkStandIn) -> None:
    error = failure(rest_url="http://127.0.0.1:1")

    assert isinstance(error, FlinkUnreachableError)
    assert error.code == "E406_CONNECTION_REFUSED"
    assert error.message == "cluster 'main' at 127.0.0.1:1 cannot be connected to: the connection was refused"
    assert error.suggestion == (
        "see whether it is at work, and whether host and port of its address in the runtime are right"
    )


@pytest.mark.parametrize("when", ["before the headers", "in the body"])
def test_a_server_that_hangs_or_drips_holds_nobody_longer_than_the_timeout(
    flink: FlinkStandIn, when: str
) -> None:
    released = threading.Event()

    def drip(handler: Handler) -> None:
        if when == "in the body":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not released.wait(0.05):
            handler.wfile.write(b" " if when == "in the body" else b"H")

    flink.answer = drip
    try:
        error = failure(rest_url=flink.url, timeout=1)
    finally:
        released.set()

    assert isinstance(error, FlinkUnreachableError)
    assert error.message == f"cluster 'main' at {address(flink)} does not answer within 1 s"


def test_a_server_that_goes_away_in_the_middle_is_no_answer(flink: FlinkStandIn) -> None:
    def leave(handler: Handler) -> None:
        handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"jobs": [')

    flink.answer = leave

    error = failure(rest_url=flink.url)

    assert isinstance(error, FlinkUnreachableError)
    assert error.message == f"cluster 'main' at {address(flink)} does not answer: the connection broke off"


@pytest.mark.parametrize("status", [204, 302, 404, 500])
def test_another_status_is_no_answer_and_a_redirect_is_not_followed(flink: FlinkStandIn, status: int) -> None:
    flink.answer = answers(status, Location=f"{flink.url}/jobs/overview")

    error = failure(rest_url=flink.url)

    assert isinstance(error, FlinkAnswerError)
    assert (error.code, error.message) == (
        "E532_FLINK_ANSWER",
        f"cluster 'main' answers with status {status}",
    )
    assert len(flink.asked) == 1


@pytest.mark.parametrize(
    "body",
    [
        *NO_JOBS,
        b'{"jobs": [{"name": "a", "state": "RUNNING"}]}',
        b'{"jobs": [{"name": "a", "state": "RUNNING", "start-time": null}]}',
        b"\xff",
    ],
    ids=lambda body: repr(body[:30]),
)
def test_something_else_than_jobs_is_no_answer(flink: FlinkStandIn, body: bytes) -> None:
    flink.answer = answers(200, body)

    assert failure(rest_url=flink.url).message == "cluster 'main' answers with something else than its jobs"


def test_an_answer_is_read_up_to_a_bound(flink: FlinkStandIn) -> None:
    most = packaged_rules().catalogue("test-limits")["flink_bytes"]["limit"]
    padding = json.dumps({"jobs": [], "x": "x" * most}).encode()
    flink.answer = answers(200, padding)

    assert failure(rest_url=flink.url).message == "cluster 'main' answers with more than is read"


def test_proxies_of_the_environment_are_not_used(
    flink: FlinkStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert clusters(rest_url=flink.url).jobs("main") == ()


# TLS


@pytest.fixture
def secure_flink(authority: trustme.CA) -> Iterator[FlinkStandIn]:
    with flink_stand_in(tls_of(authority, "localhost")) as server:
        yield server


def test_a_private_authority_is_named_in_the_runtime(secure_flink: FlinkStandIn, ca_file: str) -> None:
    secure_flink.jobs = [("a", "RUNNING")]

    told = clusters(rest_url=secure_flink.url, ssl_ca_location=ca_file).jobs("main")

    assert [job.name for job in told] == ["a"]


def test_an_unknown_authority_is_refused(secure_flink: FlinkStandIn) -> None:
    error = failure(rest_url=secure_flink.url)

    assert isinstance(error, FlinkTlsError)
    assert (error.code, error.message) == (
        "E405_SSL_ERROR",
        f"no TLS connection to cluster 'main' at {address(secure_flink)} came about: "
        "its certificate is signed by nobody who is trusted here",
    )
    assert secure_flink.asked == []


def test_a_client_certificate_is_shown_to_a_server_that_asks_for_one(
    authority: trustme.CA, ca_file: str, tmp_path: Path
) -> None:
    client = authority.issue_cert("ada@shop.example")
    file = write_pem(tmp_path, "client.pem", client.private_key_and_cert_chain_pem)
    files = {"ssl_ca_location": ca_file, "ssl_certificate_location": file}

    with flink_stand_in(tls_of(authority, "localhost", clients=authority)) as server:
        assert clusters(rest_url=server.url, **files).jobs("main") == ()


@pytest.mark.parametrize("key", ["ssl_ca_location", "ssl_certificate_location"])
def test_a_file_that_cannot_be_used_is_an_error_without_its_content(
    flink: FlinkStandIn, tmp_path: Path, key: str
) -> None:
    (tmp_path / "broken.pem").write_text(SECRET, "utf-8")

    for name in ("broken.pem", "absent.pem"):
        error = failure(rest_url=flink.url, **{key: str(tmp_path / name)})

        assert error.message == "a certificate or key for cluster 'main' cannot be used"
        assert SECRET not in repr(error)
    assert flink.asked == []
