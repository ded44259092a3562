"""What the mapping sees: identities, descriptions, owners, fields and finite facts, and nothing else.

No record has room for SQL, macros, runtime settings, configuration or variables, so none can leak. Each class
is the record of the same name in `rules/facts.yml`; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from streamt_ol.compiler.facts import Presence
    from streamt_ol.compiler.records import Dependency
    from streamt_ol.project.records import Column


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A field: type and description None where left out; position counts from 1."""

    name: str
    type: str | None
    description: str | None
    position: int


@dataclass(frozen=True, slots=True)
class SourceFacts:
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


@dataclass(frozen=True, slots=True)
class ModelFacts:
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


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """Everything that the mapping is given of a project."""

    name: str
    sources: tuple[SourceFacts, ...]
    models: tuple[ModelFacts, ...]


@dataclass(frozen=True, slots=True)
class DatasetFacts:
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


@dataclass(frozen=True, slots=True)
class JobFacts:
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


@dataclass(frozen=True, slots=True)
class TextFacts:
    """A text that becomes part of an event."""

    at: str
    label: str
    subject: str
    state: str


@dataclass(frozen=True, slots=True)
class ChoiceFacts:
    """How one namespace could be selected."""

    at: str
    option: Presence
    variable: Presence
    needed: bool
    endpoint: Literal["none", "absent", "present"]
    option_name: str
    variable_name: str


@dataclass(frozen=True, slots=True)
class PairFacts:
    """Two names that may be taken for one."""

    at: str
    kind: str
    difference: str
    first: str
    second: str
    first_points: str
    second_points: str


@dataclass(frozen=True, slots=True)
class ReachFacts:
    """A trait of the export that its readers may stumble over."""

    at: str
    label: str
    trait: str
    amount: str
