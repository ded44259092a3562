"""The right to change a state: each step is checked against what is written before it is written itself.

What may follow what, and what is remembered of it, is the same wherever a state is kept, and stands here. A
subclass reads and writes; how much of it is there at once after a crash is for it to say.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from streamt_ol.deploy.state import control_file, history_file, operations, state_file
from streamt_ol.deploy.state.errors import OperationStepError, StateConflictError, StateError
from streamt_ol.deploy.state.history_file import ABANDONED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.deploy.state.history_file import Resolution
    from streamt_ol.deploy.state.records import (
        Authority,
        Control,
        Intent,
        Observed,
        Progress,
        Record,
        Recovery,
        Snapshot,
    )


@contextlib.contextmanager
def given_back(held: OperationAuthority) -> Iterator[Authority]:
    """Give the lock back at the end; raises what `release` raises, unless another error is on its way."""
    try:
        yield held
    except BaseException:
        with contextlib.suppress(StateError):
            held.release()
        raise
    held.release()


class HeldLock(Protocol):
    """A lock of which it can be asked whether it is held still."""

    def check(self) -> None:
        """Raise `LockLostError` when it is not held any more."""

    def release(self) -> None:
        """Give it back, verified."""


class Addressed(Protocol):
    """What a control is written for."""

    @property
    def address(self) -> str:
        """Return where the state is, in its store."""

    @property
    def project(self) -> str:
        """Return the name of the project."""

    @property
    def environment(self) -> str:
        """Return the name of the environment."""


class Step(NamedTuple):
    """A control to write, and what a history says of it."""

    control: Control
    data: bytes
    """Its document."""
    event: str
    operation_id: str


class OperationAuthority(ABC):
    """The lock of a state, and what was read and written under it."""

    def __init__(self, lock: HeldLock, where: Addressed) -> None:
        self._lock = lock
        self._where = where
        self._operation: Control = operations.NO_OPERATION
        """The operation as it was certainly written last; none before it is, and once it is over."""
        self._operation_id: str | None = None
        """Of the last operation that was to be written, also once it is over."""

    def check(self) -> None:
        """Raise `LockLostError` when the lock is not held any more."""
        with self._naming():
            self._lock.check()

    def release(self) -> None:
        """Give the lock back, verified."""
        with self._naming():
            self._lock.release()

    @abstractmethod
    def observe(self) -> Observed:
        """Return what is written now."""

    def begin(self, intent: Intent, expected: Observed) -> None:
        """Write the intent; the control must be clear and everything as it was observed."""
        found = self.observe()
        control = operations.begun(intent, found)
        if found != expected:
            raise StateConflictError("the state has changed since it was observed")
        self._expect(found)
        self._put(found, control, "intent")

    def progress(self, entry: Progress) -> None:
        """Write one word about an action."""
        found = self._written()
        control = operations.progressed(found.control, entry)
        data = control_file.encode_progress(control, self._where.address)
        self._put(found, control, f"progress_{entry.status}", data=data)

    def require_recovery(self, recovery: Recovery) -> None:
        """Mark the operation as one that must be recovered, also after a write whose outcome is unknown."""
        found = self._written()
        control = found.control
        if control.intent is None:
            control = self._operation  # cleared, but not for certain: the operation blocks again
        self._put(found, operations.failed(control, recovery), "recovery_required")

    def clear_before_mutation(self) -> None:
        """Clear the control of an operation of which no action has started."""
        found = self._written()
        self._put(found, operations.cleared(found.control), "cleared_before_mutation")

    def commit(self, resources: Mapping[str, Record] | None) -> Observed:
        """Write the resources (None: they stay as they are) and the cleared control; return both."""
        found = self._written()
        control = operations.succeeded(found.control)
        after = state_file.next_snapshot(found.snapshot, resources)
        return self._put(found, control, "succeeded", after)

    def resolve(self, resources: Mapping[str, Record] | None, resolution: Mapping[str, Any]) -> Observed:
        """Write an explicit recovery: its record in the history, the resources and the cleared control.

        `resolution` has the fields of `Resolution`.
        """
        chosen = history_file.read_resolution(resolution)
        found = self.observe()
        intent = operations.operation_of(found.control)
        if intent.operation_id != chosen.blocked_operation_id:
            raise StateConflictError("another operation is unfinished than the one to recover")
        if chosen.resolution == ABANDONED:
            operations.cleared(found.control._replace(status=operations.IN_PROGRESS))
        said = self._resolve(found, chosen, state_file.next_snapshot(found.snapshot, resources))
        self._operation = said.control
        return said

    @abstractmethod
    def _expect(self, found: Observed) -> None:
        """From now on work on what was observed last."""

    @abstractmethod
    def _known(self) -> Observed:
        """Return what is written now; raises `StateConflictError` where this authority has not written it."""

    @abstractmethod
    def _write(self, found: Observed, step: Step, after: Snapshot) -> Observed:
        """Write a state, if it is another than the one that was found, then the control; return both."""

    @abstractmethod
    def _resolve(self, found: Observed, chosen: Resolution, after: Snapshot) -> Observed:
        """Take the operation over and write what becomes of it; return that."""

    def _take_over(self, found: Observed) -> None:
        self._expect(found)
        self._operation = found.control
        self._operation_id = operations.operation_of(found.control).operation_id

    def _written(self) -> Observed:
        """Return what is written now, if that is what this authority has written."""
        self.check()
        if self._operation_id is None:
            raise OperationStepError("no operation is under way")
        return self._known()

    def _put(
        self,
        found: Observed,
        control: Control,
        event: str,
        after: Snapshot | None = None,
        *,
        data: bytes | None = None,
    ) -> Observed:
        """Write what follows what was found, and remember it; `data` is the control's document, if known."""
        data = self._document(control) if data is None else data
        intent = operations.operation_of(found.control if control.intent is None else control)
        self._operation_id = intent.operation_id
        step = Step(control, data, event, intent.operation_id)
        said = self._write(found, step, found.snapshot if after is None else after)
        self._operation = control
        return said

    def _document(self, control: Control) -> bytes:
        where = self._where
        return control_file.encode_control(control, where.address, where.project, where.environment)

    @contextlib.contextmanager
    def _naming(self) -> Iterator[None]:
        """Say which operation an error is about."""
        try:
            yield
        except StateError as error:
            error.operation_id = self._operation_id
            raise
