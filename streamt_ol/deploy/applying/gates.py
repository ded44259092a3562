"""The gates of an apply: what is found at each is put to the table `apply-gates`.

In which order they stand is said by whoever asks (`cli/applying.py`), and by the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.applying.errors import GateError
from streamt_ol.deploy.applying.facts import GateFacts

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet

_PASSED = "in_order"


class Gates:
    """The gates before one operation."""

    def __init__(self, rules: RuleSet, environment: str, plan_file: str) -> None:
        self._table = rules.table("apply-gates")
        self._environment = environment
        self._plan_file = plan_file

    def at(self, gate: str, name: str = "", **found: bool) -> None:
        """Ask about what is found at a gate, the first finding that is so; `name` is what it is about.

        Raises GateError where the table refuses.
        """
        finding = next((word for word, is_so in found.items() if is_so), _PASSED)
        facts = GateFacts(gate, finding, self._environment, name, self._plan_file)
        decision = self._table.decide(facts)
        if decision["verdict"] == "refuse":
            suggestion = decision.get("suggestion")
            raise GateError(
                decision["code"],
                decision["message"](facts),
                suggestion=suggestion and suggestion(facts),
            )
