"""The recovery of an operation that did not end, planned and then carried out: this module is the order.

Nothing but the state is written, and no service is ever changed. Source: section 2.9 of the runtime facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from streamt_ol.cli.apply_report import ApplyResult
from streamt_ol.cli.deployment import ChangeRequest
from streamt_ol.cli.face import diagnostics
from streamt_ol.cli.recovery import Recovering
from streamt_ol.deploy.recovery.confirming import require_confirmed, require_form
from streamt_ol.deploy.recovery.recovery_file import check_new, load_recovery_plan, write_new
from streamt_ol.deploy.recovery.revalidating import require_place, require_same_evidence, require_same_state
from streamt_ol.ground.errors import Failures, StreamtError

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.recovery.confirming import Confirmations


@dataclass(frozen=True, slots=True)
class RecoveryPlanRequest(ChangeRequest):
    """What is asked of a recovery plan."""

    resolution: str
    out: str


@dataclass(frozen=True, slots=True)
class RecoverRequest(ChangeRequest):
    """What is asked of a recovery."""

    plan_file: Path
    confirmed: Confirmations


def plan_recovery(request: RecoveryPlanRequest, face: Face) -> ApplyResult:
    """Return the result of a recovery plan; what it shows is on stdout by then, also where it is refused.

    Raises what loading the project raises, and RecoveryPlanFileError for a path that is no new file's.
    """
    check_new(request.out)
    recovery = Recovering(request, face)

    def work() -> None:
        recovery.open()
        with recovery.locked():
            recovery.read()
            recovery.look(request.resolution)
            recovery.show()
            recovery.require_allowed()
            plan = recovery.plan(str(uuid4()))
            recovery.show_plan(plan)
            path = Path(request.out).absolute()
            recovery.saved(path, plan, write_new(path, plan))

    return _result(recovery, work)


def recover(request: RecoverRequest, face: Face) -> ApplyResult:
    """Return the result of a recovery; what it shows is on stdout by then, also where it is refused.

    Raises RecoveryConfirmationError, RecoveryPlanFileError, and what loading the project raises.
    """
    require_form(request.confirmed)
    loaded = load_recovery_plan(request.plan_file)
    require_confirmed(request.confirmed, loaded)
    recovery = Recovering(request, face)

    def work() -> None:
        recovery.open()
        require_place(loaded.plan, recovery.backend)
        with recovery.locked():
            came = recovery.read_again(loaded)
            if recovery.is_over(loaded, came):
                recovery.verified(loaded)
                return
            require_same_state(loaded.plan, recovery.observed, came)
            recovery.look(loaded.plan.resolution)
            recovery.show()
            recovery.require_allowed()
            require_same_evidence(loaded.plan, recovery.plan(loaded.plan.recovery_operation_id))
            recovery.resolve(loaded)

    return _result(recovery, work)


def _result(recovery: Recovering, work: Callable[[], None]) -> ApplyResult:
    face = recovery.face
    try:
        work()
    except (StreamtError, Failures) as error:
        errors = diagnostics(error, recovery.project.origins)
        return ApplyResult(face.command, recovery.data, face.warnings, errors)
    return ApplyResult(face.command, recovery.data, face.warnings)
