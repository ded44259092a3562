"""`kill -9` at every durable step of a real apply whose state is in PostgreSQL, and the recovery from each."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from applied import codes, told, topic
from brokers import Broker, until
from crashes import ALL, UNKNOWN, Crash, crashes, steps_of, there, to_be_done, two_names
from dying import die
from postgres_projects import SharedState, shared_state
from postgres_server import PostgresServer
from recovered import confirmations

CRASHES = crashes(
    "commits",
    Crash("before commit commits", UNKNOWN, ("succeeded", "succeeded"), ALL, 1),
    Crash("after commit commits", "clear", ("", ""), ALL, 2),
)


class Started(NamedTuple):
    """A project that was applied once, and then declares something else."""

    state: SharedState
    folder: Path
    raised: str
    created: str


@pytest.fixture
def started(postgres_server: PostgresServer, broker: Broker, tmp_path: Path) -> Iterator[Started]:
    state = shared_state(postgres_server)
    with two_names(broker) as (raised, created):
        folder = state.write(tmp_path / "p", topic(raised), address=broker.address)
        assert state.init(folder).exit_status == 0
        assert state.streamt("apply", "-p", folder).exit_status == 0
        state.write(folder, topic(raised, 3), topic(created, 2), address=broker.address)
        yield Started(state, folder, raised, created)


def killed(started: Started, step: str, *arguments: str | Path) -> None:
    """Let a process die at a step, and wait until the server has heard of it."""
    died: subprocess.CompletedProcess[bytes] = die(step, *arguments, environment=started.state.variables)
    assert died.returncode == -signal.SIGKILL, died.stderr
    look = ("state", "lock-status", "-p", started.folder)
    until(lambda: told(started.state.streamt(*look))["data"]["lock"] == "available")


def recovery_plan(started: Started, resolution: str, file: Path) -> dict[str, object]:
    asked = ("--resolution", resolution, "--out", file)
    done = started.state.streamt("state", "recovery-plan", "-p", started.folder, *asked)
    assert done.exit_status == 0, done.stdout
    data: dict[str, object] = told(done)["data"]
    return data


def recover(started: Started, file: Path) -> dict[str, object]:
    said = confirmations(json.loads(file.read_text("utf-8")))
    done = started.state.streamt("state", "recover", "-p", started.folder, "--plan", file, *said)
    assert done.exit_status == 0, done.stdout
    data: dict[str, object] = told(done)["data"]
    return data


def test_the_steps_that_are_killed_at_are_all_there_are(started: Started) -> None:
    done = die("-", "apply", "-p", started.folder, environment=started.state.variables)

    assert done.returncode == 0
    assert steps_of(done.stderr) == [crash.step for crash in CRASHES]


@pytest.mark.parametrize("crash", CRASHES, ids=lambda crash: crash.step.replace(" ", "-"))
def test_a_recovery_after_kill_9_brings_the_state_to_what_is_there(
    broker: Broker, started: Started, crash: Crash, tmp_path: Path
) -> None:
    state, folder = started.state, started.folder

    killed(started, crash.step, "apply", "-p", folder)

    status = state.status(folder)
    operation = status["operation_status"]
    assert (operation["status"], status["serial"]) == (crash.control, crash.serial)
    assert there(broker, started) == crash.there
    if crash.control != "clear":
        assert tuple(action["status"] for action in operation["actions"]) == crash.actions
        assert operation["process"] is None
        assert codes(state.streamt("apply", "-p", folder)) == ["E419_STATE_RECOVERY_REQUIRED"]
        file = tmp_path / "recovery.json"
        targets = recovery_plan(started, "observed", file)["targets"]
        assert isinstance(targets, list)
        assert tuple(target["stands"] for target in targets) == crash.there
        assert recover(started, file)["committed"] is True
        assert there(broker, started) == crash.there
        assert state.status(folder)["operation_status"] == {"status": "clear"}
    names = [started.raised, *([started.created] if crash.there == ALL else [])]
    assert state.names(folder) == names
    recovered_serial = state.status(folder)["serial"]
    left = told(state.streamt("apply", "-p", folder))["data"]
    assert {*left["created"], *left["updated"]} == to_be_done(started, crash)
    assert there(broker, started) == ALL
    assert state.names(folder) == [started.raised, started.created]
    # What a recovery wrote is what the commit would have written: nothing is left to put right.
    assert (state.status(folder)["serial"] == recovered_serial) == (crash.there == ALL)


@pytest.mark.parametrize("step", ["before resolve commits", "after resolve commits", "before release"])
def test_a_recovery_that_is_killed_is_ended_by_the_same_command(
    broker: Broker, started: Started, step: str, tmp_path: Path
) -> None:
    killed(started, "after completed 1 commits", "apply", "-p", started.folder)
    file = tmp_path / "recovery.json"
    recovery_plan(started, "observed", file)
    said = confirmations(json.loads(file.read_text("utf-8")))

    killed(started, step, "state", "recover", "-p", started.folder, "--plan", file, *said)
    ended = recover(started, file)

    assert ended["already_recovered"] is (step != "before resolve commits")
    status = started.state.status(started.folder)
    assert (status["serial"], status["operation_status"]) == (2, {"status": "clear"})
    assert started.state.events()[-2:] == ["recovery_intended", "recovery_resolved"]
    assert there(broker, started) == ALL
