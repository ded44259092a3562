"""Connections to PostgreSQL in which nothing waits without end. Only who has the driver imports this.

A connection string says where to go and who to be. How a connection behaves is the same for all of them: set
after it is made, whatever the string, the server, the database or the role would have it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from streamt_ol.deploy.state.postgres.facts import postgres_bound
from streamt_ol.deploy.state.postgres.session import Session
from streamt_ol.deploy.state.postgres.troubles import connection_string
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError
from streamt_ol.services.interrupts import put_off

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from streamt_ol.deploy.state.postgres.troubles import Troubles
    from streamt_ol.engine.ruleset import RuleSet

logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what it has to say is in its errors
PROGRAM: Final = "streamt-ol"
_LONGEST_NAME: Final = 63
"""Bytes of the name of an application that a server keeps."""
_PLACES: Final = ("host", "hostaddr", "service")
_PATIENT: Final = "-c statement_timeout=0"
"""Before the first statement can say so itself: a role may have a bound that this one does not meet."""
_PORT: Final = "5432"
"""Where a server listens, if nothing else is said."""
_WORDS: Final = re.compile(r"(?:^|\s)-c|--|[\s=]+")
"""What is between the words of `options`, each of which a server may repeat."""
_SETTINGS: Final = """
SELECT set_config('search_path', 'pg_catalog', false),
       set_config('client_encoding', 'UTF8', false),
       set_config('statement_timeout', %(statement)s, false),
       set_config('lock_timeout', %(lock)s, false),
       set_config('idle_in_transaction_session_timeout', %(idle)s, false),
       CASE WHEN current_setting('idle_session_timeout', true) <> '0'
            THEN set_config('idle_session_timeout', '0', false) END,
       CASE WHEN current_setting('transaction_timeout', true) <> '0'
            THEN set_config('transaction_timeout', '0', false) END,
       set_config('row_security', 'off', false),
       set_config('bytea_output', 'hex', false),
       CASE WHEN current_setting('synchronous_commit') = 'off'
            THEN set_config('synchronous_commit', 'on', false) END
"""
"""A commit is on the disk before it is answered, whatever the database has as its default.

The lock is the connection, and an action may take long: a connection that stands still is not ended. Older
servers do not know the two settings of which that is asked.
"""
_WHO: Final = """
SELECT pg_backend_pid(), backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()
"""


class _Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection of which every answer has a deadline; the driver itself would wait for ever."""

    seconds: float = 0

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
        """Wait for an answer; raises `DeadlinePassedError`, and then the connection is closed.

        What is interrupted is called off and still answered. A question that is broken off would take the
        connection with it, the lock, and the last word about an operation.
        """
        if not self.seconds:
            return super().wait(gen, *arguments, **options)
        with put_off(self._call_off):
            try:
                return super().wait(_bounded(gen, Deadline(self.seconds)), *arguments, **options)
            except DeadlinePassedError:
                self.pgconn.finish()
                raise

    def _call_off(self) -> None:
        """Ask the server to give up what it is at; whether it does is in its answer."""
        if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
            with contextlib.suppress(psycopg.Error):
                self.cancel_safe(timeout=self.seconds)


def connect(
    variable: str, variables: Mapping[str, str], seconds: float, troubles: Troubles, rules: RuleSet
) -> Session:
    """Return a session of the connection string that a variable holds.

    `seconds` is how long a lock of a row is waited for. Raises `StateUnavailableError`.
    """
    text = connection_string(variable, variables, troubles)
    parts = _read(text, troubles)
    values = [str(value) for value in parts.values() if value]
    troubles.hide([text, *values, *_WORDS.split(str(parts.get("options") or ""))])
    try:
        connection = _Connection.connect(
            text,
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=postgres_bound(rules, "connect_seconds"),
            application_name=application_name(),
            keepalives=1,
            keepalives_idle=10,
            keepalives_interval=5,
            keepalives_count=3,
            gssencmode=parts.get("gssencmode") or "disable",
            **_place(parts),
        )
    except (psycopg.Error, OSError, UnicodeError) as error:
        raise troubles.of_refusal(str(error)) from None
    connection.seconds = postgres_bound(rules, "answer_seconds")
    session = Session(connection, troubles)
    try:
        _make_ready(session, connection, seconds, rules)
    except BaseException:
        session.close()
        raise
    return session


def _make_ready(session: Session, connection: _Connection, seconds: float, rules: RuleSet) -> None:
    """Set how a connection behaves, once it leads to one server and to nothing in between."""
    if _several(connection.info.get_parameters()):  # of a service's file
        raise session.troubles.of("several_hosts", "settings")
    session.rows(
        "open",
        _SETTINGS,
        {
            "statement": f"{postgres_bound(rules, 'statement_seconds')}s",
            "lock": f"{max(1, round(seconds * 1000))}ms",
            "idle": f"{postgres_bound(rules, 'idle_seconds')}s",
        },
    )
    ((session.pid, session.started_at),) = session.rows("open", _WHO)
    if session.pid != connection.info.backend_pid:  # a pooler makes up processes for its clients
        raise session.troubles.of("pooler", "open")


def application_name() -> str:
    """Return what the server calls this process: who waits for its lock is told so."""
    host = socket.gethostname() or "unknown"
    name = f"{PROGRAM} {os.getpid()}@{host}".encode("ascii", "replace")
    return name[:_LONGEST_NAME].decode()


def _read(text: str, troubles: Troubles) -> Mapping[str, Any]:
    """Return the parts of a connection string that says where the state is: nothing of that is guessed."""
    try:
        parts = conninfo_to_dict(text)
    except (psycopg.Error, UnicodeError):
        raise troubles.of("dsn_malformed", "settings") from None
    places = [str(parts[name]) for name in _PLACES if parts.get(name)]
    if _several(parts):
        raise troubles.of("several_hosts", "settings")
    missing = [] if places else ["a host"]
    if not parts.get("dbname") and not parts.get("service"):
        missing.append("a database")
    if missing:
        raise troubles.of("dsn_incomplete", "settings", " and ".join(missing))
    return parts


def _several(parts: Mapping[str, Any]) -> bool:
    return any("," in str(parts.get(name) or "") for name in ("host", "hostaddr"))


def _place(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return where to go, so that no variable of libpq leads elsewhere, and the patience to begin there.

    A service says all of it in its file.
    """
    if parts.get("service"):
        return {}
    options = parts.get("options") or os.environ.get("PGOPTIONS", "")
    return {
        "hostaddr": parts.get("hostaddr") or "",
        "port": parts.get("port") or _PORT,
        "options": f"{options} {_PATIENT}".strip(),
    }


def _bounded(waiting: Any, deadline: Deadline) -> Generator[Any, Any, Any]:
    """Pass on what a generator of the driver waits for; raises `DeadlinePassedError` when the time is up."""
    try:
        wanted = next(waiting)
        while True:
            ready = yield wanted
            if not ready:
                deadline.left()
            wanted = waiting.send(ready)
    except StopIteration as done:
        return done.value
