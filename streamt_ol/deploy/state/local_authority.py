"""The right to change a local state: every step is checked, written and brought to the disk before the next.

Each write first makes sure that the lock is held and that what it replaces is what this authority has read or
written last. What a failed write leaves is not guessed: both the old and the new content are then expected,
and what is there decides. A commit writes the state, then clears the control, so that a crash in between
leaves an operation that blocks and never a change that nobody knows of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.records import Observed
from streamt_ol.deploy.state import control_file, history_file, operations, state_file
from streamt_ol.deploy.state.clock import utc_now
from streamt_ol.deploy.state.errors import (
    OperationStepError,
    StateConflictError,
    StateError,
    UnknownOutcomeError,
)
from streamt_ol.deploy.state.history_file import ABANDONED, INTENDED, RESOLVED, Event
from streamt_ol.ground.atomic_file import OutputFileError
from streamt_ol.ground.errors import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.records import Control, Intent, Progress, Record, Recovery, Snapshot
    from streamt_ol.deploy.state.files import StateFile
    from streamt_ol.deploy.state.history_file import Resolution
    from streamt_ol.deploy.state.local import LocalBackend
    from streamt_ol.deploy.state.lock import FileLock


class LocalAuthority:
    """The lock of a local state and what was read and written under it."""

    def __init__(self, backend: LocalBackend, lock: FileLock) -> None:
        self._backend = backend
        self._lock = lock
        self._controls: dict[str, Control] = {}
        """What the control file may hold, by revision: two after a write whose outcome is unknown."""
        self._states: dict[str, Snapshot] = {}
        self._operation: Control = operations.NO_OPERATION
        """The operation as it was certainly written last; none before it is, and once it is over."""
        self._operation_id: str | None = None
        """Of the last operation that was to be written, also once it is over."""

    def check(self) -> None:
        """Raise `LockLostError` when the lock is not held any more."""
        try:
            self._lock.check()
        except StateError as error:
            error.operation_id = self._operation_id
            raise

    def observe(self) -> Observed:
        """Return what is written now."""
        self.check()
        return self._backend.observe()

    def begin(self, intent: Intent, expected: Observed) -> None:
        """Write the intent; the control must be clear and everything as it was observed."""
        found = self.observe()
        control = operations.begun(intent, found)
        if found != expected:
            raise StateConflictError("the state has changed since it was observed")
        self._expect(found)
        self._write_control(control)

    def progress(self, entry: Progress) -> None:
        """Write one word about an action."""
        control = operations.progressed(self._written().control, entry)
        self._put_control(control, control_file.encode_progress(control, self._backend.address))

    def require_recovery(self, recovery: Recovery) -> None:
        """Mark the operation as one that must be recovered, also after a write whose outcome is unknown."""
        control = self._written().control
        if control.intent is None:
            control = self._operation  # cleared, but not for certain: the operation blocks again
        self._write_control(operations.failed(control, recovery))

    def clear_before_mutation(self) -> None:
        """Clear the control of an operation of which no action has started."""
        self._write_control(operations.cleared(self._written().control))

    def commit(self, resources: Mapping[str, Record] | None) -> Observed:
        """Write the resources (None: they stay as they are), then clear the control; return both."""
        found = self._written()
        control = operations.succeeded(found.control)
        after = state_file.next_snapshot(found.snapshot, resources)
        revision = self._write_state(found, after)
        # What is done is not read again: a failure to read would look like one of the commit.
        return Observed(after, revision, control, self._write_control(control))

    def resolve(self, resources: Mapping[str, Record] | None, resolution: Mapping[str, Any]) -> Observed:
        """Write an explicit recovery: its record in the history, the resources, then the cleared control.

        `resolution` has the fields of `Resolution`. After a crash the same call goes on where it stopped.
        """
        chosen = history_file.read_resolution(resolution)
        found = self.observe()
        intent = operations.operation_of(found.control)
        if intent.operation_id != chosen.blocked_operation_id:
            raise StateConflictError("another operation is unfinished than the one to recover")
        if chosen.resolution == ABANDONED:
            operations.cleared(found.control._replace(status=operations.IN_PROGRESS))
        self._expect(found)
        self._operation, self._operation_id = found.control, intent.operation_id
        control, after = operations.NO_OPERATION, state_file.next_snapshot(found.snapshot, resources)
        self._record(INTENDED, chosen, after)
        revision = self._write_state(found, after)
        self._record(RESOLVED, chosen, after)
        return Observed(after, revision, control, self._write_control(control))

    def release(self) -> None:
        """Give the lock back, verified."""
        try:
            self._lock.release()
        except StateError as error:
            error.operation_id = self._operation_id
            raise

    def _expect(self, found: Observed) -> None:
        self._controls = {found.control_revision: found.control}
        self._states = {found.state_revision: found.snapshot}

    def _written(self) -> Observed:
        """Return what is written now, if that is what this authority has written.

        It is known by its revision: what somebody else has written would have another one.
        """
        self.check()
        if self._operation_id is None:
            raise OperationStepError("no operation is under way")
        state, control = self._backend.revisions()
        if control not in self._controls or state not in self._states:
            raise StateConflictError(
                "the files of the state were changed by somebody else while the operation held the lock",
                operation_id=self._operation_id,
            )
        found = Observed(self._states[state], state, self._controls[control], control)
        self._expect(found)
        return found

    def _write_control(self, control: Control) -> str:
        """Write a control and return its revision."""
        backend = self._backend
        data = control_file.encode_control(control, backend.address, backend.project, backend.environment)
        return self._put_control(control, data)

    def _put_control(self, control: Control, data: bytes) -> str:
        written = state_file.revision(data)
        if control.intent is not None:
            self._operation_id = control.intent.operation_id
        self._controls[written] = control
        self._write(self._backend.control_file, data)
        self._controls = {written: control}
        self._operation = control
        return written

    def _write_state(self, found: Observed, after: Snapshot) -> str:
        """Write a state if it is another one, and return its revision."""
        if after == found.snapshot:
            return found.state_revision
        data = state_file.encode_state(after)
        written = state_file.revision(data)
        self._states[written] = after
        self._write(self._backend.state_file, data)
        self._states = {written: after}
        return written

    def _record(self, event: str, resolution: Resolution, after: Snapshot) -> None:
        """Add a word to the history, unless it is there since a recovery that did not end."""
        events = self._backend.recoveries()
        new = Event(event, resolution, after.serial, state_file.state_checksum(after), utc_now())
        same = [
            each
            for each in events
            if each.resolution.recovery_operation_id == resolution.recovery_operation_id
        ]
        if any(each._replace(event=event, recorded_at=new.recorded_at) != new for each in same):
            raise StateConflictError("another recovery has the same operation id")
        if any(each.event == event for each in same):
            return
        self._write(
            self._backend.history_file, history_file.encode_history((*events, new), self._backend.address)
        )

    def _write(self, file: StateFile, data: bytes) -> None:
        self.check()
        try:
            file.write(data)
        except OutputFileError as error:
            raise UnknownOutcomeError(
                f"a step of the operation could not be written for certain: {error.message}",
                place=Place(file.shown),
                operation_id=self._operation_id,
                suggestion="`streamt state status` tells what is written",
            ) from None
