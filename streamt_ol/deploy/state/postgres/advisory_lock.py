"""The lock of an address: a session advisory lock, held by one connection and lost with it.

The server gives the lock back when the connection ends, whatever ends it. So every step is written on the
connection that holds the lock, after it has shown that it still does: whoever has lost it cannot write.
Source: section 3.3 of the runtime facts.
"""

from __future__ import annotations

import contextlib
import os
import re
from time import sleep
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.state.errors import LockLostError, LockTimeoutError, ReleaseUnverifiedError, StateError
from streamt_ol.deploy.state.postgres.facts import postgres_bound
from streamt_ol.deploy.state.postgres.settings import LOCATION
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError

if TYPE_CHECKING:
    from streamt_ol.deploy.state.postgres.session import Session
    from streamt_ol.engine.ruleset import RuleSet

_TRY: Final = "SELECT pg_try_advisory_lock(%s)"
_RELEASE: Final = "SELECT pg_advisory_unlock(%s), pg_backend_pid()"
_IS_IT: Final = """
locktype = 'advisory' AND objsubid = 1 AND granted AND mode = 'ExclusiveLock'
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND classid::bigint = %(high)s AND objid::bigint = %(low)s
"""
_HELD: Final = f"""
SELECT pg_backend_pid(), pg_is_in_recovery(),
       EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND {_IS_IT})
"""  # noqa: S608 - of constants
_HOLDER: Final = f"""
SELECT a.pid, a.application_name,
       to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE {_IS_IT.replace("locktype", "l.locktype")}
"""  # noqa: S608 - of constants
_OURS: Final = re.compile(r"streamt-ol (?P<pid>[0-9]+)@(?P<host>\S+)")


class Holder(NamedTuple):
    """The connection that holds a lock, as the server tells it."""

    backend_pid: int
    """Of the server's process."""
    application: str
    """The name that the connection gave itself; empty where the server does not say."""
    connected_at: str | None
    """UTC, six fractional digits, `Z`; None where the server does not say."""

    def described(self) -> str:
        """Return in words who it is."""
        plain = self.as_plain()
        if plain["pid"] is not None:
            who = f"process {plain['pid']} on {plain['host']}"
        else:
            who = f"'{self.application}'" if self.application else "another connection"
        since = f", connected since {self.connected_at}" if self.connected_at else ""
        return f"{who}{since}, server process {self.backend_pid},"

    def as_plain(self) -> dict[str, Any]:
        """Return what may be shown of it; whoever holds a lock of a connection is there."""
        ours = _OURS.fullmatch(self.application)
        return {
            "pid": None if ours is None else int(ours["pid"]),
            "host": None if ours is None else ours["host"],
            "started_at": self.connected_at,
            "running": True,
            "application": self.application or None,
            "backend_pid": self.backend_pid,
        }


class AdvisoryLock:
    """A lock that is held, until it is released or lost."""

    def __init__(self, session: Session, key: int) -> None:
        self._session = session
        self._key = key
        self._owner = os.getpid()
        self._lost = ""
        """Why it is not held any more."""
        self._released = False

    def check(self) -> None:
        """Raise `LockLostError` when the lock is not held any more; once lost it stays that."""
        if not self._lost:
            self._lost = "it was given back" if self._released else self._loss()
        if self._lost:
            raise LockLostError(
                f"the lock of the state is lost: {self._lost}",
                location=LOCATION,
                suggestion="`streamt state status` tells what is written",
            )

    def release(self) -> None:
        """Give the lock back; raises `ReleaseUnverifiedError` when nobody can say whether that is done."""
        if self._released:
            return
        self._released = True
        try:
            reason = self._lost or self._loss() or self._unlock()
        finally:
            self._session.close()
        if reason:
            raise ReleaseUnverifiedError(
                f"the lock of the state could not be given back for certain: {reason}",
                location=LOCATION,
            )

    def _unlock(self) -> str:
        try:
            answer = self._session.rows("write", _RELEASE, (self._key,))
        except StateError as error:
            return error.message
        return "" if answer == [(True, self._session.pid)] else "the server says that it did not hold it"

    def _loss(self) -> str:
        """Return why the server does not hold the lock for us; empty when it does."""
        if os.getpid() != self._owner:
            return "another process has taken it"
        if not self._session.is_open:
            return "the connection that held it is broken"
        try:
            ((pid, replica, granted),) = self._session.rows("write", _HELD, _halves(self._key))
        except StateError:
            return "the connection that held it is broken"
        reasons = {
            "another process of the server answers than the one that held it": pid != self._session.pid,
            "the server has become a replica": replica,
            "the server does not hold it any more": not granted,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")


def acquire(session: Session, key: int, seconds: float, rules: RuleSet) -> AdvisoryLock:
    """Return the lock once it is free; `seconds` is how long to wait at most, and 0 does not wait.

    Raises `LockTimeoutError`, which names the holder.
    """
    deadline = Deadline(seconds)
    pause = postgres_bound(rules, "poll_milliseconds") / 1000
    with contextlib.suppress(DeadlinePassedError):
        while not session.rows("read", _TRY, (key,))[0][0]:
            sleep(min(pause, deadline.left()))
        return AdvisoryLock(session, key)
    found = holder(session, key)
    raise LockTimeoutError(
        f"{'another process' if found is None else found.described()} holds the lock of the state; "
        f"it was not free within {seconds:g} s",
        location=LOCATION,
        suggestion="try again when that has ended; the lock ends with its connection, nothing has to be done",
    )


def holder(session: Session, key: int) -> Holder | None:
    """Return who holds a lock, which is neither taken nor waited for; None where nobody does."""
    found = session.rows("read", _HOLDER, _halves(key))
    if not found:
        return None
    pid, name, since = found[0]
    readable = name if name and name.isprintable() else ""
    return Holder(pid, readable, since)


def _halves(key: int) -> dict[str, int]:
    """Return a key as the server's list of locks has it."""
    unsigned = key % 2**64
    return {"high": unsigned >> 32, "low": unsigned & 0xFFFFFFFF}
