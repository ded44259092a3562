"""A process that works on a state, and tells on stdout what becomes of it.

    python state_driver.py STORE hold SECONDS      take the lock, keep it until a line comes
    python state_driver.py STORE begin             start an action, keep the lock until a line comes
    python state_driver.py FOLDER inherit          take the lock, and leave it to a child
    python state_driver.py FOLDER stop NUMBER      carry an operation out, stop at a file operation
    python state_driver.py FOLDER limited BYTES    begin an operation; no file may become larger
    python state_driver.py STORE add NAME COUNT    carry out operations that add resources, one after the other

A store is a folder, or what a `PostgresStore` says of itself. `stop` tells the number of files that were put into place when it stops, and then waits to be killed.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from failing_files import FileOperations
from states import (
    APPLES,
    ENVIRONMENT,
    HARVEST,
    PROJECT,
    LocalStore,
    Store,
    begin,
    carry_out,
    record,
    started,
)

from streamt_ol.deploy.state import lock
from streamt_ol.deploy.state.errors import StateError


def tell(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


class Stopping(FileOperations):
    """File operations of which one is not reached."""

    def count(self, name: str, carry_out: Callable[[], Any]) -> Any:
        if self._armed and len(self.names) + 1 == self._at:
            tell(f"{self.done.count('replace')} {name}")
            sys.stdin.readline()
        return super().count(name, carry_out)


def hold(store: Store, seconds: str) -> None:
    locks: list[Any] = [lock]
    if not isinstance(store, LocalStore):
        from streamt_ol.deploy.state.postgres import advisory_lock

        locks.append(advisory_lock)

    def waiting(pause: float) -> None:
        tell("waiting")
        for module in locks:
            module.sleep = time.sleep
        time.sleep(pause)

    if float(seconds):  # who does not wait only looks again who the holder is
        for module in locks:
            module.sleep = waiting
    try:
        with store.open().authority(float(seconds)):
            tell("held")
            sys.stdin.readline()
    except StateError as error:
        tell(error.message)
    else:
        tell("released")


def begin_one(store: Store) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
        authority.progress(started(0, APPLES))
        tell("begun")
        sys.stdin.readline()


def inherit(store: LocalStore) -> None:
    with store.open().authority(0) as authority:
        if not os.fork():
            message = "it is held"
            try:
                authority.check()
            except StateError as error:
                message = error.message
            tell(f"{os.getpid()} {message}")
        sys.stdin.readline()


def stop(store: LocalStore, number: str) -> None:
    operations = Stopping(at=int(number))
    operations.install()
    backend = store.open()
    with operations.armed(), backend.authority(0) as authority:
        carry_out(authority, APPLES)
        authority.commit(HARVEST)
    tell(f"done {' '.join(operations.names)}")


def limited(store: LocalStore, size: str) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    with store.open().authority(0) as authority:
        try:
            begin(authority, APPLES)
        except StateError as error:
            tell(error.code)


def add(store: Store, name: str, count: str) -> None:
    backend = store.open()
    for number in range(int(count)):
        with backend.authority(300) as authority:
            carry_out(authority)
            resources = authority.observe().snapshot.resources
            new = f"streamt://{PROJECT}/{ENVIRONMENT}/topic/{name}-{number}"
            authority.commit({**resources, new: record(name)})
    tell("done")


def store_of(words: str) -> Store:
    if not words.startswith("{"):
        return LocalStore(Path(words))
    from postgres_states import store_like  # here: who works on files has no driver of a database

    return store_like(words)


if __name__ == "__main__":
    spelled, command, *arguments = sys.argv[1:]
    commands = {
        "hold": hold,
        "begin": begin_one,
        "inherit": inherit,
        "stop": stop,
        "limited": limited,
        "add": add,
    }
    commands[command](store_of(spelled), *arguments)  # type: ignore[operator]
