"""A plan that can be kept: what it says and what it was made from, with a checksum over all of it.

Source: section 1.7 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol import __version__
from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.planning.plan_values import plan_values
from streamt_ol.deploy.planning.redacting import surface_checksum
from streamt_ol.deploy.planning.restores import RESTORE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.planning.context import PlanContext
    from streamt_ol.deploy.planning.records import Plan
    from streamt_ol.deploy.records import Action

EVIDENCE: Final = {
    "gateway_rule": "gateway_evidence",
    "connector": "connector_evidence",
    "flink_job": "flink_evidence",
}
"""Kinds of which a plan does not show what may hold secrets, with the key of their evidence."""
KIND = "streamt.reviewed-plan"
FORMAT_VERSION = 5


class ReviewedPlan(NamedTuple):
    """A plan as a document of plain values, without secrets."""

    document: Mapping[str, Any]
    """Everything but the checksum, by the keys of the file."""

    @property
    def checksum(self) -> str:
        """Return the checksum of the document: the integrity of a file, not a signature."""
        return checksum(self.document)

    @property
    def offline(self) -> bool:
        """Return whether it was made without the state and without what is there."""
        return bool(self.document["offline"])


def reviewed_plan(context: PlanContext, plan: Plan) -> ReviewedPlan:
    """Return a plan as it is kept."""
    return ReviewedPlan(
        {
            "kind": KIND,
            "format_version": FORMAT_VERSION,
            "streamt_version": __version__,
            "project": context.project,
            "environment": context.environment,
            "environment_fingerprint": context.environment_fingerprint,
            "manifest_checksum": context.manifest_checksum,
            "state": None if context.state is None else context.state._asdict(),
            "selection": None,
            "offline": plan.offline,
            "plan": plan_values(plan),
            "actions": [
                {
                    "index": action.position,
                    "resource_id": action.resource_id,
                    "action": action.action,
                    **evidence_of(action),
                }
                for action in plan.executable
            ],
        }
    )


def evidence_of(action: Action) -> dict[str, dict[str, str | None] | None]:
    """Return by what an action is known again: what was there and what will be, as checksums.

    Of what goes on from a state, also from which. None for kinds of which a plan shows everything that is
    changed.
    """
    known = {"before": surface_checksum(action.before), "after": surface_checksum(action.after)}
    known |= (action.payload or {}).get(RESTORE) or {}
    return {name: known if action.kind == kind else None for kind, name in EVIDENCE.items()}
