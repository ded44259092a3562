"""What tables are asked about a state in PostgreSQL, and what it reads of a rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from streamt_ol.engine.ruleset import Needs

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet

Moment = Literal["settings", "open", "read", "write", "define"]
"""Looking at settings, opening a store, reading, writing a step of an operation, making tables."""
Found = Literal["after", "before", "neither", "unseen"]
"""What is written: all of a commit, exactly what was before it, something else; or nobody could look."""
Step = Literal["last", "between"]
Backend = Literal["gone", "alive", "unseen"]
"""What became of the server's process of a connection."""


class PostgresFailure(NamedTuple):
    """Facts of the record `postgres_failure` (rules/facts.yml); texts are empty where they say nothing."""

    at: str
    moment: Moment
    error: str
    """A word for what this program found by itself, a SQLSTATE, or `other`."""
    variable: str
    """Of the environment; it holds the connection string."""
    schema: str
    address: str
    role: str
    """Of the database."""
    state: str
    """SQLSTATE."""
    reason: str
    """In words of the server or this program, without anything of a connection string."""


class LostAcknowledgement(NamedTuple):
    """Facts of the record `lost_acknowledgement`."""

    at: str
    found: Found
    step: Step
    backend: Backend


class Registration(NamedTuple):
    """Facts of the record `registration`."""

    at: str
    store: Literal["absent", "present"]
    address: Literal["absent", "present"]


POSTGRES_NEEDS: Final = Needs(
    tables={
        "postgres-errors": ["code", "message", "suggestion"],
        "postgres-acknowledgements": ["verdict", "code", "message"],
        "postgres-registrations": ["outcome"],
    },
    catalogues={"postgres-bounds": ["limit"]},
    records={
        "postgres_failure": PostgresFailure,
        "lost_acknowledgement": LostAcknowledgement,
        "registration": Registration,
    },
)


def postgres_bound(rules: RuleSet, name: str) -> int:
    """Return a bound of a state in PostgreSQL."""
    limit: int = rules.catalogue("postgres-bounds")[name]["limit"]
    return limit
