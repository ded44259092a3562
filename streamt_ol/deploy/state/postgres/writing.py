"""What one commit writes: the control, its events, and the state where that changes."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.state.errors import StateError
from streamt_ol.deploy.state.postgres.acknowledging import EventRow
from streamt_ol.deploy.state.postgres.images import where
from streamt_ol.deploy.state.postgres.migrating import within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.deploy.state.postgres.acknowledging import Commit
    from streamt_ol.deploy.state.postgres.session import Session
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings

_EVENTS: Final = """
SELECT count(*) FROM {schema}.operation_history WHERE {here} AND operation_id = %(operation)s
"""
_CONTROL: Final = """
UPDATE {schema}.operation_control
SET revision = %(revision)s, status = %(status)s, control_json = %(text)s, updated_at = clock_timestamp()
WHERE {here} RETURNING revision
"""
_EVENT: Final = """
INSERT INTO {schema}.operation_history
(namespace, project, environment, operation_id, event_index, event_kind, control_json)
VALUES (%(namespace)s, %(project)s, %(environment)s, %(operation)s, %(index)s, %(kind)s, %(text)s)
"""
_EVENT_OF_CONTROL: Final = """
INSERT INTO {schema}.operation_history
(namespace, project, environment, operation_id, event_index, event_kind, control_json)
SELECT namespace, project, environment, %(operation)s, %(index)s, %(kind)s, control_json
FROM {schema}.operation_control WHERE {here}
"""
"""A long text that is there already is neither sent nor compressed once more."""
_FIRST_STATE: Final = """
INSERT INTO {schema}.current_state
(namespace, project, environment, revision, state_serial, state_checksum, state_json)
VALUES (%(namespace)s, %(project)s, %(environment)s, %(revision)s, %(serial)s, %(checksum)s, %(text)s)
RETURNING revision
"""
_STATE: Final = """
UPDATE {schema}.current_state
SET revision = %(revision)s, state_serial = %(serial)s, state_checksum = %(checksum)s, state_json = %(text)s,
    updated_at = clock_timestamp()
WHERE {here} RETURNING revision
"""
_STATE_HISTORY: Final = """
INSERT INTO {schema}.state_history
(namespace, project, environment, revision, state_serial, state_checksum, state_json, operation_id)
VALUES (%(namespace)s, %(project)s, %(environment)s, %(revision)s, %(serial)s, %(checksum)s, %(text)s,
        %(operation)s)
"""
_WAIT: Final = "SELECT pg_advisory_lock(%s)"
_GO_ON: Final = "SELECT pg_advisory_unlock(%s)"


@contextlib.contextmanager
def one_at_a_time(session: Session, key: int) -> Iterator[None]:
    """Wait until nobody else writes into the store, for the moment of one commit.

    Operations of different addresses have nothing to do with each other, and serializable transactions that
    overlap may fail all the same: they read pages of the same small tables. So they do not overlap.
    """
    session.rows("write", _WAIT, (key,))
    try:
        yield
    finally:
        if session.is_open:
            try:
                session.rows("write", _GO_ON, (key,))
            except StateError:  # whatever was answered is answered; the lock ends with the connection
                session.close()


def event_rows(
    session: Session, settings: PostgresSettings, events: Sequence[tuple[str, str, str]]
) -> tuple[EventRow, ...]:
    """Return events, each a kind, an operation and a text, with their places in the history."""
    known: dict[str, int] = {}
    rows = []
    for kind, operation, text in events:
        if operation not in known:
            asked = {**where(settings), "operation": operation}
            known[operation] = session.rows("write", within(settings.schema, _EVENTS), asked)[0][0]
        rows.append(EventRow(operation, known[operation], kind, text))
        known[operation] += 1
    return tuple(rows)


def write(session: Session, settings: PostgresSettings, commit: Commit) -> None:
    """Write all of a commit in the transaction that is open."""
    at = where(settings)
    control, state = commit.after.control, commit.after.state
    _one(session, within(settings.schema, _CONTROL), {**at, **control._asdict()}, control.revision)
    for event in commit.events:
        row: dict[str, object] = {
            "operation": event.operation_id,
            "index": event.position,
            "kind": event.kind,
        }
        query = _EVENT_OF_CONTROL
        if event.text != control.text:
            query, row["text"] = _EVENT, event.text
        session.rows("write", within(settings.schema, query), {**at, **row})
    if state is not None and state != commit.before.state:
        query = _FIRST_STATE if commit.before.state is None else _STATE
        row = {**at, **state._asdict()}
        _one(session, within(settings.schema, query), row, state.revision)
        row["operation"] = commit.events[-1].operation_id
        session.rows("write", within(settings.schema, _STATE_HISTORY), row)


def _one(session: Session, query: str, row: dict[str, object], revision: int) -> None:
    if session.rows("write", query, row) != [(revision,)]:
        raise session.troubles.of("other", "write", "it did not change exactly one row")
