"""Errors about a state in PostgreSQL, decided by the table `postgres-errors`, without a word of the login."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.state.errors import (
    LockLostError,
    StateConflictError,
    StateError,
    StateInvalidError,
    StateUnavailableError,
    UnknownOutcomeError,
)
from streamt_ol.deploy.state.postgres.facts import PostgresFailure
from streamt_ol.deploy.state.postgres.settings import KEYS, LOCATION
from streamt_ol.ground.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamt_ol.deploy.state.postgres.facts import Moment
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings
    from streamt_ol.engine.ruleset import RuleSet

ERRORS: Final[Mapping[str, type[StateError]]] = {
    error.code: error
    for error in (
        LockLostError,
        StateConflictError,
        StateInvalidError,
        StateUnavailableError,
        UnknownOutcomeError,
    )
}
"""By the codes that the tables use."""
_MARK: Final = "***"
_LONGEST: Final = 300
"""Characters of what a server says that are shown."""
_LONG: Final = 8
"""Characters from which a part of a connection string is struck out within words too."""
LOST: Final = "connection_lost"
_REFUSALS: Final = (
    ("login_refused", re.compile(r"authentication failed|no password supplied|no pg_hba\.conf entry")),
    ("login_refused", re.compile(r'role ".*" (?:does not exist|is not permitted to log in)')),
    ("database_missing", re.compile(r'database ".*" does not exist')),
    ("53300", re.compile(r"too many (?:clients|connections)|remaining connection slots")),
    ("connect_timeout", re.compile(r"timeout expired|timed out", re.IGNORECASE)),
    ("tls", re.compile(r"\b(?:SSL|TLS|certificate|sslmode)\b")),
)
"""What is known of a refused connection by its words alone: libpq gives no code for it."""


def connection_string(variable: str, variables: Mapping[str, str], troubles: Troubles) -> str:
    """Return what a variable holds; raises `StateUnavailableError` where it holds nothing."""
    text = variables.get(variable, "").strip()  # of a file that became a variable a line feed is left
    if not text:
        raise troubles.of("variable_unset", "settings", "the connection string of the state")
    return text


class Troubles:
    """Makes errors, for one variable with a connection string."""

    def __init__(self, settings: PostgresSettings, variable: str, rules: RuleSet) -> None:
        self._settings = settings
        self._variable = variable
        self._table = rules.table("postgres-errors")
        self._known = frozenset(self._table.inputs["error"])
        self._parts: tuple[str, ...] = ()

    def hide(self, parts: Iterable[str]) -> None:
        """Strike these parts of the connection string out of whatever is told from now on."""
        self._parts = tuple(sorted({part for part in parts if part}, key=len, reverse=True))

    def of(
        self, error: str, moment: Moment, reason: str = "", *, role: str = "", state: str = "", key: str = ""
    ) -> StateError:
        """Return the error that the table makes of a word; `key` is that of the settings that is at fault."""
        settings = self._settings
        location = f"{KEYS}/{key}" if key else KEYS if moment in ("settings", "open") else LOCATION
        told = self._variable if not key else self._named(key)
        facts = PostgresFailure(
            location, moment, error, told, settings.schema, settings.address, role, state, reason
        )
        decision = self._table.decide(facts)
        suggestion = decision.get("suggestion")
        return ERRORS[decision["code"]](
            decision["message"](facts), location=location, suggestion=suggestion and suggestion(facts)
        )

    def of_refusal(self, text: str) -> StateError:
        """Return the error for a connection that was not made; `text` is what the client says of it."""
        word = next((word for word, words in _REFUSALS if words.search(text)), "unreachable")
        line = text.partition("\n")[0]  # below it the client guesses
        reason = line.rpartition("FATAL:")[2] if "FATAL:" in line else line.rpartition(" failed: ")[2]
        reason = reason.removeprefix("connection is bad: ")
        return self.of(word, "open", self.told(reason))

    def of_answer(self, sqlstate: str, text: str, moment: Moment) -> StateError:
        """Return the error for a statement that the server refused."""
        word = sqlstate if sqlstate in self._known else "other"
        return self.of(word, moment, self.told(text), state=sqlstate)

    def told(self, text: str) -> str:
        """Return what a server says on one line, bounded, without a part of the connection string."""
        for part in self._parts:
            ends = ("", "") if len(part) >= _LONG else (r"(?<!\w)", r"(?!\w)")
            text = re.sub(f"{ends[0]}{re.escape(part)}{ends[1]}", _MARK, text)
        line = " ".join(redact(text).split())
        return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."

    def _named(self, key: str) -> str:
        settings = self._settings
        variables = {
            "dsn_env": settings.owner_variable,
            "writer_dsn_env": settings.writer_variable,
            "writer_role_env": settings.role_variable,
        }
        return variables[key] or ""
