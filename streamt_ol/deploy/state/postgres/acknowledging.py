"""What became of a commit whose answer got lost: a new connection looks at what is written.

A commit is all or nothing, and each has an event of its own in the history. So the event says that it was
made; and that it was not is certain once what was there before is there unchanged, and the server's process
that might still make it is gone. Which of this means what is the table `postgres-acknowledgements`.
"""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Final, NamedTuple

from streamt_ol.deploy.state.errors import StateError
from streamt_ol.deploy.state.postgres.facts import LostAcknowledgement, postgres_bound
from streamt_ol.deploy.state.postgres.images import read_image, where
from streamt_ol.deploy.state.postgres.migrating import within
from streamt_ol.deploy.state.postgres.settings import LOCATION
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamt_ol.deploy.state.postgres.facts import Backend, Found, Step
    from streamt_ol.deploy.state.postgres.images import Image
    from streamt_ol.deploy.state.postgres.session import Session
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings
    from streamt_ol.engine.ruleset import RuleSet

_ALIVE: Final = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND backend_start::text = %s"
_EVENT: Final = """
SELECT event_kind, control_json FROM {schema}.operation_history
WHERE {here} AND operation_id = %(operation)s AND event_index = %(index)s
"""
_HISTORY: Final = """
SELECT state_serial, state_checksum, state_json FROM {schema}.state_history
WHERE {here} AND revision = %(revision)s
"""


class EventRow(NamedTuple):
    """An event of a history, as it is written."""

    operation_id: str
    position: int
    """From 0, among those of its operation; `event_index` in what is written."""
    kind: str
    text: str


class Commit(NamedTuple):
    """All that one commit was to write."""

    before: Image
    after: Image
    events: tuple[EventRow, ...]
    step: Step


class Verdict(NamedTuple):
    """What became of a commit."""

    verdict: str
    """`written`, `lost` or `unknown`."""
    code: str
    """Empty for what is written, as the message is."""
    message: str


class _Seen(NamedTuple):
    found: Found
    backend: Backend


def settle(
    commit: Commit,
    lost: Session,
    again: Callable[[], Session],
    settings: PostgresSettings,
    rules: RuleSet,
) -> Verdict:
    """Return what the table says of a commit without an answer, once that can be told, or the time is up.

    `lost` is the connection that it was sent on, `again` makes a new one to the same store.
    """
    deadline = Deadline(postgres_bound(rules, "look_seconds"))
    pause = postgres_bound(rules, "poll_milliseconds") / 1000
    seen = _Seen("unseen", "unseen")
    while not _is_certain(seen):
        try:
            seen = _look(commit, lost, again, settings)
        except StateError:
            seen = _Seen("unseen", "unseen")
        try:
            sleep(min(pause, deadline.left()))
        except DeadlinePassedError:
            break
    facts = LostAcknowledgement(LOCATION, seen.found, commit.step, seen.backend)
    decision = rules.table("postgres-acknowledgements").decide(facts)
    message = decision.get("message")
    return Verdict(decision["verdict"], decision.get("code") or "", message(facts) if message else "")


def _is_certain(seen: _Seen) -> bool:
    return seen.found == "after" or (seen.found != "unseen" and seen.backend == "gone")


def _look(commit: Commit, lost: Session, again: Callable[[], Session], settings: PostgresSettings) -> _Seen:
    session = again()
    try:
        # In this order: what is not there although nobody can write it any more will never be there.
        ((alive,),) = session.rows("read", _ALIVE, (lost.pid, lost.started_at))
        with session.reading():
            image = read_image(session, settings)
            found: Found = "neither"
            if _is_written(commit, image, session, settings):
                found = "after"
            elif image == commit.before:
                found = "before"
    finally:
        session.close()
    return _Seen(found, "alive" if alive else "gone")


def _is_written(commit: Commit, image: Image, session: Session, settings: PostgresSettings) -> bool:
    """Return whether all of a commit is there; somebody else may have gone on from it since."""
    at = where(settings)
    for event in commit.events:
        asked = {**at, "operation": event.operation_id, "index": event.position}
        if session.rows("read", within(settings.schema, _EVENT), asked) != [(event.kind, event.text)]:
            return False
    state = commit.after.state
    if state is not None and state != commit.before.state:
        rows = session.rows("read", within(settings.schema, _HISTORY), {**at, "revision": state.revision})
        if rows != [(state.serial, state.checksum, state.text)]:
            return False
    return image == commit.after or image.control.revision > commit.after.control.revision
