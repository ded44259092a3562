"""Several processes append to one log file, some die or run out of space: a line is there whole, or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from golden_cases import ROOT, source_path

PATIENCE = 120
"""Seconds that nothing takes."""


@contextmanager
def appending(path: Path, name: str, count: int, size: int, limit: int | None = None) -> Iterator[Any]:
    """Run a process that is ready to append."""
    arguments = [path, name, count, size, *([] if limit is None else [limit])]
    process = subprocess.Popen(
        [sys.executable, ROOT / "tests/support/appender.py", *map(str, arguments)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path())},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def go(process: Any) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


def finished(process: Any) -> list[str]:
    """Return what a process told, once it has ended."""
    told, _nothing = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    return list(told.split("\n")[:-1])


def append(path: Path, name: str, count: int, size: int, limit: int | None = None) -> list[str]:
    with appending(path, name, count, size, limit) as process:
        return finished(process)


def numbers(path: Path) -> dict[str, list[int]]:
    """Return the numbers of the events of each sender in the order of the file; every line is whole."""
    found = defaultdict(list)
    data = path.read_bytes()
    assert data.endswith(b"\n")
    for line in data.split(b"\n")[:-1]:
        event = json.loads(line)
        found[event["name"]].append(event["number"])
    return dict(found)


def test_twenty_processes_append_at_once_and_one_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    writers = [f"writer-{number}" for number in range(19)]
    with appending(path, "victim", 1_000_000, 4_000_000) as victim:
        others = [appending(path, name, 5, 200_000) for name in writers]
        processes = [other.__enter__() for other in others]
        for process in (victim, *processes):
            go(process)
        delivered = [victim.stdout.readline() for _ in range(2)]
        victim.kill()
        victim.wait()
        told = [finished(process) for process in processes]
        for other in others:
            other.__exit__(None, None, None)
    append(path, "last", 1, 10)

    assert delivered == ["0\n", "1\n"]
    assert told == [["0", "1", "2", "3", "4"]] * 19
    found = numbers(path)
    of_the_victim = found.pop("victim")
    assert of_the_victim == list(range(len(of_the_victim)))
    assert len(of_the_victim) >= 2
    assert found == {**{name: [0, 1, 2, 3, 4] for name in writers}, "last": [0]}


def test_a_process_waits_for_the_lock_of_another(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"")
    with appending(path, "waiting", 1, 10) as process, path.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        go(process)
        held.write(b'{"name":"holder","number":0}\n')
        held.flush()
        fcntl.flock(held, fcntl.LOCK_UN)
        assert finished(process) == ["0"]

    assert numbers(path) == {"holder": [0], "waiting": [0]}


def test_an_event_that_is_too_large_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"

    full = "the log file cannot grow: the disk is full, or a limit is reached"
    assert append(path, "limited", 4, 300_000, limit=1_000_000) == ["0", "1", "2", full]
    assert numbers(path) == {"limited": [0, 1, 2]}


def test_a_smaller_event_still_fits_where_a_larger_one_did_not(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"

    full = "the log file cannot grow: the disk is full, or a limit is reached"
    assert append(path, "large", 1, 2_000_000, limit=1_000_000) == [full]
    assert append(path, "small", 1, 10, limit=1_000_000) == ["0"]
    assert numbers(path) == {"small": [0]}
