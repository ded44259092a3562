"""The right to change a state in PostgreSQL: every step is one commit on the connection that holds the lock.

A commit writes the control, its event and, at the end of an operation, the state, all or nothing. Before it,
everything that is there must be what this authority has read or written last. It is sent once; what became of
one without an answer is looked for, never tried again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.state import history_file, operations
from streamt_ol.deploy.state.authority import OperationAuthority
from streamt_ol.deploy.state.clock import utc_now
from streamt_ol.deploy.state.errors import StateConflictError, StateError, UnknownOutcomeError
from streamt_ol.deploy.state.history_file import INTENDED, RESOLVED, Event
from streamt_ol.deploy.state.postgres.acknowledging import Commit, settle
from streamt_ol.deploy.state.postgres.images import (
    ControlRow,
    Image,
    observed_of,
    read_image,
    read_observed,
    state_row,
)
from streamt_ol.deploy.state.postgres.session import UnansweredCommitError
from streamt_ol.deploy.state.postgres.settings import LOCATION
from streamt_ol.deploy.state.postgres.troubles import ERRORS
from streamt_ol.deploy.state.postgres.writing import event_rows, one_at_a_time, write
from streamt_ol.deploy.state.state_file import state_checksum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.deploy.state.authority import Step
    from streamt_ol.deploy.state.history_file import Resolution
    from streamt_ol.deploy.state.postgres.advisory_lock import AdvisoryLock
    from streamt_ol.deploy.state.postgres.reader import PostgresReader
    from streamt_ol.deploy.state.postgres.session import Session
    from streamt_ol.deploy.state.records import Control, Observed, Snapshot

_LAST: Final = ("recovery_required", "cleared_before_mutation", "succeeded", RESOLVED)
"""Events after which an operation needs the lock for nothing more."""


class PostgresAuthority(OperationAuthority):
    """The lock of a state in PostgreSQL and what was read and written under it."""

    def __init__(self, reader: PostgresReader, session: Session, lock: AdvisoryLock) -> None:
        super().__init__(lock, reader.settings)
        self._reader = reader
        self._settings = reader.settings
        self._session = session
        self._seen: dict[Image, Observed] = {}
        """What was there when it was observed last."""
        self._images: dict[Image, Observed] = {}
        """What may be written: two images after a commit that was interrupted."""

    def observe(self) -> Observed:
        """Return what is written now."""
        self.check()
        image, found = read_observed(self._session, self._settings)
        self._seen = {image: found}
        return found

    def _expect(self, _found: Observed) -> None:
        self._images = dict(self._seen)

    def _known(self) -> Observed:
        if len(self._images) > 1:
            image, found = read_observed(self._session, self._settings)
            if image not in self._images:
                raise self._conflict()
            self._images = {image: found}
        ((_image, known),) = self._images.items()
        return known

    def _write(self, found: Observed, step: Step, after: Snapshot) -> Observed:
        text = step.data.decode()
        return self._put_at_once(found, step.control, text, [(step.event, step.operation_id, text)], after)

    def _resolve(self, found: Observed, chosen: Resolution, after: Snapshot) -> Observed:
        known = [one.resolution.recovery_operation_id for one in self._reader.recoveries_on(self._session)]
        if chosen.recovery_operation_id in known:
            raise StateConflictError("another recovery has the same operation id")
        self._take_over(found)
        events = []
        for word in (INTENDED, RESOLVED):
            event = Event(word, chosen, after.serial, state_checksum(after), utc_now())
            events.append((word, chosen.recovery_operation_id, history_file.encode_event(event).decode()))
        control = operations.NO_OPERATION
        return self._put_at_once(found, control, self._document(control).decode(), events, after)

    def _put_at_once(
        self,
        found: Observed,
        control: Control,
        text: str,
        events: Sequence[tuple[str, str, str]],
        after: Snapshot,
    ) -> Observed:
        """Write what follows what was found, in one commit, and return what it says.

        `text` is the control's document. Of each event there is the kind, the operation and the text.
        """
        (before,) = self._images
        state = before.state if after == found.snapshot else state_row(before.state, after)
        image = Image(state, ControlRow(before.control.revision + len(events), control.status, text))
        said = observed_of(image, after, control)
        self._images[image] = said
        try:
            self._commit(before, image, events)
        except UnknownOutcomeError:
            raise
        except StateError as error:
            error.operation_id = self._operation_id
            del self._images[image]
            raise
        self._images = {image: said}
        return said

    def _commit(self, before: Image, after: Image, events: Sequence[tuple[str, str, str]]) -> None:
        """Send one commit; where its answer gets lost, find out what became of it."""
        session, settings = self._session, self._settings
        commit = Commit(before, after, (), "last" if events[-1][0] in _LAST else "between")
        try:
            with one_at_a_time(session, self._reader.writing_key), session.writing("write"):
                if read_image(session, settings, alone=True) != before:
                    raise self._conflict()
                commit = commit._replace(events=event_rows(session, settings, events))
                write(session, settings, commit)
        except UnansweredCommitError:
            found = settle(commit, session, self._reader.session, settings, self._reader.rules)
        else:
            return
        if found.verdict == "written":
            return
        raise ERRORS[found.code](
            found.message,
            location=LOCATION,
            operation_id=self._operation_id,
            suggestion="`streamt state status` tells what is written",
        )

    def _conflict(self) -> StateConflictError:
        return StateConflictError(
            "the state was changed by somebody else while the operation held the lock",
            location=LOCATION,
            operation_id=self._operation_id,
        )
