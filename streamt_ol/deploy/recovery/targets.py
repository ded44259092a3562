"""What is there of the resources of an operation, beside what it wrote down about them before it began."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from streamt_ol.deploy.planning.identity import parse_identity
from streamt_ol.deploy.planning.redacting import surface_checksum
from streamt_ol.deploy.planning.surfaces.kind_surfaces import moved
from streamt_ol.deploy.planning.surfaces.registry import surfaces_of
from streamt_ol.deploy.records import Wanted
from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.records import Desired, Live, Provider
    from streamt_ol.deploy.state.records import IntendedAction, Intent

Stands = Literal["prior", "candidate", "gone", "neither"]
"""`gone`: it is not there, of a kind that is stopped on the way from the one to the other."""


class Target(NamedTuple):
    """One resource of an operation and what is there of it; everything is known by its checksum."""

    action: IntendedAction
    live: str | None
    """Checksum of what is there now; None for nothing."""

    @property
    def stands(self) -> Stands:
        """Return whether what is there is exactly what was, what was to be, or neither."""
        if self.live == self.action.prior:
            return "prior"
        if self.live == self.action.candidate:
            return "candidate"
        return "gone" if self.live is None and surfaces_of(kind_of(self.action)).restored else "neither"

    @property
    def label(self) -> str:
        """Return the resource as people are told of it: `topic:NAME`."""
        return f"{kind_of(self.action)}:{self.action.physical_name}"


class Seen(NamedTuple):
    """The resources of an operation as they were looked at."""

    targets: tuple[Target, ...]
    unseen: tuple[IntendedAction, ...]
    """Of kinds that this version cannot look at."""
    live: Mapping[str, Live]
    """Resource id to what is there."""

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "live")


def kind_of(action: IntendedAction) -> str:
    """Return the kind of an action's resource."""
    return parse_identity(action.resource_id).kind


def look(intent: Intent, providers: Mapping[str, Provider], desired: Sequence[Desired] = ()) -> Seen:
    """Return what is there of each resource of an operation; nothing is changed. Raises what providers do.

    What the project still wants as the operation was to make it is looked for as that: a service may keep it
    in other words.
    """
    wanted = {one.resource_id: one for one in desired}
    live: dict[str, Live] = {}
    for kind in providers:
        actions = [action for action in intent.actions if kind_of(action) == kind]
        if actions:
            found = providers[kind].observe(
                [_asked_about(action, wanted.get(action.resource_id)) for action in actions]
            )
            live |= {action.resource_id: found[action.physical_name] for action in actions}
    return Seen(
        tuple(
            Target(action, surface_checksum(live[action.resource_id].surface))
            for action in intent.actions
            if action.resource_id in live
        ),
        tuple(action for action in intent.actions if action.resource_id not in live),
        live,
    )


def _asked_about(action: IntendedAction, desired: Desired | None) -> Wanted:
    asked = Wanted(action.physical_name, action.cluster)
    if desired is None or surface_checksum(desired.surface) != action.candidate:
        return asked
    return asked._replace(surface=desired.surface, payload=desired.payload)


def redeclared(seen: Seen, desired: Sequence[Desired]) -> tuple[str, ...]:
    """Return the labels of resources that are as the operation made them and not as the project wants them.

    Of these no record can be written: what the project compiled to then is not known any more.
    """
    wanted = {one.resource_id: one for one in desired}
    return tuple(
        target.label
        for target in seen.targets
        if target.stands == "candidate"
        and target.action.candidate is not None
        and not _is_wanted(seen.live[target.action.resource_id], wanted.get(target.action.resource_id))
    )


def _is_wanted(live: Live, desired: Desired | None) -> bool:
    if desired is None or desired.physical_name != live.physical_name:
        return False
    return not moved(live, desired.surface, surfaces_of(live.kind))
