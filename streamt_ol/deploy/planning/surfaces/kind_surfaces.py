"""What a plan has to know of a kind of resources: how they are described, compared and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.planning.changes import field_changes
from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.planning.changes import FieldChange
    from streamt_ol.deploy.planning.facts import PlannedChange
    from streamt_ol.deploy.records import Live, Problem, Surface
    from streamt_ol.engine.ruleset import RuleSet


class Described(NamedTuple):
    """What a project wants of one resource; fields as in `Desired`."""

    surface: Surface
    cluster: str | None = None
    payload: Surface | None = None
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "surface", "payload")


def _as_wanted(desired: Surface, live: Surface | None) -> Surface:  # noqa: ARG001 - other kinds look at it
    return desired


def _no_facts(change: PlannedChange, before: Surface | None, after: Surface | None) -> PlannedChange:  # noqa: ARG001
    return change


class KindSurfaces(NamedTuple):
    """The surfaces of one kind."""

    describe: Callable[[Artifact, Graph, RuleSet], Described]
    """What an artifact of the compiled project asks for."""
    after: Callable[[Surface, Surface | None], Surface] = _as_wanted
    """What will be there, from what is wanted and what is there: equal to that if there is nothing to do."""
    facts: Callable[[PlannedChange, Surface | None, Surface | None], PlannedChange] = _no_facts
    """What the tables see of a change, added to the facts that every kind has."""
    shown: Callable[[Surface | None, Surface | None], Iterable[FieldChange]] = field_changes
    """What a plan shows of a change; secrets under keys that name one are struck out of it afterwards."""
    values_shown: bool = True
    """Whether it shows values; else whether something is there, true or false, before and after."""
    restored: bool = False
    """Whether one may go on from the state that another one of its name had."""


def moved(live: Live, desired: Surface, surfaces: KindSurfaces) -> bool:
    """Return whether what is there is not what is wanted."""
    return live.surface is None or live.surface != surfaces.after(desired, live.surface)
