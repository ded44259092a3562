"""What an environment demands of those who change it: the table `policies`.

Source: section 1.6 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.planning.facts import EnvironmentPolicy

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.project.records import Environment


class Demands(NamedTuple):
    """What is demanded, by the words of the domain `policy_demand`."""

    reviewed_plan: bool
    """Apply from a saved plan only."""
    confirmation: bool
    """The name of the environment is said again."""
    force: bool
    """Deletes need `--force`."""
    remote_state: bool
    """No state on this machine."""


def demands(environment: Environment, rules: RuleSet) -> Demands:
    """Return what an environment demands."""
    table = rules.table("policies")
    safety = environment.safety
    return Demands(
        **{
            demand: table.decide(
                EnvironmentPolicy(
                    at="environment",
                    demand=demand,
                    protected=environment.protected,
                    require_reviewed_plan=safety.get("require_reviewed_plan", False),
                    confirm_apply=safety.get("confirm_apply", False),
                    allow_destructive=safety.get("allow_destructive", False),
                    require_remote_state=safety.get("require_remote_state", False),
                )
            )["demanded"]
            for demand in Demands._fields
        }
    )
