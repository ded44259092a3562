"""From START to close: one last event at most, and no delivery changes what a command does."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from finite_runs import OUTCOMES, RULES, RUN_ID, SCHEMAS, Memory, prepared, ticking

from streamt_ol.ground.errors import Diagnostic
from streamt_ol.lineage.standard import PRODUCER
from streamt_ol.runs.deliveries import DeliveryError
from streamt_ol.runs.lifecycle import CommandRun
from streamt_ol.runs.run_event_check import RunEventChecker
from streamt_ol.runs.run_events import RunEvents, RunJob

CODE = "W112_OPENLINEAGE_EMIT_FAILED"
START = "the START event was not delivered"
TERMINAL = "the last event of the run was not delivered"
CLOSE = "the transport of run events was not closed"
DOWN = DeliveryError("the server answered 503")


class WorkError(Exception):
    """What the work of a command may raise."""


def _work(run: CommandRun, error: BaseException | None = None) -> None:
    """Do work that succeeds, or raises."""
    with run:
        run.start()
        if error is not None:
            raise error
        run.finish("succeeded")


def worked(memory: Memory) -> list[Diagnostic]:
    """Return the warnings of a run whose work succeeded."""
    run = prepared(memory)
    _work(run)
    return run.warnings


def test_start_comes_first_one_end_follows_and_the_transport_is_closed_once() -> None:
    memory = Memory()

    assert worked(memory) == []
    assert memory.calls == ["START", "COMPLETE", "close"]


def test_whatever_is_called_again_does_nothing() -> None:
    memory = Memory()
    run = prepared(memory)
    with run:
        for _ in range(2):
            run.start()
        for outcome in OUTCOMES:
            run.finish(outcome)
        for _ in range(2):
            run.close()
        run.start()
        run.finish("broken")

    assert memory.calls == ["START", "COMPLETE", "close"]
    assert run.warnings == []


def test_work_that_was_never_begun_has_no_events_and_its_transport_is_closed() -> None:
    memory = Memory()
    with prepared(memory) as run:
        run.finish("succeeded")

    assert memory.calls == ["close"]


def test_nothing_begins_after_the_transport_is_closed() -> None:
    memory = Memory()
    run = prepared(memory)
    run.close()
    run.start()
    run.finish("succeeded")

    assert memory.calls == ["close"]
    assert run.warnings == []


def test_nothing_ends_after_the_transport_is_closed() -> None:
    memory = Memory()
    run = prepared(memory)
    run.start()
    run.close()
    run.finish("succeeded")

    assert memory.calls == ["START", "close"]
    assert run.warnings == []


def test_an_exception_before_the_work_begins_escapes_without_events() -> None:
    memory, error = Memory(), WorkError()
    with pytest.raises(WorkError) as raised, prepared(memory):
        raise error

    assert raised.value is error
    assert memory.calls == ["close"]


@pytest.mark.parametrize(
    ("error", "end"),
    [(WorkError(), "FAIL"), (KeyboardInterrupt(), "ABORT"), (SystemExit(141), "FAIL")],
)
def test_an_exception_ends_the_run_and_escapes_as_it_is(error: BaseException, end: str) -> None:
    memory = Memory()
    run = prepared(memory)
    with pytest.raises(type(error)) as raised:
        _work(run, error)

    assert raised.value is error
    assert (error.__cause__, error.__context__) == (None, None)
    assert memory.calls == ["START", end, "close"]
    assert run.warnings == []


def test_work_that_is_left_without_an_outcome_has_failed() -> None:
    memory = Memory()
    with prepared(memory) as run:
        run.start()

    assert memory.calls == ["START", "FAIL", "close"]


@pytest.mark.parametrize(
    ("failing", "location", "message"),
    [
        ("START", "openlineage.start", START),
        ("terminal", "openlineage.terminal", TERMINAL),
        ("close", "openlineage.transport", CLOSE),
    ],
)
def test_what_cannot_be_delivered_is_one_warning_at_its_step(
    failing: str, location: str, message: str
) -> None:
    memory = Memory({failing: DOWN})

    assert worked(memory) == [Diagnostic(CODE, f"{message}: the server answered 503", location)]
    assert memory.calls == ["START", "COMPLETE", "close"]


def test_everything_that_fails_is_told_once_in_the_order_of_its_steps() -> None:
    memory = Memory({"START": DOWN, "terminal": DOWN, "close": DOWN})

    assert [warning.location for warning in worked(memory)] == [
        "openlineage.start",
        "openlineage.terminal",
        "openlineage.transport",
    ]


def test_failures_of_delivery_never_replace_the_exception_of_the_work() -> None:
    memory, error = Memory({"terminal": DOWN, "close": DOWN}), WorkError()
    run = prepared(memory)
    with pytest.raises(WorkError) as raised:
        _work(run, error)

    assert raised.value is error
    assert (error.__cause__, error.__context__) == (None, None)
    assert [warning.location for warning in run.warnings] == ["openlineage.terminal", "openlineage.transport"]
    assert memory.calls == ["START", "FAIL", "close"]


@pytest.mark.parametrize(
    ("failing", "calls"),
    [
        ("START", ["START", "ABORT", "close"]),
        ("terminal", ["START", "COMPLETE", "close"]),
        ("close", ["START", "COMPLETE", "close"]),
    ],
)
def test_an_interruption_while_something_is_sent_is_passed_on(failing: str, calls: list[str]) -> None:
    memory = Memory({failing: KeyboardInterrupt()})
    run = prepared(memory)
    with pytest.raises(KeyboardInterrupt):
        _work(run)

    assert memory.calls == calls
    assert run.warnings == []


def test_an_interruption_while_the_last_event_of_broken_work_is_sent_still_closes_the_transport() -> None:
    memory = Memory({"terminal": KeyboardInterrupt(), "close": DOWN})
    run = prepared(memory)
    with pytest.raises(KeyboardInterrupt):
        _work(run, WorkError())

    assert memory.calls == ["START", "FAIL", "close"]
    assert [warning.location for warning in run.warnings] == ["openlineage.transport"]


def test_a_bug_in_a_transport_is_called_a_bug_without_its_message_and_changes_nothing() -> None:
    memory = Memory({"START": TypeError("hunter2")})

    (warning,) = worked(memory)

    assert warning.code == CODE
    assert warning.message.startswith(f"{START}: this is a bug in streamt: TypeError in finite_runs.py:")
    assert "hunter2" not in warning.message
    assert memory.calls == ["START", "COMPLETE", "close"]


def test_a_message_is_redacted_and_never_longer_than_512_characters() -> None:
    memory = Memory({"START": DeliveryError("password=hunter2 at https://u:hunter2@x " + "y" * 600)})

    (warning,) = worked(memory)

    assert "hunter2" not in warning.message
    assert len(warning.message) == 512


def test_a_clock_that_fails_costs_the_last_event_and_nothing_else() -> None:
    moments = iter([datetime(2026, 1, 2, tzinfo=timezone.utc)])
    memory = Memory()
    run = prepared(memory, clock=lambda: next(moments))
    with run:
        run.start()
        run.finish("succeeded")

    assert memory.calls == ["START", "close"]
    assert [(warning.location, warning.message.partition(" in ")[0]) for warning in run.warnings] == [
        ("openlineage.terminal", f"{TERMINAL}: this is a bug")
    ]


def test_a_last_event_that_is_not_valid_any_more_is_not_sent() -> None:
    memory, time = Memory(), "2026-01-02T03:04:05.000678Z"
    job = RunJob.decided("test", "shop", (), RULES)
    events = RunEvents(job, (), {"job": "jobs"}, RUN_ID, RULES, SCHEMAS)
    begun = {**events.start(time), "run": {"runId": "3eb8aa08-aa98-41ea-b4aa-73b441d16380"}}
    run = CommandRun(events, RunEventChecker(SCHEMAS, PRODUCER), begun, memory, ticking())
    _work(run)

    assert memory.calls == ["START", "close"]
    assert run.warnings == [
        Diagnostic(CODE, f"{TERMINAL}: it does not pass its check any more", "openlineage.terminal")
    ]


def test_no_run_ends_before_it_began_although_a_clock_is_set_back() -> None:
    memory = Memory()
    with prepared(memory, clock=ticking(timedelta(hours=-1))) as run:
        run.start()
        run.finish("succeeded")

    start, end = memory.events
    assert start["eventTime"] == end["eventTime"] == "2026-01-02T03:04:05.000678Z"
    assert run.warnings == []
