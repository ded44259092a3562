"""What is left, told and sent when an operation ends otherwise than asked for. The failures are injected."""

from __future__ import annotations

import os
import signal

import pytest
from durable import Carried, operation, order, topic

from streamt_ol.deploy.applying.records import Kept, OperationFailedError
from streamt_ol.deploy.providers.errors import OutcomeUnknownError, PreimageMovedError, ProviderError
from streamt_ol.deploy.state.errors import (
    LockLostError,
    ReleaseAfterCommitError,
    StateConflictError,
    StateError,
    StateUnavailableError,
    UnknownOutcomeError,
)
from streamt_ol.deploy.state.records import Recovery
from streamt_ol.runs.deliveries import DeliveryError

TWO = order(topic(0), topic(1))


class RefusedError(ProviderError):
    """The service's refusal, in its words."""

    code = "E407_DEPLOY_ERROR"


def failed(done: Carried) -> OperationFailedError:
    with pytest.raises(OperationFailedError) as caught:
        done.do()
    return caught.value


def ends(done: Carried, after: str) -> list[str]:
    """Return the steps after the first of that name."""
    return done.journal.steps[done.journal.steps.index(after) + 1 :]


def codes(error: OperationFailedError) -> list[str]:
    return [diagnostic.code for diagnostic in error.errors]


# a provider that refuses


def test_an_action_that_fails_is_marked_before_the_run_fails() -> None:
    done = operation(order(topic(0)), {"create t0": RefusedError("the topic is there already")})

    error = failed(done)

    assert ends(done, "create t0") == [
        "lock",
        "completed 0 failed",
        "mark runtime_action_failed",
        "FAIL",
        "close",
    ]
    assert (codes(error), error.exit_status) == (["E407_DEPLOY_ERROR"], 1)
    assert error.errors[0].message == "topic:t0: create failed: the topic is there already"
    assert error.errors[0].operation_id == done.intents[0].operation_id
    assert (error.report.control, error.report.committed) == ("recovery_required", False)
    assert done.authority.recovery is not None
    assert done.authority.recovery.last_completed_action_index is None


def test_nothing_follows_an_action_that_fails() -> None:
    first, second, third = topic(0, "update"), topic(1), topic(2)
    done = operation(order(first, second, third), {"create t1": RefusedError("no")})

    report = failed(done).report

    assert "create t2" not in done.journal.steps
    assert (report.done, report.failed, report.doubtful) == ((first,), second, None)
    assert report.untouched == (third,)


def test_what_was_created_before_is_taken_back() -> None:
    first, second, third = topic(0), topic(1, "update"), topic(2)
    done = operation(order(first, second, third), {"create t2": RefusedError("no")})

    error = failed(done)

    assert ends(done, "completed 2 failed") == [
        "lock",
        "undo t0",
        "lock",
        "mark runtime_action_failed",
        "FAIL",
        "close",
    ]
    assert error.report.undone == (first,)
    assert error.report.kept == (Kept(second, "what was there before is not changed back"),)
    assert done.told[-2:] == [("t1", "kept"), ("t0", "undone")]
    assert done.authority.recovery is not None
    assert done.authority.recovery.last_completed_action_index == 1


def test_a_rollback_that_fails_stops_and_is_marked_as_incomplete() -> None:
    first, second, third = topic(0), topic(1), topic(2)
    done = operation(
        order(first, second, third), {"create t2": RefusedError("no"), "undo t1": RefusedError("not allowed")}
    )

    error = failed(done)

    assert ends(done, "undo t1") == ["mark rollback_incomplete", "FAIL", "close"]
    assert error.report.undone == ()
    assert error.report.kept == (
        Kept(second, "not allowed"),
        Kept(first, "not tried after the one before failed"),
    )
    assert codes(error) == ["E407_DEPLOY_ERROR"] * 3
    assert error.errors[1].message == "topic:t1: was not taken back: not allowed"


def test_what_a_service_cannot_take_back_is_no_rollback() -> None:
    done = operation(TWO, {"create t1": RefusedError("no")}, lasting=["t0"])

    error = failed(done)

    assert "mark rollback_incomplete" in done.journal.steps
    assert error.report.kept == (Kept(TWO.actions[0], "the service cannot take it back"),)


def test_a_lost_lock_ends_a_rollback_at_once() -> None:
    done = operation(TWO, {"create t1": RefusedError("no"), "undo t0": LockLostError("the lock is gone")})

    error = failed(done)

    assert ends(done, "undo t0") == ["mark operation_interrupted", "FAIL", "close"]
    assert codes(error) == ["E423_STATE_LOCK_LOST"]


