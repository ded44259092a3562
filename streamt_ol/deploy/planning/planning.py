"""A plan: what is wanted against what the state says and what is there. Pure: it reads and changes nothing.

What is absent from the project is left alone, whatever the state says; only `lifecycle` removes anything.
Source: sections 1.1 to 1.5 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.planning.changes import change_facts, field_changes
from streamt_ol.deploy.planning.errors import ResourceIdentityError
from streamt_ol.deploy.planning.kinds import Kinds
from streamt_ol.deploy.planning.ownership import Ownership
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.planning.removal_facts import Removals
from streamt_ol.deploy.planning.removals import refuse_conflicts
from streamt_ol.deploy.planning.restores import NOTHING_SAID, RESTORE, restore_of
from streamt_ol.deploy.planning.risks import Risks
from streamt_ol.deploy.planning.safety import Safety
from streamt_ol.deploy.planning.surfaces.registry import surfaces_of
from streamt_ol.deploy.records import Action

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.planning.facts import PlannedChange
    from streamt_ol.deploy.planning.kinds import Kind
    from streamt_ol.deploy.planning.records import Requirement
    from streamt_ol.deploy.planning.removals import Removal
    from streamt_ol.deploy.planning.restores import Restores
    from streamt_ol.deploy.records import Desired, Live, Problem, Surface
    from streamt_ol.deploy.state.records import Snapshot
    from streamt_ol.engine.ruleset import RuleSet


class _Step(NamedTuple):
    """One resource with what would have to be done to it; `action` is `none` for nothing."""

    resource_id: str
    kind: Kind
    name: str
    at: str
    action: str
    before: Surface | None
    after: Surface | None
    requirement: Requirement | None
    backend: str | None
    cluster: str | None
    payload: Surface | None = None
    problems: tuple[Problem, ...] = ()


def plan(
    desired: Sequence[Desired],
    snapshot: Snapshot,
    live: Mapping[str, Mapping[str, Live]] | None,
    rules: RuleSet,
    removals: Sequence[Removal] = (),
    restores: Restores = NOTHING_SAID,
) -> Plan:
    """Return what a deployment would do.

    `live` is what the providers show, by kind and physical name; None where nothing was asked, as offline:
    then the snapshot is an empty one too, and everything is taken to be absent. `restores` is what the user
    says of the state of jobs.

    Raises ResourceIdentityError for two steps about one resource, RemovalInvalidError for removals that
    contradict each other or what is wanted.
    """
    kinds = Kinds(rules)
    ownership = Ownership(snapshot, rules)
    steps = [
        _restored(
            _wanted(one, kinds.by_name[one.kind], live or {}, ownership),
            live or {},
            ownership,
            restores,
            rules,
        )
        for one in desired
    ]
    refuse_conflicts(removals, desired)
    assessing = Removals(snapshot, kinds, rules)
    assessed = [
        (removal, *assessing.assessed(removal, (live or {}).get(removal.kind, {}).get(removal.physical_name)))
        for removal in removals
    ]
    steps += [
        _removed(removal, kinds.by_name[removal.kind], live or {})
        for removal, assessment, _blocker in assessed
        if assessment.verdict == "delete"
    ]
    steps.sort(key=lambda step: (step.kind.position, step.name))
    _refuse_repeated(steps)
    acting = [step for step in steps if step.requirement is None and step.action != "none"]
    changes = [_change(step, ownership, live or {}) for step in acting]
    risks = Risks(rules)
    judged = tuple(risks.of(change, kinds.by_name[change.kind]) for change in changes)
    return Plan(
        project=snapshot.project,
        environment=snapshot.environment,
        offline=live is None,
        actions=tuple(
            Action(
                position,
                step.resource_id,
                step.kind.name,
                step.action,
                step.name,
                step.before,
                step.after,
                step.cluster,
                step.payload,
            )
            for position, step in enumerate(acting)
        ),
        unchanged=tuple(
            step.resource_id for step in steps if step.requirement is None and step.action == "none"
        ),
        requirements=tuple(step.requirement for step in steps if step.requirement is not None),
        blockers=Safety(kinds, rules).blockers(
            changes,
            {step.resource_id: step.problems for step in acting},
            [blocker for _removal, _assessment, blocker in assessed if blocker is not None],
        ),
        risks=judged,
        risk_summary=risks.summary(judged),
        removals=tuple(assessment for _removal, assessment, _blocker in assessed),
    )


def _wanted(one: Desired, kind: Kind, live: Mapping[str, Mapping[str, Live]], ownership: Ownership) -> _Step:
    there = live.get(one.kind, {}).get(one.physical_name)
    before = there.surface if there is not None else None
    surfaces = surfaces_of(one.kind)
    after = surfaces.after(one.surface, before)
    # With a problem it is not known what is wanted, so that is not what is there.
    same = before == after and not any(problem.blocks for problem in one.problems)
    action = kind.creates if before is None else "none" if same else "update"
    return _Step(
        one.resource_id,
        kind,
        one.physical_name,
        one.at,
        action,
        before,
        after,
        ownership.requirement(one, there, action),
        one.backend,
        one.cluster,
        one.payload,
        one.problems,
    )


def _restored(
    step: _Step,
    live: Mapping[str, Mapping[str, Live]],
    ownership: Ownership,
    restores: Restores,
    rules: RuleSet,
) -> _Step:
    """Return a step with the state that is gone on from, where it is about something that has one."""
    kind = step.kind.name
    if step.action == "none" or not surfaces_of(kind).restored:
        return step
    record = ownership.recorded(step.resource_id, step.name, step.backend)
    there = live.get(kind, {}).get(step.name)
    restore = restore_of(step.at, step.name, there, record, restores, rules)
    return step._replace(payload={**(step.payload or {}), RESTORE: restore})


def _removed(removal: Removal, kind: Kind, live: Mapping[str, Mapping[str, Live]]) -> _Step:
    return _Step(
        removal.resource_id,
        kind,
        removal.physical_name,
        removal.at,
        kind.deletes,
        before=live[removal.kind][removal.physical_name].surface,
        after=None,
        requirement=None,
        backend=removal.backend,
        cluster=removal.cluster,
    )


def _change(step: _Step, ownership: Ownership, live: Mapping[str, Mapping[str, Live]]) -> PlannedChange:
    there = live.get(step.kind.name, {}).get(step.name)
    surfaces = surfaces_of(step.kind.name)
    facts = change_facts(
        at=step.at,
        resource=step.resource_id,
        kind=step.kind,
        name=step.name,
        action=step.action,
        record=ownership.recorded(step.resource_id, step.name, step.backend),
        there=there,
        difference="some" if field_changes(step.before, step.after) else "nothing",
    )
    restore = (step.payload or {}).get(RESTORE)
    if restore is not None:
        facts = facts._replace(restore=restore[RESTORE])
    return surfaces.facts(facts, step.before, step.after)


def _refuse_repeated(steps: Sequence[_Step]) -> None:
    known: dict[str, _Step] = {}
    for step in steps:
        if known.setdefault(step.resource_id, step) is not step:
            raise ResourceIdentityError(f"the plan has two steps about {step.resource_id}", location=step.at)
