"""A recovery as it was looked at: what did not end, what is there, and what the state will say.

Source: section 2.9 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import streamt_ol
from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.state.operations import operation_of
from streamt_ol.deploy.state.state_file import next_snapshot, state_checksum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.planning.context import PlanContext
    from streamt_ol.deploy.recovery.targets import Seen
    from streamt_ol.deploy.state.records import Observed, Record, StateBackend

KIND: Final = "streamt.recovery-plan"
FORMAT_VERSION: Final = 1


class RecoveryPlan(NamedTuple):
    """What is confirmed, and then written down exactly so."""

    resolution: str
    """`observed`, `rolled_back` or `abandoned_before_mutation`."""
    blocked_operation_id: str
    recovery_operation_id: str
    snapshot: Mapping[str, Any]
    """State and control that it was made from: `backend`, `store_id`, `address`, `serial`, `checksum` and the
    two revisions."""
    targets: tuple[Mapping[str, Any], ...]
    """The resources that were looked at: what was written down of them, `live`, and where that `stands`."""
    candidate_state: Mapping[str, Any] | None
    """`serial`, `checksum` and `resources` that the state will have; None where it stays as it is."""
    environment_fingerprint: str | None
    """None where nothing was looked at."""
    manifest_checksum: str | None

    @property
    def content(self) -> dict[str, Any]:
        """Return everything that the checksum is of, as plain values."""
        return {
            "kind": KIND,
            "format_version": FORMAT_VERSION,
            "streamt_version": streamt_ol.__version__,
            **self._asdict(),
            "targets": [dict(target) for target in self.targets],
        }


def make_recovery_plan(
    resolution: str,
    recovery_operation_id: str,
    backend: StateBackend,
    observed: Observed,
    seen: Seen | None,
    resources: Mapping[str, Record] | None,
    context: PlanContext | None,
) -> RecoveryPlan:
    """Return the plan of an allowed resolution.

    `resources` are what the state will say of resources; None where it stays as it is. `seen` and `context`
    are None for a resolution that looks at nothing.
    """
    after = next_snapshot(observed.snapshot, resources)
    changed = None
    if after != observed.snapshot:
        changed = {
            "serial": after.serial,
            "checksum": state_checksum(after),
            "resources": {name: after.resources[name]._asdict() for name in sorted(after.resources)},
        }
    return RecoveryPlan(
        resolution=resolution,
        blocked_operation_id=operation_of(observed.control).operation_id,
        recovery_operation_id=recovery_operation_id,
        snapshot={
            "backend": backend.kind,
            "store_id": backend.store_id,
            "address": backend.address,
            "serial": observed.snapshot.serial,
            "checksum": state_checksum(observed.snapshot),
            "state_revision": observed.state_revision,
            "control_revision": observed.control_revision,
        },
        targets=_targets(seen),
        candidate_state=changed,
        environment_fingerprint=None if context is None else context.environment_fingerprint,
        manifest_checksum=None if context is None else context.manifest_checksum,
    )


def evidence_checksum(content: Mapping[str, Any]) -> str:
    """Return the checksum of all that a recovery plan says."""
    return checksum(content)


def _targets(seen: Seen | None) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {
            "index": target.action.position,
            "resource_id": target.action.resource_id,
            "action": target.action.action,
            "physical_name": target.action.physical_name,
            "prior": target.action.prior,
            "candidate": target.action.candidate,
            "live": target.live,
            "stands": target.stands,
        }
        for target in (() if seen is None else seen.targets)
    )
