"""To whom a resource belongs, and whether that keeps the project from it: the table `ownership`.

Source: section 1.3 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.planning.changes import liveness
from streamt_ol.deploy.planning.facts import OwnedResource
from streamt_ol.deploy.planning.identity import parse_identity
from streamt_ol.deploy.planning.pasted import adopt_command
from streamt_ol.deploy.planning.records import Requirement

if TYPE_CHECKING:
    from streamt_ol.deploy.planning.facts import Recorded
    from streamt_ol.deploy.records import Desired, Live
    from streamt_ol.deploy.state.records import Snapshot
    from streamt_ol.engine.ruleset import RuleSet

_TESTS = "/tests/"
"""Where what tests make is declared."""


class Ownership:
    """What one state says about resources."""

    def __init__(self, snapshot: Snapshot, rules: RuleSet) -> None:
        self._snapshot = snapshot
        self._table = rules.table("ownership")
        self._modes = frozenset(self._table.inputs["mode"])
        self._claimants = {
            (parse_identity(resource_id).kind, record.physical_name): resource_id
            for resource_id, record in snapshot.resources.items()
        }

    def requirement(self, desired: Desired, there: Live | None, action: str) -> Requirement | None:
        """Return why a resource is left as it is; None where the project may do to it what it wants.

        It is asked about every resource, also where there is nothing to do.
        """
        facts = self._facts(desired, there)
        decision = self._table.decide(facts)
        if decision["reason"] == "none":
            return None
        remedy = decision.get("remedy")
        return Requirement(
            resource_id=desired.resource_id,
            kind=desired.kind,
            logical_name=desired.logical_name,
            physical_name=desired.physical_name,
            reason=decision["reason"],
            observed_action="unknown" if there is None else action,
            ownership_mode=desired.ownership,
            message=decision["message"](facts),
            remedy=None if remedy is None else remedy(facts),
            blocks=decision["blocks"],
            at=desired.at,
        )

    def recorded(self, resource_id: str, name: str, backend: str | None) -> Recorded:
        """Return what the state has under an id: nothing, this resource, or another by name or service."""
        record = self._snapshot.resources.get(resource_id)
        if record is None:
            return "absent"
        same = record.physical_name == name and backend in {None, record.backend}
        return "same" if same else "other"

    def _facts(self, desired: Desired, there: Live | None) -> OwnedResource:
        who = parse_identity(desired.resource_id)
        own = (self._snapshot.project, self._snapshot.environment) == (who.project, who.environment)
        record = self._snapshot.resources.get(desired.resource_id)
        claimant = self._claimants.get((desired.kind, desired.physical_name), desired.resource_id)
        return OwnedResource(
            at=desired.at,
            resource=desired.resource_id,
            kind=desired.kind,
            name=desired.physical_name,
            owner="test" if desired.at.startswith(_TESTS) else "other",
            project="own" if own else "other",
            mode=desired.ownership if desired.ownership in self._modes else "other",
            record=self.recorded(desired.resource_id, desired.physical_name, desired.backend),
            recorded="" if record is None else record.physical_name,
            claimed="nobody" if claimant == desired.resource_id else "other",
            claimant=claimant,
            live=liveness(there),
            adopt_command=adopt_command(desired.kind, desired.physical_name, self._snapshot.environment),
        )
