"""Real processes work on one state: one at a time, and one that is killed leaves exactly what it had written."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from golden_cases import ROOT, source_path
from services import until
from states import APPLES, HARVEST, OPERATION, PEARS, LocalStore, Store, apply, begin, resolution

from streamt_ol.deploy.state.errors import LockTimeoutError, RecoveryRequiredError
from streamt_ol.deploy.state.holders import is_running
from streamt_ol.deploy.state.local import LocalBackend

PATIENCE = 120
"""Seconds that nothing takes."""
DURABLE = {"write", "fsync", "replace"}
"""File operations that something durable hangs on."""


@pytest.fixture
def local(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path)


@contextmanager
def driver(store: Store, *arguments: object) -> Iterator[Any]:
    """Run a process that works on the state."""
    process = subprocess.Popen(
        [sys.executable, ROOT / "tests/support/state_driver.py", store.spelled, *map(str, arguments)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path())},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def told(process: Any) -> str:
    line: str = process.stdout.readline()
    return line.removesuffix("\n")


def go(process: Any) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


def killed(process: Any) -> None:
    process.kill()
    assert process.wait(PATIENCE) == -signal.SIGKILL


# Contending


def test_who_does_not_wait_is_told_who_holds_the_lock(store: Store) -> None:
    with driver(store, "hold", 0) as holder:
        assert told(holder) == "held"
        process = store.open().process()
        with driver(store, "hold", 0) as other:
            message = told(other)

    assert process is not None
    assert (process["pid"], process["host"], process["running"]) == (holder.pid, socket.gethostname(), True)
    assert message.startswith(f"process {holder.pid} on {socket.gethostname()}, ")
    assert f"since {process['started_at']}, " in message
    assert message.endswith(" holds the lock of the state; it was not free within 0 s")


def test_whether_the_lock_is_held_is_told_without_taking_it(store: Store) -> None:
    before = store.open().lock_status()
    with driver(store, "hold", 0) as holder:
        assert told(holder) == "held"
        during = store.open().lock_status()
        killed(holder)
    until(lambda: store.open().lock_status() == before)  # a server has to hear of it

    assert before == ("available", None)
    assert during.process is not None
    assert (during.status, during.process["pid"]) == ("busy", holder.pid)


def test_of_processes_that_begin_at_once_one_gets_the_lock(store: Store) -> None:
    with ExitStack() as stack:
        processes = [stack.enter_context(driver(store, "hold", 0)) for _ in range(8)]
        words = [told(process) for process in processes]

    refused = [word for word in words if not word.endswith("it was not free within 0 s")]
    assert (refused, len(words)) == (["held"], 8)


def test_a_process_that_waits_gets_the_lock_once_it_is_released(store: Store) -> None:
    with driver(store, "hold", 0) as holder, ExitStack() as stack:
        assert told(holder) == "held"
        other = stack.enter_context(driver(store, "hold", PATIENCE))
        assert told(other) == "waiting"
        go(holder)

        assert told(holder) == "released"
        assert told(other) == "held"
        process = store.open().process()
        assert process is not None
        assert process["pid"] == other.pid
        go(other)
        assert told(other) == "released"


def test_a_process_that_waits_gets_the_lock_of_one_that_is_killed(store: Store) -> None:
    with driver(store, "hold", 0) as holder, ExitStack() as stack:
        assert told(holder) == "held"
        other = stack.enter_context(driver(store, "hold", PATIENCE))
        assert told(other) == "waiting"
        killed(holder)

        assert told(other) == "held"


def test_a_wait_has_an_end(store: Store) -> None:
    with driver(store, "hold", 0) as holder:
        assert told(holder) == "held"
        with pytest.raises(LockTimeoutError) as refused, store.open().authority(0.2):
            raise AssertionError

    assert refused.value.message.startswith(f"process {holder.pid} on ")
    assert refused.value.message.endswith(" holds the lock of the state; it was not free within 0.2 s")


def test_nothing_of_processes_that_work_at_once_is_lost(store: Store) -> None:
    names = [f"host{number}" for number in range(8)]
    with ExitStack() as stack:
        processes = [stack.enter_context(driver(store, "add", name, 4)) for name in names]
        ends = [told(process) for process in processes]

    assert ends == ["done"] * 8
    snapshot = store.open().observe().snapshot
    assert snapshot.serial == 32
    assert {name.rpartition("/")[2] for name in snapshot.resources} == {
        f"{name}-{number}" for name in names for number in range(4)
    }


def test_a_process_that_has_ended_is_not_told_as_the_holder(local: LocalStore) -> None:
    with driver(local, "inherit") as parent:
        child, _blank, message = told(parent).partition(" ")
        killed(parent)
        try:
            with pytest.raises(LockTimeoutError) as refused, local.open().authority(0):
                raise AssertionError
        finally:
            os.kill(int(child), signal.SIGKILL)

    assert message == "the lock of the state is lost: another process has taken it"
    assert refused.value.message == (
        "a process that has not said who it is (its file still names process "
        f"{parent.pid}, which has ended) holds the lock of the state; it was not free within 0 s"
    )


# Killed


def durable_steps(folder: Path) -> list[int]:
    """Return the numbers of the file operations that something durable hangs on, and that of the last one."""
    with driver(LocalStore(folder), "stop", 0) as process:
        done, *names = told(process).split()
    assert done == "done"
    return [number for number, name in enumerate(names, 1) if name in DURABLE] + [len(names)]


MOMENTS = [
    (0, {}, "clear", 0),
    *((0, {}, "in_progress", words) for words in range(3)),
    (1, HARVEST, "in_progress", 2),
    (1, HARVEST, "clear", 0),
]
"""Serial, resources, status and words of progress, between the files that are put into place."""


def test_who_is_killed_at_a_durable_step_leaves_what_was_written(tmp_path: Path) -> None:
    steps = durable_steps(tmp_path / "counted")
    reached = set()
    for number in steps:
        store = LocalStore(tmp_path / str(number))
        with driver(store, "stop", number) as process:
            replaced, _blank, name = told(process).partition(" ")
            killed(process)
        reached.add((int(replaced), name))

        observed = store.open().observe()
        snapshot, control = observed.snapshot, observed.control
        found = (snapshot.serial, snapshot.resources, control.status, len(control.progress))
        assert found == MOMENTS[int(replaced)], f"killed at {name}"
        if name in DURABLE and store.open().lock_file.path.exists():
            assert_unfinished(store.open(), process.pid)

    assert len(steps) == 3 + 5 * 4 + 1  # folders, files, and the release of the lock
    assert reached >= {(replaced, name) for replaced in range(5) for name in DURABLE}


def assert_unfinished(backend: LocalBackend, pid: int) -> None:
    """Look at what is left: the lock is free, who held it is known, and the operation is to be recovered."""
    before = backend.observe()
    holder = backend.holder()
    assert holder is not None
    assert (holder.pid, is_running(holder)) == (pid, False)
    with backend.authority(0) as authority:
        if before.control.status == "clear":
            return
        with pytest.raises(RecoveryRequiredError) as refused:
            begin(authority, PEARS)
        assert refused.value.operation_id == OPERATION
        assert backend.observe() == before
        if before.control.progress:
            assert authority.resolve(HARVEST, resolution()).snapshot.resources == HARVEST
        else:
            authority.resolve(None, resolution("abandoned_before_mutation"))
    assert apply(backend, {APPLES: HARVEST[APPLES]}).snapshot.resources == {APPLES: HARVEST[APPLES]}


def test_a_disk_that_takes_no_more_leaves_the_old_state(local: LocalStore) -> None:
    before = apply(local.open(), HARVEST)
    with driver(local, "limited", 500) as process:
        code = told(process)

    assert code == "E425_STATE_UNKNOWN_OUTCOME"
    assert local.open().observe() == before
    assert sorted(path.name for path in (local.folder / ".streamt/state").iterdir()) == [
        ".dev.json.lock",
        "dev.control.json",
        "dev.json",
    ]
