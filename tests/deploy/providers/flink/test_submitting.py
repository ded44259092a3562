"""A Flink job submitted once, at a stand-in for a JobManager and its SQL Gateway."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flink_answers import SAVEPOINT
from flink_plans import (
    INSERT,
    KAFKA,
    NAME,
    NEW,
    OLD,
    PASSWORD,
    RESOURCE,
    failure_of,
    provider,
    running,
    seen,
    shape,
    submission,
)
from flink_services_stand_in import FlinkStandIn, failing, flink_services
from http_stand_in import Does, Fault, Handler, answers, hangs, hangs_up, tell

from streamt_ol.deploy.providers.errors import (
    OutcomeUnknownError,
    PreimageMovedError,
    ProviderError,
    RequestRefusedError,
)

TRACE = "<Exception on server side:\nx.Y: outer\n\tat a.B(C.java:1)\nCaused by: org.x.ValidationException: no such table\n"
TOLD = "ValidationException: no such table"
GOING_ON = f"; once nothing of that name runs, `--flink-fresh {NAME}` goes on from there"


@pytest.fixture
def flink() -> Iterator[FlinkStandIn]:
    with flink_services() as stand_in:
        yield stand_in


def submit(held: FlinkStandIn, **more: Any) -> None:
    provider(held, **more).execute(submission())


def failed(held: FlinkStandIn, kind: type[Exception] = RequestRefusedError, **more: Any) -> Any:
    return failure_of(held, submission(), kind, **more)


def only_job(held: FlinkStandIn) -> Any:
    (job,) = held.jobs.values()
    return job


# what is sent


def test_a_job_is_explained_compared_submitted_and_seen_to_run(flink: FlinkStandIn) -> None:
    submit(flink)

    assert flink.asked == [
        "versions",
        "open",
        *["statement", "status", "status"] * 3,  # two tables, and the explanation
        "result",
        "overview",
        *["statement", "status", "status", "result"],
        "close",
        "overview",
    ]
    assert [text.partition("\n")[0] for text, _config in flink.statements] == [
        "CREATE TEMPORARY TABLE `orders` (",
        "CREATE TEMPORARY TABLE `out` (",
        "EXPLAIN JSON_EXECUTION_PLAN INSERT INTO `out` (`id`)",
        "INSERT INTO `out` (`id`)",
    ]
    assert seen(flink).surface == running(NEW)


def test_only_the_submission_has_an_id_and_says_what_it_is(flink: FlinkStandIn) -> None:
    submit(flink)

    job = only_job(flink)
    assert [bool(config) for _text, config in flink.statements] == [False, False, False, True]
    assert flink.inserts() == [
        (
            INSERT,
            {
                "$internal.pipeline.job-id": job.id,
                "table.exec.uid.generation": "ALWAYS",
                "table.exec.uid.format": "<type>_<transformation>",
                "pipeline.global-job-parameters": (
                    f"streamt.fingerprint:'{NEW}',streamt.shape:'{shape()}',streamt.resource:'{RESOURCE}'"
                ),
            },
        )
    ]
    assert len(job.id) == 32
    assert ("open", {"properties": {"parallelism.default": "2", "pipeline.name": NAME}}) in flink.bodies


def test_every_submission_has_an_id_of_its_own(flink: FlinkStandIn) -> None:
    for _ in range(2):
        submit(flink)
        only_job(flink).states = ["CANCELED"]
        ids = {config["$internal.pipeline.job-id"] for _text, config in flink.inserts()}
        flink.jobs.clear()

    assert len(ids) == 2


def test_logins_are_in_the_tables_alone(flink: FlinkStandIn) -> None:
    submit(flink)

    with_login = [text for text, _config in flink.statements if "planted" in text]
    assert [text.partition(" (")[0] for text in with_login] == [
        "CREATE TEMPORARY TABLE `orders`",
        "CREATE TEMPORARY TABLE `out`",
    ]


@pytest.mark.parametrize(
    ("theirs", "path"),
    [(["V1"], "v1"), (["V1", "V2"], "v2"), (["V2", "V9", "V3"], "v3"), (["V4", "V1"], "v4")],
)
def test_the_newest_version_that_both_know_is_spoken(
    flink: FlinkStandIn, theirs: list[str], path: str
) -> None:
    paths: list[str] = []
    flink.versions = theirs
    flink.faults["open"] = Fault(lambda handler: _noted(handler, paths))

    failed(flink)

    assert paths == [f"/{path}/sessions"]


def _noted(handler: Handler, paths: list[str]) -> None:
    paths.append(handler.path)
    failing(403, "x.Y: no")(handler)


def test_a_gateway_of_another_time_is_refused_by_name(flink: FlinkStandIn) -> None:
    flink.versions = ["V8", "V9"]

    error = failed(flink)

    assert error.code == "E548_SERVICE_ANSWER"
    assert error.message == (
        "the SQL Gateway of Flink cluster 'mill' speaks none of the versions V1 to V4 of its interface: V8, V9"
    )


@pytest.mark.parametrize("restore", ["named", "fresh"])
def test_an_ended_job_is_submitted_from_a_savepoint_or_without_its_state(
    flink: FlinkStandIn, restore: str
) -> None:
    flink.add(NAME, "CANCELED", fingerprint=OLD)

    provider(flink).execute(submission(restore, SAVEPOINT if restore == "named" else None))

    ((_text, config),) = flink.inserts()
    assert config.get("execution.state-recovery.path") == (SAVEPOINT if restore == "named" else None)
    assert seen(flink).surface == running(NEW)


# what is there is not what was planned with


@pytest.mark.parametrize("there", [NEW, OLD, None])
def test_nothing_is_submitted_beside_a_job_that_nobody_planned_for(
    flink: FlinkStandIn, there: str | None
) -> None:
    flink.add(NAME, fingerprint=there)

    error = failed(flink, PreimageMovedError)

    assert error.code == "E407_DEPLOY_ERROR"
    assert error.fields == ("state", "fingerprint") if there else ("state",)
    assert flink.inserts() == []


# what Flink refuses


@pytest.mark.parametrize(
    ("begins", "what"),
    [("CREATE", "the table of 'orders'"), ("EXPLAIN", "the SQL"), ("INSERT", "the submission")],
)
def test_flinks_own_cause_is_told_of_a_statement(flink: FlinkStandIn, begins: str, what: str) -> None:
    flink.errors[begins] = TRACE

    error = failed(flink)

    assert error.code == "E403_FLINK_SQL_ERROR"
    assert error.message == f"Flink does not take {what} of job 'large': {TOLD}"
    assert len(flink.inserts()) == (1 if begins == "INSERT" else 0)


def test_no_login_is_told_whatever_flink_quotes(flink: FlinkStandIn) -> None:
    quoted = " ".join([PASSWORD, PASSWORD.replace("'", "''"), "-----BEGIN PRIVATE KEY-----planted-key"])
    flink.errors["EXPLAIN"] = TRACE.replace("no such table", f"options: {quoted}")

    assert failed(flink).message.endswith("ValidationException: options: *** *** ***")


def test_a_failure_without_a_cause_is_told_by_its_status(flink: FlinkStandIn) -> None:
    flink.errors["EXPLAIN"] = TRACE
    flink.faults["result"] = Fault(answers(200, b"{}"))

    assert failed(flink).message.endswith(": its operation ended as ERROR")


@pytest.mark.parametrize("status", ["CANCELED", "CLOSED", "TIMEOUT", "A_WORD_OF_LATER"])
def test_an_operation_that_ended_otherwise_is_no_success(flink: FlinkStandIn, status: str) -> None:
    flink.lasting["EXPLAIN"] = ["PENDING", status]

    assert failed(flink).message.endswith(f": its operation ended as {status}")


def test_a_statement_that_takes_too_long_is_given_up(flink: FlinkStandIn) -> None:
    flink.lasting["EXPLAIN"] = ["RUNNING"]

    error = failed(flink, settings={"statement_timeout": 1})

    assert (error.code, flink.inserts()) == ("E403_FLINK_SQL_ERROR", [])
    assert error.message == (
        "the SQL of job 'large' was not done within 1 s by the SQL Gateway of Flink cluster 'mill', and was given up"
    )


# whatever goes wrong before the submission changes nothing

FAULTS: dict[str, Does] = {
    "401": failing(401, "x.Y: who are you"),
    "403": failing(403, "x.Y: not you"),
    "500": failing(500, "x.Y: broken"),
    "503": failing(503, "x.Y: later"),
    "hang": hangs,
    "hang up": hangs_up,
    "no JSON": answers(200, b"<html>planted-page"),
    "another JSON": answers(200, b'["planted"]'),
    "a handle that leads elsewhere": answers(
        200, b'{"sessionHandle": "../x", "operationHandle": "../x", "versions": "V1", "status": 1, "jobs": 1}'
    ),
    "huge": answers(200, b'{"x": "' + b"x" * 17_000_000 + b'"}'),
    "redirect": lambda handler: tell(handler, 307, Location=f"{handler.stand_in.url}/elsewhere"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("word", ["versions", "open", "statement", "status", "overview"])
def test_whatever_goes_wrong_before_the_submission_changes_nothing(
    flink: FlinkStandIn, word: str, fault: str
) -> None:
    flink.faults[word] = Fault(FAULTS[fault], times=99)

    error = failed(flink, ProviderError, settings={"timeout": 1, "retries": 1})

    assert error.code in {"E404_AUTH_FAILED", "E406_CONNECTION_REFUSED", "E548_SERVICE_ANSWER"}
    assert (flink.inserts(), flink.jobs) == ([], {})
    assert flink.count("close") == (0 if word in ("versions", "open") else 1)
    assert "unknown" not in flink.asked


@pytest.mark.parametrize("fault", ["500", "hang", "hang up", "no JSON"])
def test_a_session_that_is_not_closed_is_no_failure(flink: FlinkStandIn, fault: str) -> None:
    flink.faults["close"] = Fault(FAULTS[fault], times=99)

    submit(flink, settings={"timeout": 1})

    assert seen(flink).surface == running(NEW)
    assert flink.count("close") == 1


def test_ctrl_c_closes_the_session(flink: FlinkStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("streamt_ol.deploy.providers.flink.provider.submit", interrupted)

    with pytest.raises(KeyboardInterrupt):
        submit(flink)

    assert (flink.sessions, flink.count("close")) == ({}, 1)


# the answer to the submission is lost

LOST = ("hang", "hang up", "500", "503", "no JSON", "another JSON")


@pytest.mark.parametrize("fault", LOST)
def test_a_submission_without_an_answer_is_found_by_its_id_and_never_repeated(
    flink: FlinkStandIn, fault: str
) -> None:
    flink.faults["insert"] = Fault(FAULTS[fault], carried_out=True)

    submit(flink, settings={"timeout": 1})

    assert (len(flink.inserts()), len(flink.jobs)) == (1, 1)
    assert seen(flink).surface == running(NEW)


@pytest.mark.parametrize("word", ["status", "result"])
@pytest.mark.parametrize("fault", ["hang", "hang up", "500", "no JSON", "another JSON"])
def test_a_submission_whose_end_is_not_told_is_found_by_its_id(
    flink: FlinkStandIn, word: str, fault: str
) -> None:
    gateway = provider(flink, settings={"timeout": 1, "retries": 1})
    does = FAULTS[fault]
    flink.faults["insert"] = Fault(lambda handler: _accepted(flink, handler, word, does), carried_out=True)

    gateway.execute(submission())

    assert (len(flink.inserts()), len(flink.jobs)) == (1, 1)


def _accepted(
    held: FlinkStandIn,
    handler: Handler,
    word: str,
    does: Does,
) -> None:
    held.faults[word] = Fault(does, times=99)
    operation = list(held.operations)[-1]
    answers(200, f'{{"operationHandle": "{operation}"}}'.encode())(handler)


@pytest.mark.parametrize("fault", ["hang", "hang up", "503", "no JSON"])
def test_a_submission_of_which_nobody_knows_is_neither_done_nor_refused(
    flink: FlinkStandIn, fault: str
) -> None:
    flink.faults["insert"] = Fault(FAULTS[fault])

    kind = RequestRefusedError if fault == "503" else OutcomeUnknownError
    error = failed(flink, kind, settings={"timeout": 1}, running_seconds=1)

    assert error.code == "E407_DEPLOY_ERROR"
    if kind is OutcomeUnknownError:
        assert error.message.startswith("it is not known whether job 'large' was submitted as ")
    assert flink.count("statement") == 4


def test_a_submission_is_not_called_refused_where_its_cluster_cannot_be_asked(flink: FlinkStandIn) -> None:
    flink.faults["insert"] = Fault(failing(500, "x.Y: broken"))
    flink.faults["state"] = Fault(failing(503, "x.Y: later"), times=99)

    failed(flink, OutcomeUnknownError, settings={"retries": 1}, running_seconds=1)


@pytest.mark.parametrize("status", [401, 403])
def test_a_submission_that_is_refused_was_not_made(flink: FlinkStandIn, status: int) -> None:
    flink.faults["insert"] = Fault(failing(status, "x.Y: not you"))

    assert failed(flink).code == "E404_AUTH_FAILED"


def test_a_submission_that_failed_after_all_it_asked_for_was_done_is_done(flink: FlinkStandIn) -> None:
    flink.errors["INSERT"] = TRACE.replace("no such table", "Job has already been submitted.")
    flink.submits_on_error = True

    submit(flink)

    assert seen(flink).surface == running(NEW)


def test_a_submission_that_takes_too_long_is_given_up_and_looked_for(flink: FlinkStandIn) -> None:
    flink.lasting["INSERT"] = ["RUNNING"]

    submit(flink, statement_seconds=1)

    assert (flink.count("give up"), len(flink.inserts()), seen(flink).surface) == (1, 1, running(NEW))


def test_a_job_under_another_id_than_asked_for_is_the_one_that_is_told(flink: FlinkStandIn) -> None:
    def ignoring(handler: Handler) -> None:
        job = only_job(flink)
        flink.jobs = {}
        other = flink.add(NAME, fingerprint=NEW)
        operation = list(flink.operations)[-1]
        flink.operations[operation].job = other.id
        assert job.id != other.id
        answers(200, f'{{"operationHandle": "{operation}"}}'.encode())(handler)

    flink.faults["insert"] = Fault(ignoring, carried_out=True)

    submit(flink)


# whether it gets to run


def test_a_job_is_waited_for_until_all_of_its_tasks_run(flink: FlinkStandIn) -> None:
    flink.start = ["CREATED", "INITIALIZING", "RUNNING"]

    submit(flink)

    assert flink.count("overview") == 4  # one of them before the submission


def test_a_job_that_is_over_at_once_has_run(flink: FlinkStandIn) -> None:
    flink.start = ["FINISHED"]

    submit(flink)


def test_a_job_that_fails_is_told_with_its_own_cause(flink: FlinkStandIn) -> None:
    flink.start = ["RUNNING", "FAILED"]
    flink.tasks = (0, 1)
    flink.trace = TRACE

    error = failed(flink)

    job = only_job(flink)
    assert error.code == "E407_DEPLOY_ERROR"
    assert error.message == (
        f"job 'large' was submitted as {job.id} and did not get to run: {TOLD} (it is FAILED){GOING_ON}"
    )


def test_a_job_whose_topic_is_not_there_is_told_what_is_missing(flink: FlinkStandIn) -> None:
    reason = "UnknownTopicOrPartitionException: This server does not host this topic-partition."
    flink.start = ["RUNNING", "FAILED"]
    flink.tasks = (0, 1)
    flink.trace = f"x.Y: outer\nCaused by: org.apache.kafka.common.errors.{reason}\n\tat a.B(C.java:1)"

    message = failed(flink).message

    assert (
        f"{reason} (it is FAILED); a topic that it reads or writes is not there, one of 'shop.orders', 'shop.out': "
        "have it made, or " in message
    )
    assert message.endswith(GOING_ON)


@pytest.mark.parametrize(
    ("cause", "helps"),
    [
        (
            "x.NoResourceAvailableException: Could not acquire the minimum required resources.",
            "lower `flink.parallelism`",
        ),
        (
            "x.JsonParseException: Fail to deserialize at field: at.",
            "a record is not what the columns of its topic say",
        ),
    ],
)
def test_what_helps_against_a_failure_at_the_start_is_said(
    flink: FlinkStandIn, cause: str, helps: str
) -> None:
    flink.start, flink.tasks = ["RUNNING", "FAILED"], (0, 1)
    flink.trace = f"x.JobException: outer\nCaused by: {cause}\n\tat a.B(C.java:1)"

    message = failed(flink).message

    assert helps in message
    assert message.endswith(GOING_ON)


def test_a_job_that_fails_again_and_again_is_cancelled(flink: FlinkStandIn) -> None:
    flink.start = ["RESTARTING"]
    flink.trace = TRACE

    error = failed(flink, running_seconds=1)

    assert f"{TOLD} (it is RESTARTING, and not all of its tasks run; it was cancelled)" in error.message
    assert (flink.count("cancel"), only_job(flink).state()) == (1, "CANCELED")


def test_a_job_that_only_waits_for_its_turn_is_left_and_nothing_is_claimed(flink: FlinkStandIn) -> None:
    flink.tasks = (0, 1)

    error = failed(flink, OutcomeUnknownError, running_seconds=1)

    assert "was not seen to run within 1 s: it is RUNNING, and not all of its tasks run" in error.message
    assert flink.count("cancel") == 0


def test_a_cluster_that_is_away_for_a_while_is_asked_again(flink: FlinkStandIn) -> None:
    real = provider(flink, settings={"retries": 1})
    flink.faults["close"] = Fault(lambda handler: _gone_for_a_while(flink, handler), carried_out=True)

    real.execute(submission())

    assert seen(flink).surface == running(NEW)


def _gone_for_a_while(held: FlinkStandIn, handler: Handler) -> None:
    held.faults["overview"] = Fault(failing(503, "x.Y: later"), times=2)
    answers(200, b"{}")(handler)


# taken back


def test_what_was_submitted_is_cancelled_and_seen_to_end(flink: FlinkStandIn) -> None:
    jobs = provider(flink)
    jobs.execute(submission())

    assert jobs.undo(submission())
    assert seen(flink).verdict == "ended"


def test_a_job_that_ended_by_itself_needs_no_end(flink: FlinkStandIn) -> None:
    jobs = provider(flink)
    jobs.execute(submission())
    only_job(flink).states = ["FINISHED"]

    assert jobs.undo(submission())
    assert flink.count("cancel") == 0


def test_nothing_is_taken_back_that_this_operation_did_not_submit(flink: FlinkStandIn) -> None:
    flink.add(NAME, fingerprint=NEW)

    assert not provider(flink).undo(submission())
    assert flink.count("cancel") == 0


def test_a_job_that_does_not_end_is_not_called_taken_back(flink: FlinkStandIn) -> None:
    jobs = provider(flink, running_seconds=1)
    jobs.execute(submission())
    flink.faults["cancel"] = Fault(failing(403, "x.Y: not you"))

    with pytest.raises(OutcomeUnknownError, match=r"is not seen to have ended: .*not you"):
        jobs.undo(submission())


def test_a_cancellation_without_an_answer_is_looked_after(flink: FlinkStandIn) -> None:
    jobs = provider(flink)
    jobs.execute(submission())
    flink.faults["cancel"] = Fault(hangs_up, carried_out=True)

    assert jobs.undo(submission())


def test_files_of_a_login_are_read_before_anything_is_asked(flink: FlinkStandIn) -> None:
    kafka = {**KAFKA, "security_protocol": "SASL_SSL", "ssl_ca_location": "/no/such.pem"}

    error = failed(flink, kafka=kafka)

    assert (error.code, error.location) == ("E405_SSL_ERROR", "/runtime/kafka/ssl_ca_location")
    assert flink.asked == []
