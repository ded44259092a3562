"""Whether a reviewed plan is still the plan: what it was made from, and what would be done now.

Source: sections 1.7 and 2.2 of the runtime facts.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.planning.errors import StalePlanError
from streamt_ol.deploy.planning.plan_values import presence
from streamt_ol.deploy.planning.surfaces.registry import surfaces_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamt_ol.deploy.planning.context import PlanContext
    from streamt_ol.deploy.planning.reviewed import ReviewedPlan

_MOST = 10
"""Differences that a message tells; the others are counted."""


def require_context(reviewed: ReviewedPlan, context: PlanContext) -> None:
    """Refuse a plan that was made from something else; raises StalePlanError with all that differs.

    What would be done is not looked at: this can be asked before anybody is asked what is there.
    """
    now = {**context._asdict(), "state": None if context.state is None else context.state._asdict()}
    _refuse(_of_context(reviewed.document, now))


def require_current(reviewed: ReviewedPlan, current: ReviewedPlan) -> None:
    """Refuse a plan that is not the one that would be made now; raises StalePlanError with all that differs.

    Numbers that follow from the rest, and the version of the program, may differ.
    """
    before, now = reviewed.document, current.document
    differences = _of_context(before, now)
    if before["selection"] != now["selection"]:
        differences.append("it is about other models")
    differences += _of_plan(before["plan"], now["plan"]) or _of_order(before["actions"], now["actions"])
    _refuse(differences)


def _refuse(differences: Sequence[str]) -> None:
    if not differences:
        return
    told = [*differences[:_MOST]]
    if len(differences) > _MOST:
        told.append(f"and {len(differences) - _MOST} more")
    raise StalePlanError(
        f"the plan is not current: {'; '.join(told)}",
        location="plan_file",
        suggestion="plan again with `streamt plan --out FILE`, and look at it before it is applied",
    )


def _of_context(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    for name in ("project", "environment"):
        if before[name] != now[name]:  # then everything else is bound to differ
            return [f"it is of the {name} '{before[name]}', and this is '{now[name]}'"]
    differences = []
    if before["environment_fingerprint"] != now["environment_fingerprint"]:
        differences.append("the runtime of the environment has changed")
    if before["manifest_checksum"] != now["manifest_checksum"]:
        differences.append("the project compiles to something else")
    return [*differences, *_of_state(before["state"], now["state"])]


def _of_state(before: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> Iterator[str]:
    if before is None or now is None:
        if before is not now:
            yield "one was made offline, without a state"
    elif before["address"] != now["address"]:
        yield f"its state is {before['address']}, and this one is {now['address']}"
    elif before["store_id"] != now["store_id"]:
        yield "its state is kept elsewhere: in another store, or in a project folder that was moved"
    elif before["serial"] != now["serial"]:
        yield f"its state had the serial {before['serial']} and has {now['serial']} now"
    elif before != now:
        yield f"its state has changed and kept its serial {before['serial']}"


def _of_plan(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    resources = list(_differing(before["resources"], now["resources"], "kind", "name"))
    differences = [line for name, old, new in resources for line in _of_resource(" ".join(name), old, new)]
    known = {name for name, _old, _new in resources}
    for part, what, keys, word in (
        ("ownership_requirements", "what its ownership requires", ("kind", "physical_name"), "reason"),
        ("safety_blockers", "what blocks it", ("resource", "code"), "code"),
        ("change_risks", "its risk", ("kind", "name"), "class"),
        ("connector_removal_assessments", "its removal", ("resource_id",), "verdict"),
        ("gateway_removal_assessments", "its removal", ("resource_id",), "verdict"),
    ):
        for name, old, new in _differing(before[part], now[part], *keys):
            if part == "change_risks" and name in known:
                continue  # another step has another risk
            was, has = (None if one is None else one[word] for one in (old, new))
            outcome = "has changed" if was == has else f"was {was or 'nothing'} and is {has or 'nothing'} now"
            differences.append(f"{' '.join(name[:2])}: {what} {outcome}")
    return differences


def _of_resource(name: str, before: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> Iterator[str]:
    was, has = (None if one is None else one["action"] for one in (before, now))
    if before is None or now is None or was != has:
        yield f"{name}: {was or 'nothing'} was planned, and it would be {has or 'nothing'} now"
        return
    shown = surfaces_of(before["kind"]).values_shown
    for (field,), old, new in _differing(before["changes"], now["changes"], "field"):
        if shown:
            yield f"{name}: {field} was to go {_course(old)}, and it would go {_course(new)} now"
        else:
            yield f"{name}: {field} was to be {_fate(old)}, and it would be {_fate(new)} now"


def _course(change: Mapping[str, Any] | None) -> str:
    """Return `from 3 to 6`."""
    return "nowhere" if change is None else f"from {change['before']} to {change['after']}"


def _fate(change: Mapping[str, Any] | None) -> str:
    """Return `changed`, where no value is shown."""
    return "left as it is" if change is None else presence(change)


def _of_order(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"action {position} was to {_deed(old)}, and "
        + (
            "what is there, or what was to be, is not what was looked at"
            if _deed(old) == _deed(new)
            else f"it would be to {_deed(new)} now"
        )
        for position, (old, new) in enumerate(zip_longest(before, now))
        if old != new
    ]


def _deed(action: Mapping[str, Any] | None) -> str:
    return "do nothing" if action is None else f"{action['action']} {action['resource_id']}"


def _differing(
    before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]], *keys: str
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any] | None, Mapping[str, Any] | None]]:
    """Yield the entries that are not the same in both, by their name; None where one is missing."""
    old, new = ({tuple(str(one[key]) for key in keys): one for one in entries} for entries in (before, now))
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield name, old.get(name), new.get(name)
