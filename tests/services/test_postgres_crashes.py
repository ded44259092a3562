"""`kill -9` at every durable step of a real apply whose state is in PostgreSQL, and the recovery from each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from applied import codes, told, topic
from brokers import Broker, until
from dying import die
from postgres_projects import SharedState, shared_state
from postgres_server import PostgresServer
from recovered import confirmations


class Crash(NamedTuple):
    """What is known right after a process died at a step."""

    step: str
    control: str
    """What the control says."""
    actions: tuple[str, str]
    """How far `state status` says that each action came."""
    there: tuple[str, str]
    """Where the raised and the created topic stand on the broker."""
    serial: int
    """Of the state."""


BEFORE = ("prior", "prior")
HALF, ALL = ("candidate", "prior"), ("candidate", "candidate")
UNKNOWN = "in_progress"
CRASHES = (
    Crash("before begin commits", "clear", ("", ""), BEFORE, 1),
    Crash("after begin commits", UNKNOWN, ("not_started", "not_started"), BEFORE, 1),
    Crash("before started 0 commits", UNKNOWN, ("not_started", "not_started"), BEFORE, 1),
    Crash("after started 0 commits", UNKNOWN, ("started", "not_started"), BEFORE, 1),
    Crash("before execute 0", UNKNOWN, ("started", "not_started"), BEFORE, 1),
    Crash("after execute 0", UNKNOWN, ("started", "not_started"), HALF, 1),
    Crash("before completed 0 commits", UNKNOWN, ("started", "not_started"), HALF, 1),
    Crash("after completed 0 commits", UNKNOWN, ("succeeded", "not_started"), HALF, 1),
    Crash("before started 1 commits", UNKNOWN, ("succeeded", "not_started"), HALF, 1),
    Crash("after started 1 commits", UNKNOWN, ("succeeded", "started"), HALF, 1),
    Crash("before execute 1", UNKNOWN, ("succeeded", "started"), HALF, 1),
    Crash("after execute 1", UNKNOWN, ("succeeded", "started"), ALL, 1),
    Crash("before completed 1 commits", UNKNOWN, ("succeeded", "started"), ALL, 1),
    Crash("after completed 1 commits", UNKNOWN, ("succeeded", "succeeded"), ALL, 1),
    Crash("before commit commits", UNKNOWN, ("succeeded", "succeeded"), ALL, 1),
    Crash("after commit commits", "clear", ("", ""), ALL, 2),
    Crash("before release", "clear", ("", ""), ALL, 2),
    Crash("after release", "clear", ("", ""), ALL, 2),
)


class Started(NamedTuple):
    """A project that was applied once, and then declares something else."""

    state: SharedState
    folder: Path
    raised: str
    created: str


@pytest.fixture
def started(postgres_server: PostgresServer, broker: Broker, tmp_path: Path) -> Iterator[Started]:
    prefix = f"t-{os.urandom(6).hex()}"
    raised, created = f"{prefix}-a", f"{prefix}-b"
    state = shared_state(postgres_server)
    folder = state.write(tmp_path / "p", topic(raised), address=broker.address)
    assert state.init(folder).exit_status == 0
    assert state.streamt("apply", "-p", folder).exit_status == 0
    state.write(folder, topic(raised, 3), topic(created, 2), address=broker.address)
    yield Started(state, folder, raised, created)
    admin = broker.admin()
    for gone in admin.delete_topics([*(broker.topics() & {raised, created})]).values():
        gone.result(30)


def partitions(broker: Broker, name: str) -> int:
    found = broker.admin().list_topics(timeout=10).topics
    return len(found[name].partitions) if name in found else 0


def there(broker: Broker, started: Started) -> tuple[str, str]:
    return (
        {1: "prior", 3: "candidate"}[partitions(broker, started.raised)],
        {0: "prior", 2: "candidate"}[partitions(broker, started.created)],
    )


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

    told_of = [line for line in done.stderr.decode().splitlines() if line.startswith("step: ")]
    assert done.returncode == 0
    assert [line.removeprefix("step: ") for line in told_of] == [crash.step for crash in CRASHES]


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
    topics = (f"topic:{started.raised}", f"topic:{started.created}")
    assert {*left["created"], *left["updated"]} == {
        name for name, stands in zip(topics, crash.there, strict=True) if stands == "prior"
    }
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
