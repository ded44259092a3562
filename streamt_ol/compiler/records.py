"""A compiled project: what each model is, runs as, reads and is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.project.records import Model, Project, Source


class Dependency(NamedTuple):
    """A direct dependency of a model, resolved: `position` is its place in `sources` or `models`."""

    kind: Literal["source", "ref"]
    name: str
    position: int


class CompiledModel(NamedTuple):
    """One model after every decision about it."""

    position: int
    declared: Model
    sql: str | None
    """Rendered; None where there is none, also where a macro rendered to nothing."""
    dependencies: tuple[Dependency, ...]
    """In the order of section 4: sources before models in SQL, declaration order in `from`."""
    materialized: str
    """Declared or inferred, before the environment has its say."""
    effective: str
    process: str
    output: str
    """The namespace that its dataset lives in, or `none`."""
    topic_name: str
    virtual_name: str
    output_name: str
    """Physical name of its dataset; empty where it has none."""
    input_names: tuple[str, ...]
    """The physical names that its process is bound to; empty where it is bound to none."""
    artifacts: Mapping[str, str]
    """Kind of artifact to its name, for everything that the model compiles to."""

    @property
    def at(self) -> str:
        """Return the model's location."""
        return f"/models/{self.position}"

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "sql")


class Graph(NamedTuple):
    """A compiled project. Models stand in the order of their declaration."""

    project: Project
    models: tuple[CompiledModel, ...]
    endpoints: Mapping[str, str | None]
    """The two runtime addresses that a namespace may be derived from; the runtime's only way out."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the declared sources."""
        return self.project.sources
