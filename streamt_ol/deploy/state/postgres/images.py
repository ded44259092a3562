"""What is written of one address: the rows of state and control, and that the history says the same.

The history has one row for each revision of the state, and one event for each revision of the control. So
whatever was changed without this program shows. Source: section 3.3 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from streamt_ol.deploy.state import control_file, history_file, state_file
from streamt_ol.deploy.state.operations import NO_OPERATION
from streamt_ol.deploy.state.postgres.migrating import within
from streamt_ol.deploy.state.records import Observed
from streamt_ol.deploy.state.state_file import ABSENT, state_checksum

if TYPE_CHECKING:
    from streamt_ol.deploy.state.postgres.facts import Moment
    from streamt_ol.deploy.state.postgres.session import Session
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings
    from streamt_ol.deploy.state.records import Control, Snapshot

_CONTROL: Final = "SELECT revision, status, control_json FROM {schema}.operation_control WHERE {here}"
_STATE: Final = (
    "SELECT revision, state_serial, state_checksum, state_json FROM {schema}.current_state WHERE {here}"
)
_ALONE: Final = " FOR UPDATE"
_COUNTS: Final = """
SELECT (SELECT count(*) FROM {schema}.state_history WHERE {here}),
       (SELECT count(*) FROM {schema}.operation_history WHERE {here})