def test_what_moved_fails_its_action_and_is_not_planned_again() -> None:
    moved = PreimageMovedError("topic 't0' has other partitions than the plan was made for", ("partitions",))
    done = operation(order(topic(0, "update")), {"update t0": moved})

    error = failed(done)

    assert done.journal.steps.count("update t0") == 1
    assert ends(done, "update t0")[1:3] == ["completed 0 failed", "mark runtime_action_failed"]
    assert codes(error) == ["E407_DEPLOY_ERROR"]


def test_an_action_of_unknown_outcome_is_not_claimed() -> None:
    done = operation(TWO, {"create t1": OutcomeUnknownError("the broker did not answer")})

    error = failed(done)

    assert ends(done, "create t1") == ["mark runtime_action_failed", "FAIL", "close"]
    assert (error.report.failed, error.report.doubtful) == (None, TWO.actions[1])
    assert error.report.undone == ()
    assert (codes(error), error.report.control) == (["E407_DEPLOY_ERROR"], "recovery_required")


def test_a_rollback_of_unknown_outcome_is_incomplete() -> None:
    unknown = OutcomeUnknownError("the broker did not answer")
    done = operation(TWO, {"create t1": RefusedError("no"), "undo t0": unknown})

    error = failed(done)

    assert ends(done, "undo t0") == ["mark rollback_incomplete", "FAIL", "close"]
    assert error.report.kept == (Kept(TWO.actions[0], "the broker did not answer"),)


def test_the_run_says_nothing_of_the_failure() -> None:
    done = operation(order(topic(0)), {"create t0": RefusedError("the-words-of-the-broker")})

    failed(done)

    facet = done.transport.events[1]["run"]["facets"]["errorMessage"]
    assert facet["message"] == "streamt apply command did not complete successfully"
    assert b"the-words-of-the-broker" not in b"".join(done.transport.lines)
    assert b"t0" not in b"".join(done.transport.lines)


# Ctrl-C

INTERRUPT = KeyboardInterrupt()


@pytest.mark.parametrize(
    ("step", "after"),
    [
        ("START", ["clear", "ABORT", "close"]),
        ("started 0", ["mark operation_interrupted", "ABORT", "close"]),
        ("create t0", ["mark operation_interrupted", "ABORT", "close"]),
        ("completed 0 succeeded", ["mark operation_interrupted", "ABORT", "close"]),
        ("create t1", ["mark operation_interrupted", "ABORT", "close"]),
        ("commit", ["mark state_commit_uncertain", "ABORT", "close"]),
    ],
)
def test_ctrl_c_aborts_after_what_is_left_is_written(step: str, after: list[str]) -> None:
    done = operation(TWO, {step: INTERRUPT})

    error = failed(done)

    assert ends(done, step) == after
    assert (codes(error), error.exit_status) == (["E591_INTERRUPTED"], 130)
    assert error.report.committed is False


def test_ctrl_c_before_the_first_action_changes_nothing() -> None:
    error = failed(operation(TWO, {"START": INTERRUPT}))

    assert (error.report.control, error.errors[0].suggestion) == ("clear", "nothing was changed")


def test_ctrl_c_in_an_action_leaves_it_in_doubt() -> None:
    done = operation(TWO, {"create t1": INTERRUPT})

    report = failed(done).report

    assert (report.done, report.doubtful, report.undone) == (TWO.actions[:1], TWO.actions[1], ())
    assert "completed 1 failed" not in done.journal.steps


def test_ctrl_c_while_the_marker_is_written_waits() -> None:
    done = operation(TWO, {"create t1": INTERRUPT})
    write = done.authority.require_recovery

    def disturbed(recovery: Recovery) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        write(recovery)

    done.authority.require_recovery = disturbed  # type: ignore[method-assign]

    error = failed(done)

    assert ends(done, "create t1") == ["mark operation_interrupted", "ABORT", "close"]
    assert (error.exit_status, error.report.control) == (130, "recovery_required")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("step", ["COMPLETE", "release"])
def test_ctrl_c_after_the_commit_does_not_undo_it(step: str) -> None:
    done = operation(TWO, {step: INTERRUPT})

    error = failed(done)

    assert ends(done, step) == ["close"]
    assert (error.exit_status, error.report.committed, error.report.control) == (130, True, "clear")
    assert [event["eventType"] for event in done.transport.events] == ["START", "COMPLETE"]


def test_ctrl_c_while_the_intent_is_written_takes_it_back() -> None:
    done = operation(TWO, {"begin": INTERRUPT})
    begin = done.authority.begin

    def written(*given: object) -> None:
        try:
            begin(*given)  # type: ignore[arg-type]
        finally:
            done.authority.observed = done.authority.observed._replace(
                control=done.authority.control._replace(status="in_progress", intent=done.intents[0])
            )

    done.authority.begin = written  # type: ignore[method-assign]

    with pytest.raises(KeyboardInterrupt):
        done.do()

    assert done.journal.steps == ["prepare", "begin", "clear", "close"]


