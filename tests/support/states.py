"""States and operations of one project in one environment, small enough to be written out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from streamt_ol.deploy.state.history_file import Event
from streamt_ol.deploy.state.local import LocalBackend
from streamt_ol.deploy.state.records import (
    Authority,
    IntendedAction,
    Intent,
    LockStatus,
    Observed,
    Progress,
    Record,
    Recovery,
)
from streamt_ol.deploy.state.state_file import state_checksum

PROJECT, ENVIRONMENT = "orchard", "dev"
NOW = "2026-03-01T10:00:00.000000Z"
LATER = "2026-03-01T10:00:01.500000Z"
OPERATION = "11111111-1111-4111-8111-111111111111"
ANOTHER = "22222222-2222-4222-8222-222222222222"
RECOVERY = "33333333-3333-4333-8333-333333333333"
EVIDENCE = f"sha256:{'e' * 64}"
APPLES, PEARS, PLUMS = (
    f"streamt://{PROJECT}/{ENVIRONMENT}/topic/{name}" for name in ("apples", "pears", "plums")
)


def record(name: str, digit: str = "a") -> Record:
    return Record(name, "managed", f"sha256:{digit * 64}", "direct-kafka")


HARVEST = {APPLES: record("apples.v1"), PEARS: record("pears.v1")}


class Store(Protocol):
    """A place that keeps states; every `open` is another handle, as another process has it."""

    place: str
    """Where its addresses begin."""

    @property
    def spelled(self) -> str:
        """Return what `state_driver.py` finds it by."""

    def open(self, environment: str = ENVIRONMENT) -> Backend: ...


class Backend(Protocol):
    """What the contract asks of a backend: `StateBackend`, and the history of recoveries."""

    kind: str
    address: str
    seconds: float

    @property
    def store_id(self) -> str: ...

    def observe(self) -> Observed: ...

    def recoveries(self) -> tuple[Event, ...]: ...

    def process(self) -> Mapping[str, Any] | None: ...

    def lock_status(self) -> LockStatus: ...

    def authority(self, seconds: float) -> AbstractContextManager[Authority]: ...


class LocalStore:
    """States in the files of a folder."""

    place = "local"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def spelled(self) -> str:
        return str(self.folder)

    def open(self, environment: str = ENVIRONMENT) -> LocalBackend:
        return LocalBackend(self.folder, PROJECT, environment)


def intent(observed: Observed, *resources: str, operation: str = OPERATION, **says: Any) -> Intent:
    """Return the intent to create each of the resources, made for what was observed."""
    actions = tuple(
        IntendedAction(position, name, "create", name.rpartition("/")[2], None, EVIDENCE, None)
        for position, name in enumerate(resources)
    )
    serial, checksum = observed.snapshot.serial, state_checksum(observed.snapshot)
    return Intent(operation, "apply", NOW, "local-cli", serial, checksum, None, actions)._replace(**says)


def begin(authority: Authority, *resources: str, operation: str = OPERATION) -> Intent:
    """Begin an operation that is to create the resources."""
    observed = authority.observe()
    begun = intent(observed, *resources, operation=operation)
    authority.begin(begun, observed)
    return begun


def started(position: int, resource: str, operation: str = OPERATION) -> Progress:
    return Progress(operation, position, resource, "create", "started", None, NOW)


def completed(
    position: int, resource: str, *, succeeded: bool = True, operation: str = OPERATION
) -> Progress:
    return Progress(operation, position, resource, "create", "completed", succeeded, LATER)


def carry_out(authority: Authority, *resources: str, operation: str = OPERATION) -> None:
    """Begin an operation and carry out all of its actions."""
    begin(authority, *resources, operation=operation)
    for position, resource in enumerate(resources):
        authority.progress(started(position, resource, operation))
        authority.progress(completed(position, resource, operation=operation))


def apply(backend: Backend, resources: Mapping[str, Record] | None, operation: str = OPERATION) -> Observed:
    """Carry out a whole operation that leaves the resources behind."""
    with backend.authority(0) as authority:
        carry_out(authority, *(resources or ()), operation=operation)
        return authority.commit(resources)


def failure(
    last: int | None = None, code: str = "runtime_action_failed", operation: str = OPERATION
) -> Recovery:
    return Recovery(operation, code, LATER, last)


def resolution(chosen: str = "observed", **says: str) -> dict[str, str]:
    """Return an explicit recovery of the operation."""
    plain = {
        "recovery_operation_id": RECOVERY,
        "blocked_operation_id": OPERATION,
        "resolution": chosen,
        "evidence_checksum": EVIDENCE,
    }
    return {**plain, **says}
