"""How much a plan may break: the table `risk`.

Source: section 1.5 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.planning.records import Evidence, Risk, RiskSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.deploy.planning.facts import PlannedChange
    from streamt_ol.deploy.planning.kinds import Kind
    from streamt_ol.engine.ruleset import RuleSet


class Risks:
    """What a rule set calls risky."""

    def __init__(self, rules: RuleSet) -> None:
        self._table = rules.table("risk")
        self._classes = [str(word) for word in rules.vocabulary.domains["risk_class"]]

    def of(self, change: PlannedChange, kind: Kind) -> Risk:
        """Return the risk of an action."""
        decision = self._table.decide(change)
        looked = kind.backend is not None and change.live != "unverified"
        return Risk(
            resource_id=change.resource,
            kind=change.kind,
            name=change.name,
            action=change.action,
            risk_class=decision["class"],
            flags=tuple(sorted(decision["flags"])),
            evidence=Evidence(
                decision["evidence"],
                (kind.backend,) if looked and kind.backend else (),
                tuple(decision["reasons"]),
            ),
        )

    def summary(self, risks: Sequence[Risk]) -> RiskSummary:
        """Return the risks taken together: the worst class, which of nothing is the least."""
        counts = {name: sum(risk.risk_class == name for risk in risks) for name in self._classes}
        return RiskSummary(
            overall=next((name for name in reversed(self._classes) if counts[name]), self._classes[0]),
            counts=counts,
            risk_flags=tuple(sorted({flag for risk in risks for flag in risk.flags})),
            evidence_complete=all(risk.evidence.status == "verified" for risk in risks),
        )
