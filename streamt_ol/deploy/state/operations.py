"""Which step of an operation may follow which: pure functions from one control to the next.

Source: section 2.3 of the runtime facts. Every backend asks these before it writes, and once more about what
it reads. The location of an `OperationStepError` is a pointer into the control that would come of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from streamt_ol.deploy.state.documents import named
from streamt_ol.deploy.state.errors import OperationStepError, RecoveryRequiredError, StateConflictError
from streamt_ol.deploy.state.records import Control
from streamt_ol.deploy.state.state_file import state_checksum
from streamt_ol.ground.pointer import pointer

if TYPE_CHECKING:
    from streamt_ol.deploy.state.records import Intent, Observed, Progress, Recovery

CLEAR: Final = "clear"
IN_PROGRESS: Final = "in_progress"
RECOVERY_REQUIRED: Final = "recovery_required"
KINDS: Final = ("apply", "adopt", "recover")
FAILURE_CODES: Final = (
    "runtime_action_failed",
    "rollback_incomplete",
    "connector_removal_drift",
    "operation_interrupted",
    "state_commit_uncertain",
)
STARTED: Final = "started"
COMPLETED: Final = "completed"
NO_OPERATION: Final = Control(CLEAR)


def begun(intent: Intent, observed: Observed) -> Control:
    """Return the control of an operation that begins.

    Raises `RecoveryRequiredError` where another is unfinished, `StateConflictError` for an intent that was
    made for another state, `OperationStepError` for one that makes no sense.
    """
    require_clear(observed.control)
    snapshot = observed.snapshot
    if (intent.prior_state_serial, intent.prior_state_checksum) != (
        snapshot.serial,
        state_checksum(snapshot),
    ):
        raise StateConflictError("the operation was prepared for another state than the one that is written")
    check_intent(intent)
    return Control(IN_PROGRESS, intent)


def progressed(control: Control, entry: Progress) -> Control:
    """Return the control with one more word about an action; raises `OperationStepError`."""
    intent = operation_of(control)
    if control.status != IN_PROGRESS:
        _refuse("", "the operation has failed: no action of it may be carried out", intent)
    after = control._replace(progress=(*control.progress, entry))
    _check_entry(after, len(control.progress))
    return after


def failed(control: Control, recovery: Recovery) -> Control:
    """Return the control of an operation that must be recovered; raises `OperationStepError`."""
    intent = operation_of(control)
    if control.status != IN_PROGRESS:
        _refuse("", "the operation has been marked as failed before", intent)
    after = control._replace(status=RECOVERY_REQUIRED, recovery=recovery)
    _check_recovery(after, recovery)
    return after


def cleared(control: Control) -> Control:
    """Return the control after an operation is dropped; raises `RecoveryRequiredError` when it has acted."""
    intent = operation_of(control)
    if control.progress or control.status != IN_PROGRESS:
        raise RecoveryRequiredError(
            "the operation may have changed something, so it cannot be dropped",
            operation_id=intent.operation_id,
        )
    return NO_OPERATION


def succeeded(control: Control) -> Control:
    """Return the control after a commit; raises `OperationStepError` before the last action succeeded."""
    intent = operation_of(control)
    done = last_completed(control)
    if control.status != IN_PROGRESS or len(intent.actions) != (0 if done is None else done + 1):
        _refuse("", "the operation cannot be committed: not all of its actions have succeeded", intent)
    return NO_OPERATION


def require_clear(control: Control) -> None:
    """Raise `RecoveryRequiredError` where an operation is unfinished."""
    if control.intent is None:
        return
    failure = "" if control.recovery is None else f", with {control.recovery.failure_code}"
    raise RecoveryRequiredError(
        f"the {control.intent.kind} of {control.intent.started_at} did not end{failure}: nothing may be "
        "changed before it is recovered",
        operation_id=control.intent.operation_id,
        suggestion="see `streamt state status`, then `streamt state recovery-plan`",
    )


def operation_of(control: Control) -> Intent:
    """Return the intent of an unfinished operation; raises `OperationStepError` where there is none."""
    if control.intent is None:
        raise OperationStepError("no operation is under way")
    return control.intent


def last_completed(control: Control) -> int | None:
    """Return the position of the last action that succeeded."""
    done = [entry.action_index for entry in control.progress if entry.succeeded]
    return max(done, default=None)


def check_control(control: Control) -> None:
    """Raise `OperationStepError` for a control that no sequence of steps leads to."""
    if control.intent is None:
        return
    check_intent(control.intent)
    for position in range(len(control.progress)):
        _check_entry(control, position)
    if control.recovery is not None:
        _check_recovery(control, control.recovery)


def check_intent(intent: Intent) -> None:
    """Raise `OperationStepError` for actions that are not in order, or that concern one resource twice."""
    seen: set[str] = set()
    for position, action in enumerate(intent.actions):
        at = pointer("intent", "actions", position)
        if action.position != position:
            _refuse(f"{at}/index", f"must be {position}: actions are in their order", intent)
        if action.resource_id in seen:
            _refuse(f"{at}/resource_id", "has an action already", intent)
        seen.add(action.resource_id)


def _check_entry(control: Control, position: int) -> None:
    """Compare one word with its place: an action starts, is over, and the next one starts if it succeeded."""
    intent, entry = operation_of(control), control.progress[position]
    index, over = divmod(position, 2)
    at = pointer("progress", position)
    if entry.operation_id != intent.operation_id:
        _refuse(f"{at}/operation_id", "is another operation's", intent)
    if index >= len(intent.actions):
        _refuse(at, "is one too many: every action is over", intent)
    if position and not over and not control.progress[position - 1].succeeded:
        _refuse(at, "follows an action that has failed", intent)
    action = intent.actions[index]
    expected = {
        "action_index": index,
        "resource_id": action.resource_id,
        "action": action.action,
        "status": COMPLETED if over else STARTED,
    }
    for key, value in expected.items():
        if getattr(entry, key) != value:
            _refuse(f"{at}/{key}", f"must be {value}: that is the next step of the operation", intent)
    if (entry.succeeded is None) == bool(over):
        _refuse(f"{at}/succeeded", "must be true or false" if over else "must be null", intent)


def _check_recovery(control: Control, recovery: Recovery) -> None:
    intent = operation_of(control)
    if recovery.operation_id != intent.operation_id:
        _refuse("/recovery/operation_id", "is another operation's", intent)
    if recovery.last_completed_action_index != last_completed(control):
        _refuse("/recovery/last_completed_action_index", "is not the last action that succeeded", intent)


def _refuse(location: str, reason: str, intent: Intent) -> NoReturn:
    raise OperationStepError(
        f"{named(location)} {reason}" if location else reason,
        location=location or None,
        operation_id=intent.operation_id,
    )
