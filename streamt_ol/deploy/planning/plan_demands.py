"""What apply demands of those who carry a plan out: the table `plan-demands`.

An environment demands some of it, what `lifecycle` removes the rest; the gates of an apply see to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.planning.pasted import apply_command, plan_command

if TYPE_CHECKING:
    from streamt_ol.deploy.planning.policies import Demands
    from streamt_ol.deploy.planning.records import Plan
    from streamt_ol.engine.ruleset import RuleSet

_FILE = "FILE"


class PlanDemand(NamedTuple):
    """Facts of the record `plan_demand`."""

    at: str
    environment: str
    reviewed_plan: bool
    """The environment demands it, as of the next three."""
    confirmation: bool
    force: bool
    remote_state: bool
    deletes: bool
    """Whether a step of the plan deletes something."""
    connector_removals: bool
    """Whether `lifecycle` declares any, also such as are done already."""
    rule_removals: bool
    plan_command: str
    apply_command: str


def demanded(plan: Plan, demands: Demands, rules: RuleSet, saved: str | None = None) -> list[str]:
    """Return what apply demands in words; nothing of a plan without steps.

    `saved` is the file that the plan was saved to.
    """
    if not plan.has_changes:
        return []
    removed = {one.kind for one in plan.removals}
    file = saved or _FILE
    facts = PlanDemand(
        at="plan",
        environment=plan.environment,
        **demands._asdict(),
        deletes=plan.deletes > 0,
        connector_removals="connector" in removed,
        rule_removals="gateway_rule" in removed,
        plan_command=plan_command(plan.environment, file),
        apply_command=apply_command(plan.environment, file),
    )
    return [row["message"](facts) for row in rules.table("plan-demands").decide_all(facts)]
