"""What the state owns and the project does not declare any more: left alone, and told beside the plan.

Nobody asks whether it is there. It is no part of a plan, of a saved one, or of what makes one stale.
Source: section 1.1 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.deploy.planning.identity import parse_identity
from streamt_ol.deploy.planning.kinds import Kinds
from streamt_ol.deploy.planning.plan_text import Line, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.deploy.planning.records import Plan
    from streamt_ol.deploy.planning.removals import Removal
    from streamt_ol.deploy.records import Desired
    from streamt_ol.deploy.state.records import Snapshot
    from streamt_ol.engine.ruleset import RuleSet


class Undeclared(NamedTuple):
    """A resource that a record claims and no declaration is about."""

    resource_id: str
    kind: str
    logical_name: str
    """Who owned it in the project: a removal has it as `logical_owner`."""
    physical_name: str
    backend: str
    """The service that holds it, as the state says it."""
    elsewhere: bool
    """Whether the project declares one of this kind and name, and on another service."""
    remedy: str | None
    """How one of its kind is let go of; None for a kind that the tables do not have."""


def undeclared(
    plan: Plan,
    snapshot: Snapshot,
    desired: Sequence[Desired],
    removals: Sequence[Removal],
    rules: RuleSet,
) -> tuple[Undeclared, ...]:
    """Return what a snapshot owns beside all that is declared: kinds in their order, each by physical name.

    `desired` and `removals` are those of the whole project, also where the plan is about a selection, and the
    removals are located. A resource counts as declared under any owner, and what the plan requires a decision
    about is told there: so a model that was renamed and keeps its topic leaves nothing, and one that gets
    another topic leaves the one it had, of which an apply gives up the record.
    """
    kinds = Kinds(rules)
    told = {one.resource_id for one in removals}
    told |= {one.resource_id for one in plan.requirements if one.blocks}
    declared: list[Desired | Removal] = [*desired, *removals]
    places = {(one.kind, one.physical_name, one.backend) for one in declared}
    names = {(one.kind, one.physical_name) for one in declared}
    # Of what is external the runtime may not lead to the service any more.
    external = {(one.kind, one.physical_name) for one in desired if one.ownership == "external"}
    found = []
    for resource_id, record in snapshot.resources.items():
        who = parse_identity(resource_id)
        name = (who.kind, record.physical_name)
        if resource_id in told or name in external or (*name, record.backend) in places:
            continue
        kind = kinds.by_name.get(who.kind)
        position = len(kinds.by_name) if kind is None else kind.position
        one = Undeclared(
            resource_id,
            who.kind,
            who.logical_name,
            record.physical_name,
            record.backend,
            elsewhere=name in names,
            remedy=None if kind is None else kind.undeclared,
        )
        found.append((position, record.physical_name, resource_id, one))
    return tuple(one for *_order, one in sorted(found))


def undeclared_values(found: Sequence[Undeclared] | None) -> list[dict[str, Any]] | None:
    """Return them as plain values, for programs; None where no state was read."""
    return None if found is None else [one._asdict() for one in found]


def undeclared_lines(found: Sequence[Undeclared]) -> Iterator[Line]:
    """Yield a line for all of them and one for each, for people; nothing where there is none."""
    if found:
        owned = counted(len(found), "resource")
        yield Line(f"Left alone: {owned} that the project owns and does not declare any more:")
    for one in found:
        place = f" on {one.backend}" if one.elsewhere else ""
        remedy = "" if one.remedy is None else f": {one.remedy}"
        yield Line(f"  {one.kind} {one.physical_name} (of {one.logical_name}){place}{remedy}")
