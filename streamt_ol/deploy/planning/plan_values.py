"""A plan as plain JSON values without secrets, for programs and for the file.

Source: sections 1.3 to 1.5, 1.7 and 1.8 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.planning.redacting import redacted
from streamt_ol.deploy.planning.restores import restore_change
from streamt_ol.deploy.planning.surfaces.registry import surfaces_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.planning.records import Plan
    from streamt_ol.deploy.records import Action


def plan_values(plan: Plan) -> dict[str, Any]:
    """Return the part `plan` of a saved plan."""
    requirements = ownership_requirements(plan)
    blockers = safety_blockers(plan)
    removals = removal_assessments(plan)
    return {
        "summary": {
            "creates": plan.creates,
            "updates": plan.updates,
            "deletes": plan.deletes,
            "has_changes": plan.has_changes,
            "ownership_requirements": len(requirements),
            "safety_blockers": len(blockers),
            **{name: len(found) for name, found in removals.items()},
            "is_apply_blocked": plan.is_apply_blocked,
            "risk": plan.risk_summary.overall,
        },
        "resources": resource_changes(plan),
        "impact": [],
        "change_risks": change_risks(plan),
        "risk_summary": risk_summary(plan),
        "ownership_requirements": requirements,
        "safety_blockers": blockers,
        **removals,
    }


def resource_changes(plan: Plan) -> list[dict[str, Any]]:
    """Return what each action changes, sorted by kind, name and action."""
    ordered = sorted(plan.actions, key=lambda one: (one.kind, one.physical_name, one.action))
    return [
        {
            "kind": action.kind,
            "name": action.physical_name,
            "action": action.action,
            "changes": action_changes(action),
        }
        for action in ordered
    ]


def action_changes(action: Action) -> list[dict[str, Any]]:
    """Return the fields that an action changes; a secret is the same mark before and after.

    Of a kind whose values are not shown, `before` and `after` say whether something is there.
    """
    kept = surfaces_of(action.kind).values_shown
    return [
        {
            "field": change.field,
            "before": redacted(change.before, change.field if kept else ""),
            "after": redacted(change.after, change.field if kept else ""),
        }
        for change in (
            *surfaces_of(action.kind).shown(action.before, action.after),
            *restore_change(action.payload),
        )
    ]


def presence(change: Mapping[str, Any]) -> str:
    """Return what becomes of a field whose values are not shown: `added`, `changed` or `removed`."""
    if change["before"] == change["after"]:
        return "changed"
    return "added" if change["after"] else "removed"


def change_risks(plan: Plan) -> list[dict[str, Any]]:
    """Return the risk of each action, in their order."""
    return [
        {
            "resource_id": risk.resource_id,
            "kind": risk.kind,
            "name": risk.name,
            "action": risk.action,
            "class": risk.risk_class,
            "flags": list(risk.flags),
            "evidence": {
                "status": risk.evidence.status,
                "sources": list(risk.evidence.sources),
                "reasons": list(risk.evidence.reasons),
            },
        }
        for risk in plan.risks
    ]


def risk_summary(plan: Plan) -> dict[str, Any]:
    """Return the risks of a plan, taken together."""
    summary = plan.risk_summary
    return {
        "overall": summary.overall,
        "counts": dict(summary.counts),
        "risk_flags": list(summary.risk_flags),
        "evidence_complete": summary.evidence_complete,
    }


def ownership_requirements(plan: Plan) -> list[dict[str, Any]]:
    """Return the resources that are left as they are, and why."""
    return [
        {
            "resource_id": requirement.resource_id,
            "kind": requirement.kind,
            "logical_name": requirement.logical_name,
            "physical_name": requirement.physical_name,
            "reason": requirement.reason,
            "observed_action": requirement.observed_action,
            "ownership_mode": requirement.ownership_mode,
            "message": requirement.message,
            "remedy": requirement.remedy,
            "blocks": requirement.blocks,
        }
        for requirement in plan.requirements
    ]


def safety_blockers(plan: Plan) -> list[dict[str, Any]]:
    """Return the steps that are never carried out, and why."""
    return [
        {
            "code": blocker.code,
            "kind": blocker.kind,
            "resource": blocker.resource,
            "action": blocker.action,
            "message": blocker.message,
            "remedy": blocker.remedy,
            "details": dict(blocker.details),
            "location": blocker.at,
        }
        for blocker in plan.blockers
    ]


def removal_assessments(plan: Plan) -> dict[str, list[dict[str, Any]]]:
    """Return what becomes of what is to be removed, a list for connectors and one for Gateway rules."""
    return {
        name: [
            {
                "resource_id": one.resource_id,
                "name": one.name,
                "cluster": one.cluster,
                "record": one.record,
                "live": one.live,
                "verdict": one.verdict,
                "message": one.message,
            }
            for one in plan.removals
            if one.kind == kind
        ]
        for kind, name in _ASSESSMENTS.items()
    }


_ASSESSMENTS: Final = {
    "connector": "connector_removal_assessments",
    "gateway_rule": "gateway_removal_assessments",
}
"""What programs call the assessments of a kind."""
