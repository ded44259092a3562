"""The gates of an apply: what is found at each is put to the table `apply-gates`.

In which order they stand is said by whoever asks (`cli/applying.py`), and by the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.applying.errors import GateError
from streamt_ol.deploy.applying.facts import GateFacts
from streamt_ol.deploy.planning.pasted import apply_command, plan_command
from streamt_ol.deploy.planning.records import Blocker
from streamt_ol.ground.errors import Failures

if TYPE_CHECKING:
    from streamt_ol.deploy.planning.records import Plan, Requirement
    from streamt_ol.engine.ruleset import RuleSet

_PASSED = "in_order"


class Gates:
    """The gates before one operation."""

    def __init__(self, rules: RuleSet, environment: str, plan_file: str) -> None:
        """`plan_file` is where the reviewed plan is, or may be written."""
        self._table = rules.table("apply-gates")
        self._environment = environment
        self._plan_file = plan_file

    def at(self, gate: str, name: str = "", **found: bool) -> None:
        """Ask about what is found at a gate, the first finding that is so; `name` is what it is about.

        Raises GateError where the table refuses.
        """
        refused = self._refused(gate, next((word for word, is_so in found.items() if is_so), _PASSED), name)
        if refused is not None:
            raise refused

    def blocked(self, plan: Plan) -> None:
        """Refuse a plan that is blocked, with all that blocks it: never done steps, else open ownership."""
        reasons: list[tuple[str, Blocker | Requirement]]
        reasons = [("safety_blocked", one) for one in plan.blockers] or [
            ("ownership_required", one) for one in plan.requirements if one.blocks
        ]
        failures: list[GateError] = []
        for finding, one in reasons:
            refused = self._refused("blocked", finding, one.message)
            if refused is not None:
                refused.location, refused.suggestion = one.at, one.remedy
                refused.line_within = one.line_within if isinstance(one, Blocker) else None
                failures.append(refused)
        if failures:
            raise Failures(tuple(failures))
        self.at("blocked")

    def _refused(self, gate: str, finding: str, name: str) -> GateError | None:
        where = (self._environment, self._plan_file)
        facts = GateFacts(gate, finding, self._environment, name, plan_command(*where), apply_command(*where))
        decision = self._table.decide(facts)
        if decision["verdict"] == "go_on":
            return None
        suggestion = decision.get("suggestion")
        return GateError(
            decision["code"], decision["message"](facts), suggestion=suggestion and suggestion(facts)
        )