"""
_LAST_STATE: Final = """
SELECT revision, state_serial, state_checksum, state_json FROM {schema}.state_history WHERE {here}
ORDER BY revision DESC LIMIT 1
"""
_UNFINISHED: Final = """
SELECT operation_id::text FROM (
    SELECT DISTINCT ON (operation_id) operation_id, event_kind FROM {schema}.operation_history
    WHERE {here} ORDER BY operation_id, event_index DESC
) AS last
WHERE event_kind NOT IN ('succeeded', 'cleared_before_mutation', 'recovery_resolved')
"""
_RESOLVED: Final = """
SELECT control_json FROM {schema}.operation_history WHERE {here} AND event_kind = 'recovery_resolved'
"""
_LAST_EVENT: Final = """
SELECT control_json FROM {schema}.operation_history WHERE {here} AND operation_id = %(operation)s
ORDER BY event_index DESC LIMIT 1
"""


class StateRow(NamedTuple):
    """The row of `current_state`."""

    revision: int
    """Counts what was written, from 1."""
    serial: int
    checksum: str
    text: str


class ControlRow(NamedTuple):
    """The row of `operation_control`."""

    revision: int
    """Counts the events of its history; 0 is as the address was registered."""
    status: str
    text: str


class Image(NamedTuple):
    """All that is written of an address and may change."""

    state: StateRow | None
    control: ControlRow


def where(settings: PostgresSettings) -> dict[str, str]:
    """Return the parameters that every query about an address has."""
    return {
        "namespace": settings.namespace,
        "project": settings.project,
        "environment": settings.environment,
    }


def read_image(session: Session, settings: PostgresSettings, *, alone: bool = False) -> Image:
    """Return what is written; `alone` keeps everybody else from writing until the transaction ends.

    Raises `StateInvalidError` where the history says something else.
    """
    moment: Moment = "write" if alone else "read"  # what is locked is read for a step of an operation
    ending = _ALONE if alone else ""
    at = where(settings)
    controls = session.rows(moment, within(settings.schema, _CONTROL) + ending, at)
    states = session.rows(moment, within(settings.schema, _STATE) + ending, at)
    if not controls:
        raise session.troubles.of("address_changed", "read", "it has no control")
    image = Image(StateRow(*states[0]) if states else None, ControlRow(*controls[0]))
    _require_history(session, settings, image, moment)
    return image


def read_observed(session: Session, settings: PostgresSettings) -> tuple[Image, Observed]:
    """Return what is written, and what that says; raises `StateInvalidError` where it contradicts itself."""
    with session.reading():
        image = read_image(session, settings)
        observed = decode(image, settings)
        wrong = _contradiction(image, observed) or _untold(session, settings, image, observed)
        if wrong:
            raise session.troubles.of("history_changed", "read", wrong)
    return image, observed


def decode(image: Image, settings: PostgresSettings) -> Observed:
    """Return what an image says; raises `StateInvalidError`."""
    project, environment = settings.project, settings.environment
    snapshot = state_file.empty(project, environment)
    if image.state is not None:
        snapshot = state_file.decode_state(
            image.state.text.encode(), f"{settings.schema}.current_state", project, environment
        )
    control = NO_OPERATION
    if image.control.revision:
        control = control_file.decode_control(
            image.control.text.encode(),
            f"{settings.schema}.operation_control",
            settings.address,
            project,
            environment,
        )
    return observed_of(image, snapshot, control)


def observed_of(image: Image, snapshot: Snapshot, control: Control) -> Observed:
    """Return what an image says, which is known."""
    return Observed(snapshot, _revision(image.state), control, _revision(image.control))


def state_row(before: StateRow | None, snapshot: Snapshot) -> StateRow:
    """Return the row of a state that follows another."""
    revision = 1 if before is None else before.revision + 1
    text = state_file.encode_state(snapshot).decode()
    return StateRow(revision, snapshot.serial, state_checksum(snapshot), text)


def first_control(settings: PostgresSettings) -> ControlRow:
    """Return the row of a control with which an address is registered."""
    return ControlRow(0, NO_OPERATION.status, control_text(NO_OPERATION, settings))


def control_text(control: Control, settings: PostgresSettings) -> str:
    """Return the document of a control; raises `StateInvalidError` for one that could not be read again."""
    return control_file.encode_control(
        control, settings.address, settings.project, settings.environment
    ).decode()


def _revision(row: StateRow | ControlRow | None) -> str:
    """Return what tells a row from all others that were in its place."""
    if row is None or not row.revision:
        return ABSENT
    return f"{row.revision}:{state_file.revision(row.text.encode())}"


def _require_history(session: Session, settings: PostgresSettings, image: Image, moment: Moment) -> None:
    at = where(settings)
    ((states, events),) = session.rows(moment, within(settings.schema, _COUNTS), at)
    last = session.rows(moment, within(settings.schema, _LAST_STATE), at)
    wrong = ""
    if states != (0 if image.state is None else image.state.revision) or (
        [tuple(row) for row in last] != ([] if image.state is None else [tuple(image.state)])
    ):
        wrong = "the state is not the last one that was written"
    elif events != image.control.revision:
        wrong = f"{events} events were written, and the control counts {image.control.revision}"
    if wrong:
        raise session.troubles.of("history_changed", "read", wrong)


def _untold(session: Session, settings: PostgresSettings, image: Image, observed: Observed) -> str:
    """Return what the history says of operations that the control does not; nothing where they agree.

    A control that somebody has cleared by hand says nothing of the operation that did not end.
    """
    intent = observed.control.intent
    at = where(settings)
    unfinished = {name for (name,) in session.rows("read", within(settings.schema, _UNFINISHED), at)}
    if intent is not None:
        asked = {**at, "operation": intent.operation_id}
        if session.rows("read", within(settings.schema, _LAST_EVENT), asked) != [(image.control.text,)]:
            return "the control is not the last event of its operation"
        unfinished.discard(intent.operation_id)
    if unfinished:
        unfinished -= _recovered(session, settings)
    if unfinished:
        return f"the operation {min(unfinished)} did not end, and the control does not say so"
    return ""


def _recovered(session: Session, settings: PostgresSettings) -> set[str]:
    """Return the operations that explicit recoveries have ended."""
    file = f"{settings.schema}.operation_history"
    rows = session.rows("read", within(settings.schema, _RESOLVED), where(settings))
    events = [history_file.decode_event(text.encode(), file) for (text,) in rows]
    return {event.resolution.blocked_operation_id for event in events}


def _contradiction(image: Image, observed: Observed) -> str:
    """Return how the columns of an image differ from its documents; nothing where they do not."""
    state, snapshot = image.state, observed.snapshot
    if state is not None and (state.serial, state.checksum) != (snapshot.serial, state_checksum(snapshot)):
        return "the columns of the state are not those of its document"
    if image.control.status != observed.control.status:
        return "the column of the control is not that of its document"
    return ""
