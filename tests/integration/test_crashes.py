"""`kill -9` at every durable step of a real apply on a real broker, and the recovery from each."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from applied import apply, codes, control, state, told, topic, write_project
from brokers import Broker
from crashes import ALL, UNKNOWN, Crash, crashes, steps_of, there, to_be_done, two_names
from dying import die
from program import run_streamt
from recovered import confirmations, history, recover, recovery_plan

CRASHES = crashes(
    "writes the control",
    Crash("before commit writes the state", UNKNOWN, ("succeeded", "succeeded"), ALL, 1),
    Crash("after commit writes the state", UNKNOWN, ("succeeded", "succeeded"), ALL, 2),
    Crash("before commit writes the control", UNKNOWN, ("succeeded", "succeeded"), ALL, 2),
    Crash("after commit writes the control", "clear", ("", ""), ALL, 2),
)
each_crash = pytest.mark.parametrize("crash", CRASHES, ids=lambda crash: crash.step.replace(" ", "-"))


class Started(NamedTuple):
    """A project that was applied once, and then declares something else."""

    folder: Path
    raised: str
    created: str


@pytest.fixture
def started(broker: Broker, tmp_path: Path) -> Iterator[Started]:
    folder = tmp_path / "p"
    with two_names(broker) as (raised, created):
        assert apply(write_project(folder, topic(raised), address=broker.address)).exit_status == 0
        write_project(folder, topic(raised, 3), topic(created, 2), address=broker.address)
        yield Started(folder, raised, created)


def recorded(started: Started) -> set[str]:
    return {record["physical_name"] for record in state(started.folder)["resources"].values()}


def test_the_steps_that_are_killed_at_are_all_there_are(started: Started) -> None:
    done = die("-", "apply", "-p", started.folder)

    assert done.returncode == 0
    assert steps_of(done.stderr) == [crash.step for crash in CRASHES]


@each_crash
def test_a_recovery_after_kill_9_brings_the_state_to_what_is_there(
    broker: Broker, started: Started, crash: Crash
) -> None:
    folder = started.folder

    died = die(crash.step, "apply", "-p", folder)

    assert died.returncode == -signal.SIGKILL
    status = told(run_streamt("--output", "json", "state", "status", "-p", folder))["data"]
    operation = status["operation_status"]
    assert (operation["status"], status["serial"]) == (crash.control, crash.serial)
    assert there(broker, started) == crash.there
    if crash.control != "clear":
        assert tuple(action["status"] for action in operation["actions"]) == crash.actions
        assert operation["process"]["running"] is False
        assert codes(apply(folder)) == ["E419_STATE_RECOVERY_REQUIRED"]
        file = folder.parent / "recovery.json"
        planned = recovery_plan(folder, "observed", file)
        assert planned.exit_status == 0
        assert tuple(target["stands"] for target in told(planned)["data"]["targets"]) == crash.there
        recovered = recover(folder, file)
        assert (recovered.exit_status, told(recovered)["data"]["committed"]) == (0, True)
        assert there(broker, started) == crash.there
        assert control(folder)["status"] == "clear"
    assert recorded(started) == {started.raised} | ({started.created} if crash.there == ALL else set())
    recovered_serial = state(folder)["serial"]
    left = told(apply(folder))["data"]
    assert {*left["created"], *left["updated"]} == to_be_done(started, crash)
    assert there(broker, started) == ALL
    assert recorded(started) == {started.raised, started.created}
    # What a recovery wrote is what the commit would have written: nothing is left to put right.
    assert (state(folder)["serial"] == recovered_serial) == (crash.there == ALL)


TAKING_BACK = {
    "before completed 1 writes the control": (("succeeded", "started"), 1),
    "after completed 1 writes the control": (("succeeded", "failed"), 1),
    "before undo 0": (("succeeded", "failed"), 1),
    "after undo 0": (("succeeded", "failed"), 0),
    "before mark writes the control": (("succeeded", "failed"), 0),
    "after mark writes the control": (("succeeded", "failed"), 0),
}


@pytest.mark.parametrize("step", TAKING_BACK)
def test_an_apply_that_is_killed_while_it_takes_back_is_recovered(
    broker: Broker, tmp_path: Path, step: str
) -> None:
    actions, topics = TAKING_BACK[step]
    prefix = f"t-{os.urandom(6).hex()}"
    good, bad = topic(f"{prefix}-a"), topic(f"{prefix}-b", config={"cleanup_policy": "nonsense"})
    folder = write_project(tmp_path / "p", good, bad, address=broker.address)

    died = die(step, "apply", "-p", folder)

    assert died.returncode == -signal.SIGKILL
    status = told(run_streamt("--output", "json", "state", "status", "-p", folder))["data"]
    operation = status["operation_status"]
    assert tuple(action["status"] for action in operation["actions"]) == actions
    marked = step.startswith("after mark")
    assert operation["failure_code"] == ("runtime_action_failed" if marked else None)
    assert codes(apply(folder)) == ["E419_STATE_RECOVERY_REQUIRED"]
    file = tmp_path / "recovery.json"
    rolled_back = recovery_plan(folder, "rolled_back", tmp_path / "rolled-back.json")
    assert rolled_back.exit_status == topics
    assert recovery_plan(folder, "observed", file).exit_status == 0
    assert recover(folder, file).exit_status == 0
    there = sum(name.startswith(prefix) for name in broker.topics())
    assert (there, control(folder)["status"]) == (topics, "clear")
    kept = state(folder)["resources"] if (folder / ".streamt/state/default.json").exists() else {}
    assert [record["physical_name"] for record in kept.values()] == [f"{prefix}-a"] * topics


RESOLVING = (
    "before resolve writes the history",
    "after resolve writes the history",
    "before resolve writes the state",
    "after resolve writes the state",
    "before resolve writes the control",
    "after resolve writes the control",
    "before release",
)


@pytest.mark.parametrize("step", RESOLVING)
def test_a_recovery_that_is_killed_is_ended_by_the_same_command(
    broker: Broker, started: Started, step: str
) -> None:
    died = die("after completed 1 writes the control", "apply", "-p", started.folder)
    assert died.returncode == -signal.SIGKILL
    file = started.folder.parent / "recovery.json"
    assert recovery_plan(started.folder, "observed", file).exit_status == 0
    confirmed = confirmations(json.loads(file.read_text("utf-8")))

    killed = die(step, "state", "recover", "-p", started.folder, "--plan", file, *confirmed)
    ended = recover(started.folder, file)

    assert killed.returncode == -signal.SIGKILL
    over = step in {"after resolve writes the control", "before release"}
    assert (ended.exit_status, told(ended)["data"]["already_recovered"]) == (0, over)
    assert (state(started.folder)["serial"], control(started.folder)["status"]) == (2, "clear")
    assert [event["event"] for event in history(started.folder)] == ["recovery_intended", "recovery_resolved"]
    assert there(broker, started) == ALL
    assert told(apply(started.folder))["data"]["summary"]["unchanged"] == 2
