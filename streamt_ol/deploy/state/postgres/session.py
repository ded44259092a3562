"""One connection to PostgreSQL: what is asked of it, its transactions, and that it is over once it broke."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

import psycopg

from streamt_ol.deploy.state.postgres.troubles import LOST
from streamt_ol.services.deadlines import DeadlinePassedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamt_ol.deploy.state.postgres.facts import Moment
    from streamt_ol.deploy.state.postgres.troubles import Troubles

    Parameters = Sequence[Any] | Mapping[str, Any]


_FATAL: Final = ("FATAL", "PANIC")
"""How severe an error is after which a server hangs up."""


class UnansweredCommitError(Exception):
    """A commit was sent, and the connection broke before the server said what became of it."""


class Session:
    """A connection, as long as it lasts. Nothing that was asked on it is ever asked again on another."""

    pid: int
    """Of the server's process."""
    started_at: str
    """When that began, in the server's words: with the pid it is no other's."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], troubles: Troubles) -> None:
        self._connection = connection
        self.troubles = troubles

    @property
    def is_open(self) -> bool:
        """Whether it may be asked something; once it broke it may not."""
        return not self._connection.closed

    def rows(self, moment: Moment, query: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a query; raises the `StateError` that the table has for a failure."""
        try:
            cursor = self._connection.execute(query.encode(), parameters)
            return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            raise self._failure(error, moment) from None
        except DeadlinePassedError:
            self.close()
            raise self.troubles.of("no_answer", moment) from None

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """See one moment of the database, and change nothing."""
        try:  # an interruption comes after the answer: it may be begun all the same
            self.rows("read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
        finally:
            self._roll_back()

    @contextlib.contextmanager
    def writing(self, moment: Moment) -> Iterator[None]:
        """Make all of a change or none of it, as if nobody else were there.

        Raises `UnansweredCommitError` where only the answer to the commit is missing, otherwise what `rows`
        raises, and then nothing was changed.
        """
        try:
            self.rows(moment, "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE")
            yield
        except BaseException:
            self._roll_back()
            raise
        self._commit(moment)

    def close(self) -> None:
        """End the connection; the server then gives its locks back."""
        with contextlib.suppress(psycopg.Error):
            self._connection.close()

    def _commit(self, moment: Moment) -> None:
        try:
            status = self._connection.execute("COMMIT").statusmessage
        except psycopg.Error as error:
            if not self._is_over(error):
                raise self._failure(error, moment) from None
            self.close()
        except DeadlinePassedError:
            self.close()
        except BaseException:  # interrupted: it may have been made, or not even have been sent
            self._roll_back()
            raise
        else:
            if status != "COMMIT":  # what the server says of a transaction that has failed before
                raise self.troubles.of("other", moment, f"it says {status}")
            return
        raise UnansweredCommitError

    def _roll_back(self) -> None:
        """End a transaction without a change; where that fails the connection is over, and the change too."""
        try:
            self._connection.execute("ROLLBACK")
        except (psycopg.Error, DeadlinePassedError):
            self.close()

    def _failure(self, error: psycopg.Error, moment: Moment) -> Exception:
        if self._is_over(error):
            self.close()
            return self.troubles.of(LOST, moment)
        if error.sqlstate is None:
            return error  # of this program's own making: no server has seen it
        return self.troubles.of_answer(error.sqlstate, error.diag.message_primary or "", moment)

    def _is_over(self, error: psycopg.Error) -> bool:
        """Return whether an error is the end of the connection."""
        broken = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)) and not error.sqlstate
        return broken or self._connection.closed or error.diag.severity_nonlocalized in _FATAL
