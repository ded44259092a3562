"""What there is of a Flink job, as a stand-in for a JobManager tells it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from flink_answers import SAVEPOINT
from flink_plans import KAFKA, NAME, NEW, OLD, bounded_rules, provider, running, seen
from flink_services_stand_in import FlinkStandIn, failing, flink_services
from flink_stand_in import NO_JOBS
from http_stand_in import Fault, answers, hangs, hangs_up

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.providers.flink.provider import FlinkJobs
from streamt_ol.deploy.records import Live, Wanted


@pytest.fixture
def flink() -> Iterator[FlinkStandIn]:
    with flink_services() as stand_in:
        yield stand_in


def refused(held: FlinkStandIn, **more: Any) -> tuple[str, str, str | None]:
    with pytest.raises(RequestRefusedError) as caught:
        seen(held, **more)
    assert (caught.value.__cause__, caught.value.__suppress_context__) == (None, True) or (
        caught.value.__context__ is None
    )
    return caught.value.code, caught.value.message, caught.value.location


def test_a_job_is_known_by_its_name_and_says_itself_what_it_was_made_of(flink: FlinkStandIn) -> None:
    flink.add("other", fingerprint=OLD)
    flink.add(NAME, fingerprint=NEW)

    assert seen(flink) == Live("flink_job", NAME, running(NEW))
    assert flink.asked == ["overview", "config"]


def test_a_cluster_is_asked_once_for_all_jobs_and_once_more_for_each_that_runs(flink: FlinkStandIn) -> None:
    flink.add("a", fingerprint=OLD)
    flink.add("b", fingerprint=NEW)

    found = provider(flink).observe([Wanted(name, "mill") for name in ("a", "b", "c")])

    assert [found[name].surface for name in ("a", "b", "c")] == [running(OLD), running(NEW), None]
    assert flink.asked == ["overview", "config", "config"]


def test_a_job_that_does_not_say_what_it_was_made_of_is_something_else(flink: FlinkStandIn) -> None:
    flink.add(NAME)

    assert seen(flink).surface == running(None)


@pytest.mark.parametrize(
    "state", ["INITIALIZING", "CREATED", "RUNNING", "RESTARTING", "RECONCILING", "SUSPENDED"]
)
def test_a_job_that_has_its_state_and_goes_on_is_running(flink: FlinkStandIn, state: str) -> None:
    flink.add(NAME, state, fingerprint=NEW)

    assert seen(flink).surface == running(NEW)


@pytest.mark.parametrize("state", ["FAILING", "CANCELLING", "A_WORD_OF_LATER"])
def test_a_job_on_its_way_out_is_ending(flink: FlinkStandIn, state: str) -> None:
    flink.add(NAME, state, fingerprint=NEW)

    assert seen(flink).surface == running(NEW, "ending")


@pytest.mark.parametrize("state", ["FINISHED", "FAILED", "CANCELED"])
def test_a_job_that_has_ended_is_not_there_and_its_last_savepoint_is_told(
    flink: FlinkStandIn, state: str
) -> None:
    flink.add(NAME, "FAILED", savepoint="file:/older")
    flink.add(NAME, state, savepoint=SAVEPOINT)

    reason = f"it is {state}, and its last savepoint is {SAVEPOINT}"
    assert seen(flink) == Live("flink_job", NAME, None, "ended", reason)


def test_of_a_job_without_a_savepoint_that_is_said(flink: FlinkStandIn) -> None:
    flink.add(NAME, "CANCELED")

    assert seen(flink).reason == "it is CANCELED, and its cluster remembers no savepoint of it"


def test_a_running_job_stands_before_those_that_have_ended(flink: FlinkStandIn) -> None:
    flink.add(NAME, fingerprint=NEW)
    flink.add(NAME, "CANCELED", fingerprint=OLD)

    assert seen(flink).surface == running(NEW)


def test_of_two_that_have_not_ended_neither_is_taken_for_the_job(flink: FlinkStandIn) -> None:
    jobs = [flink.add(NAME, state, fingerprint=NEW) for state in ("RUNNING", "RESTARTING")]

    live = seen(flink)

    assert live.surface == running(None, "several")
    assert live.reason == ", ".join(
        sorted(f"{job.id} is {state}" for job, state in zip(jobs, ("RUNNING", "RESTARTING"), strict=True))
    )


def test_a_job_that_is_forgotten_between_two_questions_says_nothing(flink: FlinkStandIn) -> None:
    flink.add(NAME, fingerprint=NEW)
    flink.faults["config"] = Fault(failing(404, "x.NotFoundException: Job not found"))

    assert seen(flink).surface == running(None)


# what goes wrong


@pytest.mark.parametrize("key", ["rest_url", "sql_gateway_url"])
def test_a_service_without_an_address_is_named_at_its_key(flink: FlinkStandIn, key: str) -> None:
    with pytest.raises(RequestRefusedError) as caught:
        provider(flink, settings={key: None}).observe([Wanted(NAME, "mill")])

    assert caught.value.code == "E208_MISSING_CONFIG"
    assert caught.value.location == f"/runtime/flink/clusters/mill/{key}"


@pytest.mark.parametrize("cluster", [None, "elsewhere"])
def test_without_a_cluster_there_is_nobody_to_ask(cluster: str | None) -> None:
    with pytest.raises(RequestRefusedError) as caught:
        FlinkJobs({"kafka": KAFKA}, bounded_rules()).observe([Wanted(NAME, cluster)])

    assert (caught.value.code, caught.value.location) == ("E208_MISSING_CONFIG", "/runtime/flink")


@pytest.mark.parametrize(
    ("settings", "key"), [({"type": "Confluent-Cloud"}, "type"), ({"api_key": "planted-key"}, "api_key")]
)
def test_a_cluster_with_other_interfaces_is_refused_by_name(
    flink: FlinkStandIn, settings: dict[str, str], key: str
) -> None:
    code, message, location = refused(flink, settings=settings)

    assert (code, location) == ("E208_MISSING_CONFIG", f"/runtime/flink/clusters/mill/{key}")
    assert message.startswith("Flink cluster 'mill' ")
    assert "planted" not in message
    assert flink.asked == []


@pytest.mark.parametrize("word", ["overview", "config"])
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "E404_AUTH_FAILED"),
        (403, "E404_AUTH_FAILED"),
        (400, "E548_SERVICE_ANSWER"),
        (500, "E548_SERVICE_ANSWER"),
    ],
)
def test_a_refused_question_is_told_in_flinks_words(
    flink: FlinkStandIn, word: str, status: int, code: str
) -> None:
    flink.add(NAME, fingerprint=NEW)
    flink.faults[word] = Fault(failing(status, "x.y.WhyException: because\n\tat a.B(C.java:1)"), times=9)

    told = refused(flink)

    assert (told[0], told[2]) == (code, "/runtime/flink/clusters/mill")
    assert told[1].endswith("WhyException: because")


def test_a_question_is_asked_again_where_it_got_no_answer(flink: FlinkStandIn) -> None:
    flink.add(NAME, fingerprint=NEW)
    flink.faults["overview"] = Fault(hangs_up, times=2)

    assert seen(flink).surface == running(NEW)
    assert flink.count("overview") == 3


def test_the_runtime_says_how_long_and_how_often_is_asked(flink: FlinkStandIn) -> None:
    flink.faults["overview"] = Fault(hangs, times=9)

    code, message, _location = refused(flink, settings={"timeout": 1, "retries": 2})

    assert (code, message) == (
        "E406_CONNECTION_REFUSED",
        f"Flink cluster 'mill' at {flink.url.removeprefix('http://')} does not answer about the list of its "
        "jobs: no answer came in time",
    )
    assert flink.count("overview") == 2


@pytest.mark.parametrize(
    "body",
    [
        *NO_JOBS,
        b'{"jobs": [{"jid": "../x", "name": "a", "state": "RUNNING", "start-time": 1, "tasks": {}}]}',
        b'{"jobs": [], "jobs": []}',
    ],
    ids=lambda body: repr(body[:20]),
)
def test_something_else_than_jobs_is_no_answer(flink: FlinkStandIn, body: bytes) -> None:
    flink.faults["overview"] = Fault(answers(200, body))

    assert refused(flink)[0] == "E548_SERVICE_ANSWER"


@pytest.mark.parametrize(
    "body", [b"[]", b"{}", b'{"execution-config": 1}', b'{"execution-config": {"user-config": 1}}']
)
def test_something_else_than_settings_is_no_answer(flink: FlinkStandIn, body: bytes) -> None:
    flink.add(NAME, fingerprint=NEW)
    flink.faults["config"] = Fault(answers(200, body))

    assert refused(flink)[0] == "E548_SERVICE_ANSWER"


def test_a_login_is_sent_and_shown_nowhere(flink: FlinkStandIn) -> None:
    settings = {"username": "ada", "password": "planted-flink-password"}
    flink.faults["overview"] = Fault(failing(401, "x.Y: planted-flink-password is wrong"))

    _code, message, _location = refused(flink, settings=settings)

    sent = base64.b64encode(b"ada:planted-flink-password").decode()
    assert flink.headers[0]["Authorization"] == f"Basic {sent}"
    assert "planted" not in message
