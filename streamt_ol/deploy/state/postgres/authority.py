"""The right to change a state in PostgreSQL: every step is one commit on the connection that holds the lock.

A commit writes the control, its event and, at the end of an operation, the state, all or nothing. Before it,
everything that is there must be what this authority has read or written last. It is sent once; what became of
one without an answer is looked for, never tried again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.state import control_file, history_file, operations, state_file
from streamt_ol.deploy.state.clock import utc_now
from streamt_ol.deploy.state.errors import (
    OperationStepError,
    StateConflictError,
    StateError,
    UnknownOutcomeError,
)
from streamt_ol.deploy.state.history_file import ABANDONED, INTENDED, RESOLVED, Event
from streamt_ol.deploy.state.postgres.acknowledging import Commit, settle
from streamt_ol.deploy.state.postgres.images import (
    ControlRow,
    Image,
    control_text,
    observed_of,
    read_image,
    read_observed,
    state_row,
)
from streamt_ol.deploy.state.postgres.session import UnansweredCommitError
from streamt_ol.deploy.state.postgres.troubles import ERRORS
from streamt_ol.deploy.state.postgres.writing import event_rows, one_at_a_time, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.records import Control, Intent, Observed, Progress, Record, Recovery, Snapshot
    from streamt_ol.deploy.state.postgres.advisory_lock import AdvisoryLock
    from streamt_ol.deploy.state.postgres.backend import PostgresBackend
    from streamt_ol.deploy.state.postgres.session import Session

_LAST: Final = ("recovery_required", "cleared_before_mutation", "succeeded", RESOLVED)
"""Events after which an operation needs the lock for nothing more."""


class PostgresAuthority:
    """The lock of a state in PostgreSQL and what was read and written under it."""

    def __init__(self, backend: PostgresBackend, session: Session, lock: AdvisoryLock) -> None:
        self._backend = backend
        self._settings = backend.settings
        self._session = session
        self._lock = lock
        self._images: dict[Image, Observed] = {}
        """What may be written: two images after a commit that was interrupted."""
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
        return self._read()[1]

    def begin(self, intent: Intent, expected: Observed) -> None:
        """Write the intent; the control must be clear and everything as it was observed."""
        image, found = self._read()
        control = operations.begun(intent, found)
        if found != expected:
            raise StateConflictError("the state has changed since it was observed")
        self._images = {image: found}
        self._write(image, control, [("intent", intent.operation_id, None)])

    def progress(self, entry: Progress) -> None:
        """Write one word about an action."""
        image, found = self._written()
        control = operations.progressed(found.control, entry)
        text = control_file.encode_progress(control, self._settings.address).decode()
        self._write(image, control, [(f"progress_{entry.status}", entry.operation_id, None)], text=text)

    def require_recovery(self, recovery: Recovery) -> None:
        """Mark the operation as one that must be recovered, also after a write whose outcome is unknown."""
        image, found = self._written()
        control = found.control
        if control.intent is None:
            control = self._operation  # cleared, but its command does not know: the operation blocks again
        control = operations.failed(control, recovery)
        self._write(image, control, [("recovery_required", recovery.operation_id, None)])

    def clear_before_mutation(self) -> None:
        """Clear the control of an operation of which no action has started."""
        image, found = self._written()
        control = operations.cleared(found.control)
        operation = operations.operation_of(found.control).operation_id
        self._write(image, control, [("cleared_before_mutation", operation, None)])

    def commit(self, resources: Mapping[str, Record] | None) -> Observed:
        """Write the resources (None: they stay as they are) and the cleared control at once; return both."""
        image, found = self._written()
        control = operations.succeeded(found.control)
        operation = operations.operation_of(found.control).operation_id
        after = state_file.next_snapshot(found.snapshot, resources)
        return self._write(image, control, [("succeeded", operation, None)], after)

    def resolve(self, resources: Mapping[str, Record] | None, resolution: Mapping[str, Any]) -> Observed:
        """Write an explicit recovery: its two events, the resources and the cleared control, at once.

        `resolution` has the fields of `Resolution`.
        """
        chosen = history_file.read_resolution(resolution)
        image, found = self._read()
        intent = operations.operation_of(found.control)
        if intent.operation_id != chosen.blocked_operation_id:
            raise StateConflictError("another operation is unfinished than the one to recover")
        if chosen.resolution == ABANDONED:
            operations.cleared(found.control._replace(status=operations.IN_PROGRESS))
        known = [one.resolution.recovery_operation_id for one in self._backend.recoveries_on(self._session)]
        if chosen.recovery_operation_id in known:
            raise StateConflictError("another recovery has the same operation id")
        self._images = {image: found}
        self._operation, self._operation_id = found.control, intent.operation_id
        after = state_file.next_snapshot(found.snapshot, resources)
        events: list[tuple[str, str, str | None]] = []
        for word in (INTENDED, RESOLVED):
            event = Event(word, chosen, after.serial, state_file.state_checksum(after), utc_now())
            events.append((word, chosen.recovery_operation_id, history_file.encode_event(event).decode()))
        return self._write(image, operations.NO_OPERATION, events, after)

    def release(self) -> None:
        """Give the lock back, verified."""
        try:
            self._lock.release()
        except StateError as error:
            error.operation_id = self._operation_id
            raise

    def _read(self) -> tuple[Image, Observed]:
        self.check()
        return read_observed(self._session, self._settings)

    def _written(self) -> tuple[Image, Observed]:
        """Return what is written now, if that is what this authority has written."""
        self.check()
        if self._operation_id is None:
            raise OperationStepError("no operation is under way")
        if len(self._images) > 1:
            image, found = read_observed(self._session, self._settings)
            if image not in self._images:
                raise self._conflict()
            self._images = {image: found}
        ((image, found),) = self._images.items()
        return image, found

    def _write(
        self,
        before: Image,
        control: Control,
        events: Sequence[tuple[str, str, str | None]],
        snapshot: Snapshot | None = None,
        *,
        text: str | None = None,
    ) -> Observed:
        """Write what follows an image, in one commit, and return what it says.

        Of each event there is the kind, the operation and the text; without one it is that of the control.
        """
        known = self._images[before]
        written = control_text(control, self._settings) if text is None else text
        state = before.state
        if snapshot is not None and snapshot != known.snapshot:
            state = state_row(before.state, snapshot)
        row = ControlRow(before.control.revision + len(events), control.status, written)
        after = Image(state, row)
        said = observed_of(after, known.snapshot if snapshot is None else snapshot, control)
        if control.intent is not None:
            self._operation_id = control.intent.operation_id
        self._images[after] = said
        try:
            self._commit(
                before, after, [(kind, operation, own or written) for kind, operation, own in events]
            )
        except UnknownOutcomeError:
            raise
        except StateError as error:
            error.operation_id = self._operation_id
            del self._images[after]
            raise
        self._images = {after: said}
        self._operation = control
        return said

    def _commit(self, before: Image, after: Image, events: Sequence[tuple[str, str, str]]) -> None:
        """Send one commit; where its answer gets lost, find out what became of it."""
        session, settings = self._session, self._settings
        commit = Commit(before, after, (), "last" if events[-1][0] in _LAST else "between")
        try:
            with one_at_a_time(session, self._backend.writing_key), session.writing("write"):
                if read_image(session, settings, alone=True) != before:
                    raise self._conflict()
                commit = commit._replace(events=event_rows(session, settings, events))
                write(session, settings, commit)
        except UnansweredCommitError:
            found = settle(commit, session, self._backend.session, settings, self._backend.rules)
        else:
            return
        if found.verdict == "written":
            return
        raise ERRORS[found.code](
            found.message,
            location="/deployment_state",
            operation_id=self._operation_id,
            suggestion="`streamt state status` tells what is written",
        )

    def _conflict(self) -> StateConflictError:
        return StateConflictError(
            "the state was changed by somebody else while the operation held the lock",
            location="/deployment_state",
            operation_id=self._operation_id,
        )
