"""Steps that are never carried out: the table `safety-blockers`.

Source: section 1.4 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.planning.records import Blocker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.planning.facts import PlannedChange
    from streamt_ol.deploy.planning.kinds import Kinds
    from streamt_ol.deploy.records import Problem
    from streamt_ol.engine.ruleset import RuleSet


class Safety:
    """What a rule set never does."""

    def __init__(self, kinds: Kinds, rules: RuleSet) -> None:
        self._kinds = kinds
        self._table = rules.table("safety-blockers")

    def blockers(
        self,
        changes: Sequence[PlannedChange],
        problems: Mapping[str, Sequence[Problem]],
        others: Sequence[Blocker] = (),
    ) -> tuple[Blocker, ...]:
        """Return what stands in the way: kinds in their order, then by resource, code and action.

        `problems` are those of what cannot be made as it is declared, by resource id; `others` are blockers
        of what is no step.
        """
        found = [*others]
        found += [
            Blocker(
                code=problem.code,
                kind=change.kind,
                resource=f"{change.kind}:{change.name}",
                action=change.action,
                message=problem.message,
                remedy=problem.remedy,
                details={},
                at=problem.at,
                line_within=problem.line_within,
            )
            for change in changes
            for problem in problems.get(change.resource, ())
            if problem.blocks
        ]
        found += [
            Blocker(
                code=decision["blocks"],
                kind=change.kind,
                resource=f"{change.kind}:{change.name}",
                action=change.action,
                message=decision["message"](change),
                remedy=decision["remedy"](change),
                details=_details(change),
                at=change.at,
            )
            for change in changes
            for decision in self._table.decide_all(change)
        ]
        found.sort(
            key=lambda one: (self._kinds.by_name[one.kind].position, one.resource, one.code, one.action)
        )
        return tuple(found)


def _details(change: PlannedChange) -> dict[str, Any]:
    """Return the numbers that differ."""
    details: dict[str, Any] = {}
    if change.partitions != "same":
        details |= {
            "live_partitions": int(change.live_partitions),
            "desired_partitions": int(change.partitions_wanted),
        }
    if change.replication != "same":
        details |= {
            "live_replication_factor": int(change.live_replication),
            "desired_replication_factor": int(change.replication_wanted),
        }
    return details
