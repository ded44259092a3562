"""The steps of a recovery; their order is that of `recovering.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.cli import recovery_report
from streamt_ol.cli.deployment import Deployment
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.state_status import operation_status
from streamt_ol.deploy.planning.context import plan_context, state_reference
from streamt_ol.deploy.recovery.errors import NothingToRecoverError
from streamt_ol.deploy.recovery.facts import RECOVERY_NEEDS
from streamt_ol.deploy.recovery.recovery_plan import make_recovery_plan
from streamt_ol.deploy.recovery.resolving import require_allowed, resources_after
from streamt_ol.deploy.recovery.revalidating import is_over, resolution_of, standing
from streamt_ol.deploy.recovery.targets import look
from streamt_ol.deploy.state.errors import ReleaseAfterCommitError, StateError
from streamt_ol.deploy.state.history_file import ABANDONED
from streamt_ol.deploy.state.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from streamt_ol.cli.deployment import ChangeRequest
    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.records import Desired
    from streamt_ol.deploy.recovery.recovery_file import LoadedPlan
    from streamt_ol.deploy.recovery.recovery_plan import RecoveryPlan
    from streamt_ol.deploy.recovery.revalidating import Standing
    from streamt_ol.deploy.recovery.targets import Seen
    from streamt_ol.deploy.state.records import Observed


class Recovering(Deployment):
    """A recovery at work."""

    def __init__(self, request: ChangeRequest, face: Face) -> None:
        super().__init__(request, face)
        self._recovery_rules = face.load_rules(RECOVERY_NEEDS)
        self._seen: Seen | None = None
        self.desired: tuple[Desired, ...] = ()

    def read(self) -> None:
        """Read the state, of which an operation must be unfinished."""
        self.observed = self.authority.observe()
        if self.observed.control.intent is None:
            raise NothingToRecoverError(
                "no operation is unfinished: there is nothing to recover",
                suggestion="see `streamt state status`",
            )

    def read_again(self, loaded: LoadedPlan) -> Standing:
        """Read the state, and return how far the recovery came before."""
        self.observed = self.authority.observe()
        return standing(loaded, self.backend.recoveries())

    def is_over(self, loaded: LoadedPlan, came: Standing) -> bool:
        """Return whether the recovery was carried out before."""
        return is_over(loaded, self.observed, came)

    def look(self, resolution: str) -> None:
        """Look at what is there, for a resolution that says anything about it."""
        self._resolution = resolution
        intent = self.observed.control.intent
        if resolution == ABANDONED or intent is None:
            return
        self.compile()
        with shown_progress(quiet=self.face.quiet) as watch:
            watch("Looking at what is there", 0, None)
            self._seen = look(intent, self.providers(), self.desired)

    def show(self) -> None:
        """Tell what was planned, how far it came, and what is there."""
        operation = operation_status(self.observed.control, None)
        self.data |= recovery_report.operation_data(operation, self._seen)
        self._say(recovery_report.operation_lines(operation, self._seen))

    def require_allowed(self) -> None:
        """Refuse a resolution that what is known does not allow."""
        require_allowed(self._resolution, self.observed, self._seen, self.desired, self._recovery_rules)

    def plan(self, recovery_operation_id: str) -> RecoveryPlan:
        """Return the plan of the resolution."""
        resources = None
        if self._seen is not None:
            resources = resources_after(self.observed, self._seen, self.desired)
        context = None
        if self._seen is not None:
            reference = state_reference(self.backend, self.observed)
            context = plan_context(self.project, self.artifacts, self.desired, self.removals, reference)
        return make_recovery_plan(
            self._resolution,
            recovery_operation_id,
            self.backend,
            self.observed,
            self._seen,
            resources,
            context,
        )

    def show_plan(self, plan: RecoveryPlan) -> None:
        """Tell what the resolution does."""
        self._say(recovery_report.plan_lines(plan, self.observed))

    def saved(self, path: Path, plan: RecoveryPlan, evidence: str) -> None:
        """Tell where the plan is, and how it is carried out."""
        command = recovery_report.recover_command(self._asked, path, plan, evidence)
        self.data |= recovery_report.plan_data(path, plan, evidence, command)
        self._say(recovery_report.saved_lines(path, command))

    def resolve(self, loaded: LoadedPlan) -> None:
        """Write the recovery down, and give the lock back."""
        plan = loaded.plan
        self._say(recovery_report.plan_lines(plan, self.observed))
        resources = None
        if plan.candidate_state is not None:
            resources = {name: Record(**record) for name, record in plan.candidate_state["resources"].items()}
        after = self.authority.resolve(resources, resolution_of(loaded)._asdict())
        self.data |= recovery_report.recovered_data(loaded, after.snapshot.serial, repeated=False)
        self._tell_operation(after)
        try:
            self.authority.release()
        except StateError as error:
            raise ReleaseAfterCommitError(
                f"everything is written down, and then: {error.message}",
                place=error.place,
                operation_id=plan.recovery_operation_id,
                suggestion="nothing has to be repeated; the lock ends with its process",
            ) from None
        self._say(recovery_report.recovered_lines(after.snapshot.serial))

    def verified(self, loaded: LoadedPlan) -> None:
        """Tell that the recovery was carried out before."""
        serial = self.observed.snapshot.serial
        self.data |= recovery_report.recovered_data(loaded, serial, repeated=True)
        self._tell_operation(self.observed)
        self._say(recovery_report.repeated_lines(loaded))

    def _tell_operation(self, observed: Observed) -> None:
        """Tell programs what is under way now, in the place of what was recovered."""
        told = operation_status(observed.control, None)
        self.data["operation_status"] = {key: value for key, value in told.items() if key != "process"}

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.face.say(line)
