"""What applying reads of a rule set."""

from __future__ import annotations

from streamt_ol.deploy.applying.facts import FailedAction, FailureFacts, GateFacts
from streamt_ol.engine.ruleset import Needs

APPLYING_NEEDS = Needs(
    tables={
        "apply-gates": ["verdict", "code", "message", "suggestion"],
        "failed-actions": ["cause", "taken_back"],
        "failure-classes": ["end", "marker", "code", "exit", "outcome"],
    },
    catalogues={},
    records={"apply_gate": GateFacts, "failed_action": FailedAction, "apply_failure": FailureFacts},
)
