"""What the mapping sees: identities, descriptions, owners, fields and finite facts, and nothing else.

No record has room for SQL, macros, runtime settings, configuration or variables, so none can leak. Each class
is the record of the same name in `rules/facts.yml`; a test holds the two together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from streamt_ol.compiler.facts import Presence
    from streamt_ol.compiler.records import Dependency
    from streamt_ol.project.records import Column


class ColumnFacts(NamedTuple):
    """A field: type and description None where left out; position counts from 1."""

    name: str
    type: str | None
    description: str | None
    position: int


class SourceFacts(NamedTuple):
    """A declared source: what tables ask about, then the prose and fields that it brings."""

    at: str
    name: str
    topic: str
    description: str | None
    owner: str | None
    columns: tuple[Column, ...]
    entity: str = "source"
    output: str = "none"
    contract: Presence = "absent"


class ModelFacts(NamedTuple):
    """A compiled model: what tables ask about, then what it reads and the prose and fields that it brings."""

    at: str
    name: str
    project: str
    effective: str
    process: str
    output: str
    contract: Presence
    output_name: str
    output_name_at: str
    """Where the physical name was written."""
    position: int
    dependencies: tuple[Dependency, ...]
    input_names: tuple[str, ...]
    """The physical names that the process is bound to; empty where it is bound to none."""
    description: str | None
    owner: str | None
    columns: tuple[Column, ...]
    contract_columns: tuple[Column, ...] | None
    entity: str = "model"


class ProjectFacts(NamedTuple):
    """Everything that the mapping is given of a project."""

    name: str
    sources: tuple[SourceFacts, ...]
    models: tuple[ModelFacts, ...]


class DatasetFacts(NamedTuple):
    """A dataset to be described; `label` is the logical name."""

    at: str
    columns_at: str
    label: str
    declared_by: str
    effective: str
    process: str
    description_state: str
    owner_state: str
    columns_state: str
    description: str | None
    owner: str | None
    columns: tuple[ColumnFacts, ...]
    entity: str = "dataset"


class JobFacts(NamedTuple):
    """A job to be described."""

    at: str
    label: str
    effective: str
    process: str
    description_state: str
    owner_state: str
    description: str | None
    owner: str | None
    entity: str = "job"
    declared_by: str = "model"
    columns_state: str = "empty"


class TextFacts(NamedTuple):
    """A text that becomes part of an event."""

    at: str
    label: str
    subject: str
    state: str


class ChoiceFacts(NamedTuple):
    """How one namespace could be selected."""

    at: str
    option: Presence
    variable: Presence
    needed: bool
    endpoint: Literal["none", "absent", "present"]
    option_name: str
    variable_name: str


class PairFacts(NamedTuple):
    """Two names that may be taken for one."""

    at: str
    kind: str
    difference: str
    first: str
    second: str
    first_points: str
    second_points: str


class ReachFacts(NamedTuple):
    """A trait of the export that its readers may stumble over."""

    at: str
    label: str
    trait: str
    amount: str