def test_an_intent_of_somebody_else_is_never_taken_back() -> None:
    done = operation(TWO, {"begin": StateConflictError("somebody else was faster")})

    with pytest.raises(StateConflictError):
        done.do()

    assert "clear" not in done.journal.steps


# the state

CAUSES = [
    (LockLostError("x"), "E423_STATE_LOCK_LOST"),
    (StateConflictError("x"), "E424_STATE_CONFLICT"),
    (UnknownOutcomeError("x"), "E425_STATE_UNKNOWN_OUTCOME"),
    (StateUnavailableError("x"), "E420_STATE_BACKEND_UNAVAILABLE"),
]


@pytest.mark.parametrize(("cause", "code"), CAUSES)
@pytest.mark.parametrize(
    ("step", "marker"),
    [
        ("started 0", "operation_interrupted"),
        ("completed 0 succeeded", "operation_interrupted"),
        ("commit", "state_commit_uncertain"),
    ],
)
def test_a_state_that_fails_is_marked_by_what_was_being_done(
    cause: StateError, code: str, step: str, marker: str
) -> None:
    done = operation(order(topic(0)), {step: cause})

    error = failed(done)

    assert ends(done, step) == [f"mark {marker}", "FAIL", "close"]
    assert (codes(error), error.exit_status) == ([code], 1)
    assert error.errors[0].operation_id == done.intents[0].operation_id
    assert error.errors[0].message == f"x (operation {done.intents[0].operation_id})"


def test_a_lock_lost_before_the_first_action_leaves_it_in_progress() -> None:
    lost = LockLostError("the lock is gone")
    done = operation(TWO, {"lock": lost, "clear": lost})

    error = failed(done)

    assert done.journal.steps == ["prepare", "begin", "START", "lock", "clear", "FAIL", "close"]
    assert (codes(error), error.report.control) == (["E423_STATE_LOCK_LOST"], "in_progress")
    assert error.report.untouched == TWO.actions


def test_a_marker_that_cannot_be_written_leaves_it_in_progress() -> None:
    lost = LockLostError("the lock is gone")
    done = operation(TWO, {"create t1": INTERRUPT, "mark operation_interrupted": lost})

    error = failed(done)

    assert ends(done, "create t1") == ["mark operation_interrupted", "ABORT", "close"]
    assert (error.exit_status, error.report.control) == (130, "in_progress")


def test_a_release_that_fails_after_the_commit_is_told() -> None:
    done = operation(TWO, {"release": ReleaseAfterCommitError("the lock may be held still")})

    error = failed(done)

    assert done.journal.steps[-4:] == ["commit", "COMPLETE", "release", "close"]
    assert (codes(error), error.exit_status) == (["E426_STATE_RELEASE_FAILED_AFTER_COMMIT"], 1)
    assert (error.report.committed, error.report.control) == (True, "clear")
    assert [event["eventType"] for event in done.transport.events] == ["START", "COMPLETE"]


# bugs and telemetry


@pytest.mark.parametrize(
    ("step", "after"),
    [
        ("create t0", ["mark operation_interrupted", "FAIL", "close"]),
        ("commit", ["mark state_commit_uncertain", "FAIL", "close"]),
        ("release", ["close"]),
    ],
)
def test_a_bug_is_told_as_one(step: str, after: list[str]) -> None:
    done = operation(TWO, {step: TypeError("a-secret-value")})

    error = failed(done)

    assert ends(done, step) == after
    assert (codes(error), error.exit_status) == (["E590_INTERNAL"], 1)
    assert error.errors[0].message.startswith("this is a bug in streamt: TypeError in durable.py:")
    assert "a-secret-value" not in repr(error.errors)


@pytest.mark.parametrize("step", ["START", "COMPLETE", "close"])
def test_what_is_not_delivered_changes_nothing(step: str) -> None:
    done = operation(TWO, {step: DeliveryError("the server answered 500")})

    report = done.do()

    assert (report.committed, report.done) == (True, TWO.actions)
    assert done.journal.steps[-4:] == ["commit", "COMPLETE", "release", "close"]


def test_an_undelivered_end_hides_no_failure() -> None:
    undelivered = DeliveryError("the server answered 500")
    done = operation(TWO, {"create t0": RefusedError("no"), "FAIL": undelivered, "close": undelivered})

    error = failed(done)

    assert codes(error) == ["E407_DEPLOY_ERROR"]
    assert done.authority.control.status == "recovery_required"
