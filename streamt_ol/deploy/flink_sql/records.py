"""What a Flink job is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.records import Problem


class Column(NamedTuple):
    """A column of a table of a job."""

    name: str
    type: str
    """As declared; empty for a computed column."""
    not_null: bool = False
    computed: str | None = None
    """The expression of a column that no message has."""


class Table(NamedTuple):
    """A topic as Flink sees it, for one job."""

    name: str
    columns: tuple[Column, ...]
    options: Mapping[str, str]
    """Without those of a login."""
    format: str
    """`json` or `avro-confluent`."""
    primary_key: tuple[str, ...] = ()
    watermark: tuple[str, str] | None = None
    """The column of the event time, and the expression."""


class JobDefinition(NamedTuple):
    """A job as it is submitted: its tables, then one INSERT. Source: section 4 of the runtime facts."""

    name: str
    cluster: str | None
    """Name in `runtime.flink.clusters`."""
    statements: tuple[str, ...]
    """Each is submitted by itself, in this order; without a login. Empty where a problem blocks."""
    settings: Mapping[str, str]
    """Options of Flink, `pipeline.name` among them; never a secret."""
    fingerprint: str
    """`sha256:` and the digest of statements and settings."""
    problems: tuple[Problem, ...]
    """What of the project its SQL cannot say."""
    tables: tuple[Table, ...]
    insert: str
    query_line: int | None = None
    """The line of a model's SQL, from 1, with which the second line of `insert` begins; None without SQL."""

    @property
    def blocked(self) -> bool:
        """Return whether the job cannot be submitted."""
        return any(problem.blocks for problem in self.problems)

    def __repr__(self) -> str:
        """Leave out what may hold secrets: people write them into SQL."""
        return shown_without(self, "statements", "settings", "tables", "insert")
