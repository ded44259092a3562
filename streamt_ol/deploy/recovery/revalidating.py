"""Whether a recovery plan is still the one that would be made; and whether it was carried out before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from streamt_ol.deploy.recovery.errors import RecoveryPlanFileError, StaleRecoveryPlanError
from streamt_ol.deploy.state.errors import StateConflictError
from streamt_ol.deploy.state.history_file import INTENDED, RESOLVED, Resolution
from streamt_ol.deploy.state.state_file import state_checksum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.deploy.recovery.recovery_file import LoadedPlan
    from streamt_ol.deploy.recovery.recovery_plan import RecoveryPlan
    from streamt_ol.deploy.state.history_file import Event
    from streamt_ol.deploy.state.records import Observed, StateBackend

Standing = Literal["new", "intended", "resolved"]
"""How far a recovery came before: not begun, written into the history, resolved there."""

_AGAIN = "see `streamt state status`; if it asks for a recovery, make a new recovery plan"


def resolution_of(loaded: LoadedPlan) -> Resolution:
    """Return what the history says of a plan."""
    plan = loaded.plan
    return Resolution(
        plan.recovery_operation_id, plan.blocked_operation_id, plan.resolution, loaded.evidence_checksum
    )


def require_place(plan: RecoveryPlan, backend: StateBackend) -> None:
    """Refuse the plan of another state: RecoveryPlanFileError."""
    made_of = plan.snapshot
    if (made_of["address"], made_of["store_id"]) != (backend.address, backend.store_id):
        raise RecoveryPlanFileError(
            "the recovery plan is for the state of another project, environment or folder",
            location="plan_file",
        )


def standing(loaded: LoadedPlan, events: Sequence[Event]) -> Standing:
    """Return how far a plan was carried out before, by the history.

    Raises StateConflictError where the history has another recovery under its id.
    """
    about = resolution_of(loaded)
    known = [one for one in events if one.resolution.recovery_operation_id == about.recovery_operation_id]
    if not known:
        return "new"
    serial, checksum = _state_after(loaded.plan)
    if any(
        (one.resolution, one.state_serial, one.state_checksum) != (about, serial, checksum) for one in known
    ):
        raise StateConflictError("the history of recoveries has another recovery under the id of this plan")
    words = {one.event for one in known}
    return "resolved" if RESOLVED in words else "intended" if INTENDED in words else "new"


def is_over(loaded: LoadedPlan, observed: Observed, came: Standing) -> bool:
    """Return whether a recovery was carried out to its end."""
    intent = observed.control.intent
    return came == "resolved" and (intent is None or intent.operation_id != loaded.plan.blocked_operation_id)


def require_same_state(plan: RecoveryPlan, observed: Observed, came: Standing) -> None:
    """Refuse a plan that was made of another state or operation: StaleRecoveryPlanError.

    A recovery that was begun and not ended may have written its state already.
    """
    intent = observed.control.intent
    if intent is None or intent.operation_id != plan.blocked_operation_id:
        raise StaleRecoveryPlanError(
            "no operation is unfinished any more"
            if intent is None
            else f"another operation is unfinished now: {intent.operation_id}",
            suggestion=_AGAIN,
        )
    now = (observed.snapshot.serial, state_checksum(observed.snapshot))
    allowed = {(plan.snapshot["serial"], plan.snapshot["checksum"])}
    if came != "new":
        allowed |= {_state_after(plan)}
    if now not in allowed:
        raise StaleRecoveryPlanError(
            f"the state had the serial {plan.snapshot['serial']} when the recovery plan was made, and has "
            f"{now[0]} or other contents now",
            suggestion=_AGAIN,
        )
    if observed.control_revision != plan.snapshot["control_revision"]:
        raise StaleRecoveryPlanError(
            "the operation is not where it was when the recovery plan was made", suggestion=_AGAIN
        )


def require_same_evidence(plan: RecoveryPlan, current: RecoveryPlan) -> None:
    """Refuse a plan if what would be planned now is something else, and say what: StaleRecoveryPlanError.

    `current` is the plan of the same resolution that was made just now.
    """
    changed = [
        words
        for name, words in (
            ("environment_fingerprint", "the runtime of the environment"),
            ("manifest_checksum", "what the project compiles to"),
        )
        if getattr(plan, name) != getattr(current, name)
    ]
    now = {target["resource_id"]: target for target in current.targets}
    changed += [
        f"{target['physical_name']}, {_WORDS[target['stands']]} then"
        for target in plan.targets
        if now.get(target["resource_id"]) != target
    ]
    if not changed and len(now) != len(plan.targets):
        changed.append("which resources are looked at")
    if changed:
        raise StaleRecoveryPlanError(
            f"changed since the recovery plan was made: {'; '.join(changed)}", suggestion=_AGAIN
        )


_WORDS = {
    "prior": "as it was before the operation",
    "candidate": "as the operation made it",
    "gone": "not there",
}


def _state_after(plan: RecoveryPlan) -> tuple[int, str]:
    state = plan.snapshot if plan.candidate_state is None else plan.candidate_state
    return state["serial"], state["checksum"]
