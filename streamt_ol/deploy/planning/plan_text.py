"""A plan as people read it: one step after the other, why something is not done, and what helps.

Lines are plain text without secrets; how a terminal colours them is said beside them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.deploy.planning.plan_demands import demanded
from streamt_ol.deploy.planning.plan_values import action_changes, presence
from streamt_ol.deploy.planning.surfaces.registry import surfaces_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.deploy.planning.policies import Demands
    from streamt_ol.deploy.planning.records import Plan, Risk
    from streamt_ol.deploy.records import Action
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.project.records import Origins

_SYMBOLS = {"update": "~", "delete": "-", "cancel": "-"}
_STYLES = {"+": "green", "~": "yellow", "-": "red", "!": "bold red", "?": "bold magenta", "=": "dim"}


class Line(NamedTuple):
    """One line; `style` is a word of rich, empty for none."""

    text: str
    style: str = ""


def plan_lines(plan: Plan, origins: Origins | None = None) -> Iterator[Line]:
    """Yield a plan: its steps in their order, what is left as it is, and what that comes to.

    `origins` knows where what blocks it is written.
    """
    yield Line(f"Plan for project '{plan.project}', environment '{plan.environment}'", "bold")
    if plan.offline:
        yield Line("Made offline: neither the state nor what is there was read, so everything counts as new.")
        yield Line("It is for reading: no apply takes it.")
    for action, risk in zip(plan.actions, plan.risks, strict=True):
        yield Line("")
        yield from _action(action, risk, plan, origins)
    if plan.requirements:
        yield Line("")
        yield from _requirements(plan, origins)
    removals = [*_removals(plan, origins)]
    if removals:
        yield Line("")
        yield from removals
    yield Line("")
    yield from _sum(plan)


def demand_lines(plan: Plan, demands: Demands, rules: RuleSet, saved: str | None = None) -> Iterator[Line]:
    """Yield what apply demands of those who carry the plan out; `saved` is the file that it was saved to."""
    wanted = demanded(plan, demands, rules, saved)
    if wanted:
        yield Line(f"To apply this plan in environment '{plan.environment}' takes:")
        yield from (Line(f"  {words}") for words in wanted)


def counted(number: int, noun: str) -> str:
    """Return `1 step` or `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _action(action: Action, risk: Risk, plan: Plan, origins: Origins | None) -> Iterator[Line]:
    symbol = _SYMBOLS.get(action.action, "+")
    verb = "" if action.action in {"create", "update", "delete"} else f" ({action.action})"
    yield Line(f"{symbol} {action.kind} {action.physical_name}{verb}", _STYLES[symbol])
    row = _row if surfaces_of(action.kind).values_shown else _presence
    rows = [row(change, created=action.before is None) for change in action_changes(action)]
    width = max((len(name) for name, _course in rows), default=0)
    for name, course in rows:
        yield Line(f"    {name:<{width}}  {course}")
    if risk.risk_class != "safe":
        others = [flag for flag in risk.flags if flag != risk.risk_class]
        flags = f" ({', '.join(others)})" if others else ""
        yield Line(f"    risk: {risk.risk_class}{flags}".replace("_", " "), "dim")
    for blocker in plan.blockers:
        if blocker.resource == f"{action.kind}:{action.physical_name}" and blocker.action == action.action:
            yield Line(f"  ! never done: {blocker.message}", _STYLES["!"])
            yield from _helping(blocker.remedy, origins, blocker.at, blocker.line_within)


def _row(change: dict[str, Any], *, created: bool) -> tuple[str, str]:
    """Return a field and what becomes of it: `6`, `3 -> 6`, or that only a secret changes."""
    before, after = change["before"], change["after"]
    if created:
        return change["field"], _shown(after)
    if before == after:
        return change["field"], "another secret"
    return change["field"], f"{_shown(before)} -> {_shown(after)}"


def _presence(change: dict[str, Any], *, created: bool) -> tuple[str, str]:
    """Return a field and what becomes of it where no value is shown: `added`, `changed` or `removed`."""
    if created:
        return change["field"], "set (values are not shown)"
    course = presence(change)
    return change["field"], f"{course} (values are not shown)" if course == "changed" else course


def _shown(value: Any) -> str:
    if value is None:
        return "(not set)"
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _requirements(plan: Plan, origins: Origins | None) -> Iterator[Line]:
    for requirement in plan.requirements:
        symbol = "?" if requirement.blocks else "="
        yield Line(f"{symbol} {requirement.message}", _STYLES[symbol])
        if requirement.blocks:
            yield from _helping(requirement.remedy, origins, requirement.at)


def _helping(
    remedy: str | None, origins: Origins | None, at: str, line_within: int | None = None
) -> Iterator[Line]:
    """Yield what helps against what blocks a plan, and where that is written."""
    if remedy is not None:
        yield Line(f"    what helps: {remedy}")
    place = None if origins is None else origins.place(at, line_within)
    if place is not None:
        yield Line(f"    where: {place}")


def _removals(plan: Plan, origins: Origins | None) -> Iterator[Line]:
    """Yield what becomes of removals that are no steps."""
    blockers = {blocker.resource: blocker for blocker in plan.blockers}
    for one in plan.removals:
        if one.verdict == "blocked":
            yield Line(f"! never done: {one.message}", _STYLES["!"])
            blocker = blockers[f"{one.kind}:{one.name}"]
            yield from _helping(blocker.remedy, origins, blocker.at, blocker.line_within)
        elif one.verdict != "delete":
            yield Line(f"= {one.message}", _STYLES["="])


def _sum(plan: Plan) -> Iterator[Line]:
    if not (plan.has_changes or plan.is_apply_blocked):
        yield Line(f"Nothing to do: {counted(len(plan.unchanged), 'resource')} as declared.", "bold green")
        return
    yield Line(f"{plan.summary}; risk: {plan.risk_summary.overall.replace('_', ' ')}", "bold")
    reasons: Sequence[str] = [
        *([f"{counted(len(plan.blockers), 'step')} never done (!)"] if plan.blockers else []),
        *([f"{counted(plan.undecided, 'resource')} of unclear ownership (?)"] if plan.undecided else []),
    ]
    if reasons:
        yield Line(f"This plan cannot be applied, no part of it: {', '.join(reasons)}.", "bold red")
