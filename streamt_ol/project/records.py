"""A project as it was written: frozen records of plain values, nothing resolved, nothing compiled.

Only what later rooms read often has a field of its own. The rest of an entry stays in `raw`, the
validated plain mapping under the language's public spelling (`schema`, `from`, `sink`), defaults not filled.
`raw` and `runtime` may hold secrets: they are never shown (`repr=False`) and never reach the mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.ground.errors import Diagnostic, Place

Raw = Mapping[str, Any]


class Column(NamedTuple):
    """A declared field: type text as written, None where absent."""

    name: str
    type: str | None = None
    description: str | None = None


class Source(NamedTuple):
    """An entry of `sources`; `columns` already falls back to `schema.fields`."""

    name: str
    topic: str
    description: str | None
    owner: str | None
    columns: tuple[Column, ...]
    raw: Raw

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "raw")


class Reference(NamedTuple):
    """An entry of a model's `from` as written; either or both keys may be absent or blank."""

    source: str | None = None
    ref: str | None = None


class Model(NamedTuple):
    """An entry of `models`; empty `sql`, `macro` and `from` are None, None and `()`."""

    name: str
    description: str | None
    owner: str | None
    sql: str | None
    from_: tuple[Reference, ...]
    macro: str | None
    params: Mapping[str, str]
    materialized: str | None
    executor: str | None
    topic_name: str | None
    """`topic.name`; an empty string is kept, absent is None."""
    has_virtual_block: bool
    """Whether `gateway.virtual_topic` is present, even as `{}`."""
    virtual_name: str | None
    """`gateway.virtual_topic.name`; an empty string is kept."""
    has_sink: bool
    """Whether a `sink` block (or the old `connector` block, read as one) is present."""
    columns: tuple[Column, ...]
    contract_columns: tuple[Column, ...] | None
    """None without a contract; a contract without columns is `()`."""
    raw: Raw

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "sql", "params", "raw")


class Environment(NamedTuple):
    """The chosen environment; `name` is `default` in a project without an environments folder."""

    name: str
    description: str = ""
    protected: bool = False
    safety: Mapping[str, bool] = MappingProxyType({})


class Origins(Protocol):
    """Finds the place of a location by reading the file at fault again."""

    def place(
        self, location: str, line_within: int | None = None, column_within: int | None = None
    ) -> Place | None:
        """Return the place of a JSON pointer into the merged project, or of its nearest parent that exists.

        With `line_within` (and `column_within`), counted from 0, the place inside a literal block scalar.
        None where no file holds the location.
        """
        ...


class Project(NamedTuple):
    """One project in one environment."""

    directory: Path
    name: str
    sources: tuple[Source, ...]
    models: tuple[Model, ...]
    tests: tuple[Raw, ...]
    exposures: tuple[Raw, ...]
    document: Raw
    """The merged, validated document: every root key but `runtime`; sections hold all files' entries."""
    runtime: Raw
    """The validated runtime of the chosen environment, variables resolved. Holds secrets."""
    environment: Environment
    warnings: tuple[Diagnostic, ...]
    """The loader's warnings in the order of section 1 of the language."""
    origins: Origins

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "tests", "exposures", "document", "runtime", "origins")
