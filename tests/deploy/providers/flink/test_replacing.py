"""A running Flink job stopped with a savepoint and followed by another, at a stand-in for its services."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from flink_answers import EXPLAINED, SAVEPOINT
from flink_plans import NAME, NEW, OLD, failure_of, provider, replacement, running, seen, shape
from flink_services_stand_in import FlinkStandIn, failing, flink_services
from http_stand_in import Fault, answers, hangs, hangs_up

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, PreimageMovedError, RequestRefusedError

TRACE = "x.Y: outer\nCaused by: org.x.CheckpointException: no disk left\n\tat a.B(C.java:1)"
GOING_ON = f"; once nothing of that name runs, `--flink-from {NAME}={SAVEPOINT}` goes on from there"
DONE = f"stopped with savepoint {SAVEPOINT}"


@pytest.fixture
def flink() -> Iterator[FlinkStandIn]:
    with flink_services() as stand_in:
        stand_in.add(NAME, fingerprint=OLD, shape=shape())
        yield stand_in


def replace(held: FlinkStandIn, **more: Any) -> None:
    provider(held, **more).execute(replacement())


def failed(held: FlinkStandIn, kind: type[Exception] = RequestRefusedError, **more: Any) -> Any:
    error = failure_of(held, replacement(), kind, **more)
    assert len(held.stopped) <= 1
    assert error.code in {
        "E403_FLINK_SQL_ERROR",
        "E404_AUTH_FAILED",
        "E406_CONNECTION_REFUSED",
        "E407_DEPLOY_ERROR",
    }
    return error


def old_job(held: FlinkStandIn) -> Any:
    return next(iter(held.jobs.values()))


def test_the_new_job_starts_from_the_savepoint_with_which_the_old_one_stopped(flink: FlinkStandIn) -> None:
    flink.progress = 2

    replace(flink)

    assert seen(flink).surface == running(NEW)
    assert old_job(flink).states == ["FINISHED"]
    ((_text, config),) = flink.inserts()
    assert config["execution.state-recovery.path"] == SAVEPOINT
    ((_word, stop),) = [one for one in flink.bodies if one[0] == "stop"]
    assert stop == {"drain": False, "triggerId": next(iter(flink.stopped))}


@pytest.mark.parametrize("restore", ["stopped", "discarded"])
def test_where_the_savepoint_of_a_stopped_job_is_is_told_when_the_new_one_runs(
    flink: FlinkStandIn, restore: str
) -> None:
    assert provider(flink).execute(replacement(restore=restore)) == DONE


def test_it_is_stopped_after_everything_is_explained_and_before_anything_is_submitted(
    flink: FlinkStandIn,
) -> None:
    replace(flink)

    steps = [
        word
        for word in flink.asked
        if word in {"statement", "overview", "stop", "savepoint", "state", "close"}
    ]
    assert steps == [
        *["statement"] * 3,
        "overview",
        "stop",
        "savepoint",
        "state",
        "statement",
        "close",
        "overview",
    ]


def test_every_stop_has_a_name_of_its_own(flink: FlinkStandIn) -> None:
    for _ in range(2):
        replace(flink)
        flink.jobs.clear()
        flink.add(NAME, fingerprint=OLD, shape=shape())

    assert sorted(len(name) for name in flink.stopped) == [32, 32]


def test_sql_that_flink_does_not_take_stops_nothing(flink: FlinkStandIn) -> None:
    flink.errors["EXPLAIN"] = TRACE

    error = failed(flink)

    assert error.message == "Flink does not take the SQL of job 'large': CheckpointException: no disk left"
    assert (flink.count("stop"), error.done, seen(flink).surface) == (0, (), running(OLD))


@pytest.mark.parametrize("now", ["another job", "none", "two"])
def test_what_is_not_what_was_planned_for_is_not_stopped(flink: FlinkStandIn, now: str) -> None:
    if now == "two":
        flink.add(NAME, fingerprint=OLD, shape=shape())
    elif now == "none":
        old_job(flink).states = ["CANCELED"]
    else:
        old_job(flink).parameters.clear()

    error = failed(flink, PreimageMovedError)

    assert error.fields
    assert (flink.count("stop"), flink.inserts()) == (0, [])


def test_a_refused_savepoint_leaves_the_old_job_which_is_looked_at(flink: FlinkStandIn) -> None:
    flink.savepoint = {"failure-cause": {"class": "x", "stack-trace": TRACE}}

    error = failed(flink)

    assert error.message == (
        "job 'large' was not stopped with a savepoint: CheckpointException: no disk left; the job is RUNNING now"
    )
    assert (error.done, flink.inserts(), seen(flink).surface) == ((), [], running(OLD))


@pytest.mark.parametrize(
    "ended",
    [{}, {"failure-cause": None}, {"failure-cause": {"class": "x"}}, {"location": ""}, {"location": 1}],
)
def test_a_savepoint_that_is_completed_without_a_place_is_none(
    flink: FlinkStandIn, ended: dict[str, Any]
) -> None:
    flink.savepoint = ended
    flink.faults["savepoint"] = Fault(answers(200, _completed(ended)))

    assert "Flink does not say why; the job is RUNNING now" in failed(flink).message
    assert flink.inserts() == []


def _completed(operation: dict[str, Any]) -> bytes:
    return json.dumps({"status": {"id": "COMPLETED"}, "operation": operation}).encode()


@pytest.mark.parametrize("status", [400, 403, 404])
def test_a_refused_stop_is_told_in_flinks_words(flink: FlinkStandIn, status: int) -> None:
    flink.faults["stop"] = Fault(failing(status, "x.WhyException: because"))

    assert failed(flink).message.endswith("WhyException: because")
    assert (flink.inserts(), seen(flink).surface) == ([], running(OLD))


@pytest.mark.parametrize("fault", ["hang up", "503", "hang"])
def test_a_stop_without_an_answer_is_sent_again_under_its_name_and_is_one_savepoint(
    flink: FlinkStandIn, fault: str
) -> None:
    does = {"hang up": hangs_up, "503": failing(503, "x.Y: later"), "hang": hangs}[fault]
    flink.faults["stop"] = Fault(does, carried_out=True, times=2)

    replace(flink, settings={"timeout": 1})

    assert (flink.count("stop"), len(flink.stopped)) == (3, 1)
    assert seen(flink).surface == running(NEW)


def test_a_stop_of_which_every_answer_is_lost_is_looked_for_by_its_name(flink: FlinkStandIn) -> None:
    flink.faults["stop"] = Fault(hangs_up, carried_out=True, times=99)

    replace(flink)

    assert seen(flink).surface == running(NEW)


def test_a_stop_that_never_arrived_is_not_called_refused(flink: FlinkStandIn) -> None:
    flink.faults["stop"] = Fault(hangs_up, times=99)

    error = failed(flink, OutcomeUnknownError)

    assert error.message == (
        "it is not known whether job 'large' was stopped with a savepoint: its cluster knows of no such request"
    )
    assert flink.inserts() == []


def test_a_stop_that_failed_and_is_not_known_was_not_made(flink: FlinkStandIn) -> None:
    flink.faults["stop"] = Fault(failing(500, "x.Y: broken"), times=99)

    assert failed(flink).message.endswith("Y: broken")


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"{}",
        b'{"status": {"id": "A_WORD_OF_LATER"}}',
        b'{"status": {"id": "COMPLETED"}, "operation": [1]}',
    ],
)
def test_something_else_than_the_state_of_a_savepoint_leaves_a_doubt(
    flink: FlinkStandIn, body: bytes
) -> None:
    flink.faults["savepoint"] = Fault(answers(200, body), times=99)

    failed(flink, OutcomeUnknownError)

    assert flink.inserts() == []


def test_a_savepoint_that_takes_too_long_leaves_a_doubt(flink: FlinkStandIn) -> None:
    flink.progress = 10**6

    error = failed(flink, OutcomeUnknownError, savepoint_seconds=1)

    assert error.message.endswith("stopped with a savepoint: that was not over within 1 s")
    assert flink.inserts() == []


def test_nothing_is_submitted_before_the_old_job_is_seen_to_have_ended(flink: FlinkStandIn) -> None:
    flink.faults["state"] = Fault(answers(200, b'{"status": "RUNNING"}'), times=10**6)

    error = failed(flink, OutcomeUnknownError, running_seconds=1)

    assert f"its savepoint is {SAVEPOINT}, and it is RUNNING still" in error.message
    assert flink.inserts() == []


# the new job could not go on from the state of the old one


def plan_with(operator: str) -> str:
    """Return an explanation with one more operator, which keeps state."""
    more = {"id": 2, "type": f"{operator}[9]", "contents": f"[9]:{operator}(groupBy=[id])"}
    head, _, tail = EXPLAINED.partition('"nodes" : [ ')
    return f'{head}"nodes" : [ {json.dumps(more)}, {tail}'


RUNS_ON = "job 'large' was not stopped: "
FRESH = "`--flink-savepoint --flink-fresh large`"


def test_a_job_is_not_stopped_for_one_that_could_not_go_on_from_its_state(flink: FlinkStandIn) -> None:
    flink.explained = plan_with("GroupAggregate")

    error = failed(flink)

    assert error.message == (
        f"{RUNS_ON}what is declared keeps other state than the running job, or keeps it elsewhere in its plan, and "
        "could not go on from there. Put its joins, groups and windows back as they were, with the columns that go "
        f"into them; or {FRESH} stops it with a savepoint, and submits what is declared without the state, to read its "
        "topics from the start again"
    )
    assert (error.code, error.done) == ("E407_DEPLOY_ERROR", ())
    assert (flink.count("stop"), flink.inserts(), seen(flink).surface) == (0, [], running(OLD))


def test_a_job_is_not_stopped_that_does_not_say_which_state_it_keeps(flink: FlinkStandIn) -> None:
    del old_job(flink).parameters["streamt.shape"]

    error = failed(flink)

    assert error.message == (
        f"{RUNS_ON}it does not say which state it keeps, so it is not known whether what is declared could go on from "
        "there. Stop it with a savepoint by Flink's own means, then `--flink-from large=SAVEPOINT`; or "
        f"{FRESH} stops it and goes on without its state"
    )
    assert (flink.count("stop"), flink.inserts()) == (0, [])


@pytest.mark.parametrize("explained", ["", 7, "another form"])
def test_a_job_is_not_stopped_where_flinks_explanation_is_not_understood(
    flink: FlinkStandIn, explained: Any
) -> None:
    flink.explained = explained

    error = failed(flink)

    assert error.message == (
        f"{RUNS_ON}the SQL Gateway of Flink cluster 'mill' explains what is declared in words that are not known, so it "
        "is not known whether it could go on from the state of the running job. Stop it with a savepoint by Flink's "
        f"own means, then `--flink-from large=SAVEPOINT`; or {FRESH} stops it and goes on without its state"
    )
    assert (flink.count("stop"), flink.inserts()) == (0, [])


def test_who_gives_the_state_up_has_the_job_stopped_with_a_savepoint_and_begun_again(
    flink: FlinkStandIn,
) -> None:
    flink.explained = plan_with("GroupAggregate")

    provider(flink).execute(replacement(restore="discarded"))

    ((_text, config),) = flink.inserts()
    assert "execution.state-recovery.path" not in config
    assert (old_job(flink).savepoint, seen(flink).surface) == (SAVEPOINT, running(NEW))


def test_where_a_job_that_was_begun_again_does_not_run_its_former_savepoint_is_told(
    flink: FlinkStandIn,
) -> None:
    flink.errors["INSERT"] = TRACE

    with pytest.raises(RequestRefusedError) as caught:
        provider(flink).execute(replacement(restore="discarded"))

    assert caught.value.message.endswith(
        f"; done before that: {DONE}; once nothing of that name runs, `--flink-fresh {NAME}` goes on from there"
    )


@pytest.mark.parametrize(
    "cause",
    [
        "java.lang.IllegalStateException: Failed to rollback to checkpoint/savepoint file:/x. Cannot map "
        "checkpoint/savepoint state for operator 3d05 to the new program",
        "org.apache.flink.util.StateMigrationException: For heap backends, the new state serializer must not be "
        "incompatible with the old state serializer",
    ],
)
def test_state_that_flink_cannot_give_to_the_new_job_is_said_to_be_the_cause(
    flink: FlinkStandIn, cause: str
) -> None:
    flink.errors["INSERT"] = f"x.Y: outer\nCaused by: {cause}\n\tat a.B(C.java:1)"

    error = failed(flink)

    assert error.message.endswith(
        f"; done before that: {DONE}; Flink cannot give the state at {SAVEPOINT} to the plan of this SQL: put back the "
        f"SQL that the state was made with, and once nothing of that name runs, `--flink-from {NAME}={SAVEPOINT}` goes "
        f"on from there; or `--flink-fresh {NAME}` submits this SQL without the state, and reads its topics from the "
        "start again"
    )
    assert error.code == "E403_FLINK_SQL_ERROR"


# the old job is stopped, and the new one does not run


@pytest.mark.parametrize("how", ["does not start", "is not taken", "is not known"])
def test_the_savepoint_is_named_and_how_to_go_on_where_the_new_job_does_not_run(
    flink: FlinkStandIn, how: str
) -> None:
    if how == "does not start":
        flink.start, flink.tasks, flink.trace = ["FAILED"], (0, 1), TRACE
    elif how == "is not taken":
        flink.errors["INSERT"] = TRACE
    else:
        flink.faults["insert"] = Fault(hangs_up)

    kind = OutcomeUnknownError if how == "is not known" else RequestRefusedError
    error = failed(flink, kind, running_seconds=1)

    assert error.done == (DONE,)
    assert error.message.endswith(f"; done before that: {DONE}{GOING_ON}")
    assert seen(flink).surface is None
    assert old_job(flink).states == ["FINISHED"]  # it is never started again


def test_the_old_job_is_not_started_again_when_the_operation_takes_back_what_it_did(
    flink: FlinkStandIn,
) -> None:
    jobs = provider(flink)
    jobs.execute(replacement())

    assert not jobs.undo(replacement())
    assert seen(flink).surface == running(NEW)
