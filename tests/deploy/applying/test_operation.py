"""The order of a durable operation. That real states, services and transports keep it is shown elsewhere."""

from __future__ import annotations

import re
import uuid

import pytest
from durable import CLEAR, operation, order, topic
from planned import planned

from streamt_ol.cli.apply_report import report_data, report_lines
from streamt_ol.deploy.applying.records import Report
from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.state.errors import StateConflictError
from streamt_ol.deploy.state.records import Control
from streamt_ol.runs.run_errors import RunEventsError


def test_the_ten_steps_of_an_apply_stand_in_their_order() -> None:
    done = operation(order(topic(0)))

    done.do()

    assert done.journal.steps == [
        "prepare",
        "begin",
        "START",
        "lock",
        "started 0",
        "create t0",
        "lock",
        "completed 0 succeeded",
        "lock",
        "commit",
        "COMPLETE",
        "release",
        "close",
    ]


def test_actions_follow_one_another_each_between_its_words() -> None:
    done = operation(order(topic(0), topic(1, "update"), topic(2, "delete")))

    done.do()

    durable = [step for step in done.journal.steps if step not in ("lock", "prepare")]
    assert durable[2:-4] == [
        "started 0",
        "create t0",
        "completed 0 succeeded",
        "started 1",
        "update t1",
        "completed 1 succeeded",
        "started 2",
        "delete t2",
        "completed 2 succeeded",
    ]


def test_an_apply_without_actions_begins_and_commits_all_the_same() -> None:
    done = operation(order())

    report = done.do()

    assert done.journal.steps == [
        "prepare",
        "begin",
        "START",
        "lock",
        "commit",
        "COMPLETE",
        "release",
        "close",
    ]
    assert (report.done, report.committed, report.control) == ((), True, "clear")


def test_what_a_provider_has_seen_of_an_action_is_told_with_it() -> None:
    actions = (topic(0), topic(1))
    report = operation(order(*actions), seen={"t1": "it runs"}).do()

    assert report.seen == {actions[1].resource_id: "it runs"}
    assert report_data(report, [], 0)["seen"] == {"topic:t1": "it runs"}
    assert list(report_lines(report, planned([])))[:2] == [
        "create    topic:t0  done",
        "create    topic:t1  done: it runs",
    ]


def test_the_report_tells_what_was_done_and_committed() -> None:
    actions = (topic(0), topic(1, "update"))
    done = operation(order(*actions))

    report = done.do()

    assert report == Report(
        operation_id=done.intents[0].operation_id,
        done=actions,
        committed=True,
        after=done.authority.observed,
        control="clear",
    )
    assert done.told == [("t0", "starts"), ("t0", "done"), ("t1", "starts"), ("t1", "done")]


def test_the_run_has_the_identity_and_the_time_of_the_intent() -> None:
    done = operation(order(topic(0)))

    done.do()

    (intent,) = done.intents
    start, complete = done.transport.events
    assert start["run"] == complete["run"] == {"runId": intent.operation_id}
    assert start["eventTime"] == intent.started_at
    assert start["job"] == complete["job"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", intent.started_at)
    assert uuid.UUID(intent.operation_id).version == 4
    assert str(uuid.UUID(intent.operation_id)) == intent.operation_id


def test_two_operations_have_two_identities() -> None:
    first, second = operation(order()), operation(order())

    first.do()
    second.do()

    assert first.intents[0].operation_id != second.intents[0].operation_id


def test_the_intent_says_what_is_about_to_be_done_and_from_what() -> None:
    reviewed = f"sha256:{'a' * 64}"
    done = operation(order(topic(0), topic(1, "delete"), reviewed_plan_checksum=reviewed))

    done.do()

    (intent,) = done.intents
    assert (intent.kind, intent.actor, intent.reviewed_plan_checksum) == ("apply", "local-cli", reviewed)
    assert intent.prior_state_serial == 0
    assert [tuple(action) for action in intent.actions] == [
        (0, "streamt://shop/default/topic/t0", "create", "t0", None, checksum({"partitions": 2}), None),
        (1, "streamt://shop/default/topic/t1", "delete", "t1", checksum({"partitions": 1}), None, None),
    ]


@pytest.mark.parametrize(
    "moved",
    [
        CLEAR._replace(state_revision="other"),
        CLEAR._replace(control_revision="other"),
        CLEAR._replace(snapshot=CLEAR.snapshot._replace(serial=1)),
        CLEAR._replace(control=Control("recovery_required")),
    ],
    ids=["state", "control", "serial", "status"],
)
def test_a_state_that_moved_since_it_was_planned_with_stops_everything(moved: object) -> None:
    done = operation(order(topic(0)), observed=moved)  # type: ignore[arg-type]

    with pytest.raises(StateConflictError):
        done.do()

    assert done.journal.steps == []


def test_run_events_that_cannot_be_prepared_leave_nothing_durable() -> None:
    done = operation(order(topic(0)), {"prepare": RunEventsError()})

    with pytest.raises(RunEventsError):
        done.do()

    assert done.journal.steps == ["prepare"]


def test_an_intent_that_cannot_be_written_sends_nothing() -> None:
    done = operation(order(topic(0)), {"begin": StateConflictError("somebody else was here")})

    with pytest.raises(StateConflictError):
        done.do()

    assert done.journal.steps == ["prepare", "begin", "close"]
    assert done.transport.events == []
