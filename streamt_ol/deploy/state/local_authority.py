"""The right to change a local state: every step is written and brought to the disk before the next.

Each write first makes sure that the lock is held and that what it replaces is what this authority has read or
written last. What a failed write leaves is not guessed: both the old and the new content are then expected,
and what is there decides. A commit writes the state, then clears the control, so that a crash in between
leaves an operation that blocks and never a change that nobody knows of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.state import history_file, operations, state_file
from streamt_ol.deploy.state.authority import OperationAuthority
from streamt_ol.deploy.state.clock import utc_now
from streamt_ol.deploy.state.errors import StateConflictError, UnknownOutcomeError
from streamt_ol.deploy.state.history_file import INTENDED, RESOLVED, Event
from streamt_ol.deploy.state.records import Observed
from streamt_ol.ground.atomic_file import OutputFileError
from streamt_ol.ground.errors import Place

if TYPE_CHECKING:
    from streamt_ol.deploy.state.authority import Step
    from streamt_ol.deploy.state.files import StateFile
    from streamt_ol.deploy.state.history_file import Resolution
    from streamt_ol.deploy.state.local_files import LocalFiles
    from streamt_ol.deploy.state.lock import FileLock
    from streamt_ol.deploy.state.records import Control, Snapshot


class LocalAuthority(OperationAuthority):
    """The lock of a local state and what was read and written under it.

    After a crash a recovery is written by the same call again: it goes on where it stopped.
    """

    def __init__(self, files: LocalFiles, lock: FileLock) -> None:
        super().__init__(lock, files)
        self._files = files
        self._controls: dict[str, Control] = {}
        """What the control file may hold, by revision: two after a write whose outcome is unknown."""
        self._states: dict[str, Snapshot] = {}

    def observe(self) -> Observed:
        """Return what is written now."""
        self.check()
        return self._files.observe()

    def _expect(self, found: Observed) -> None:
        self._controls = {found.control_revision: found.control}
        self._states = {found.state_revision: found.snapshot}

    def _known(self) -> Observed:
        """Return what is written; what somebody else has written would have another revision."""
        state, control = self._files.revisions()
        if control not in self._controls or state not in self._states:
            raise StateConflictError(
                "the files of the state were changed by somebody else while the operation held the lock",
                operation_id=self._operation_id,
            )
        found = Observed(self._states[state], state, self._controls[control], control)
        self._expect(found)
        return found

    def _write(self, found: Observed, step: Step, after: Snapshot) -> Observed:
        # What is done is not read again: a failure to read would look like one of the step.
        state = self._write_state(found, after)
        return Observed(after, state, step.control, self._write_control(step.control, step.data))

    def _resolve(self, found: Observed, chosen: Resolution, after: Snapshot) -> Observed:
        self._take_over(found)
        self._record(INTENDED, chosen, after)
        state = self._write_state(found, after)
        self._record(RESOLVED, chosen, after)
        control = operations.NO_OPERATION
        return Observed(after, state, control, self._write_control(control, self._document(control)))

    def _write_control(self, control: Control, data: bytes) -> str:
        """Write a control and return its revision."""
        written = state_file.revision(data)
        self._controls[written] = control
        self._write_file(self._files.control_file, data)
        self._controls = {written: control}
        return written

    def _write_state(self, found: Observed, after: Snapshot) -> str:
        """Write a state if it is another one, and return its revision."""
        if after == found.snapshot:
            return found.state_revision
        data = state_file.encode_state(after)
        written = state_file.revision(data)
        self._states[written] = after
        self._write_file(self._files.state_file, data)
        self._states = {written: after}
        return written

    def _record(self, event: str, resolution: Resolution, after: Snapshot) -> None:
        """Add a word to the history, unless it is there since a recovery that did not end."""
        events = self._files.recoveries()
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
        self._write_file(
            self._files.history_file, history_file.encode_history((*events, new), self._files.address)
        )

    def _write_file(self, file: StateFile, data: bytes) -> None:
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
