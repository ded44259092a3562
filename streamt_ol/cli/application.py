"""The gates that an apply has for itself; their order is that of `applying.py`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamt_ol.cli import apply_report
from streamt_ol.cli.deployment import ChangeRequest, Deployment
from streamt_ol.cli.operating import perform
from streamt_ol.cli.plan_report import plan_data, show_lines
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.deploy.applying import selection
from streamt_ol.deploy.applying.next_state import next_resources
from streamt_ol.deploy.applying.records import Order
from streamt_ol.deploy.planning.context import plan_context, state_reference
from streamt_ol.deploy.planning.observing import observe
from streamt_ol.deploy.planning.plan_file import load_plan
from streamt_ol.deploy.planning.plan_text import Line, plan_lines
from streamt_ol.deploy.planning.plan_values import removal_assessments
from streamt_ol.deploy.planning.planning import plan
from streamt_ol.deploy.planning.removals import located, refuse_conflicts
from streamt_ol.deploy.planning.restores import restores_in
from streamt_ol.deploy.planning.reviewed import reviewed_plan
from streamt_ol.deploy.planning.staleness import require_context, require_current
from streamt_ol.deploy.planning.undeclared import undeclared, undeclared_lines, undeclared_values
from streamt_ol.deploy.state.state_file import next_snapshot
from streamt_ol.ground.errors import Diagnostic

if TYPE_CHECKING:
    from streamt_ol.cli.apply_report import ApplyResult
    from streamt_ol.cli.emission import Emission
    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.applying.records import OperationFailedError, Report
    from streamt_ol.deploy.planning.removals import Removal
    from streamt_ol.deploy.planning.restores import Restores
    from streamt_ol.deploy.planning.reviewed import ReviewedPlan

_DELETED = "connectors are deleted with their configuration, which nothing here brings back"


@dataclass(frozen=True, slots=True)
class ApplyRequest(ChangeRequest):
    """What is asked of an apply."""

    target: str | None
    select: str | None
    force: bool
    dry_run: bool
    plan_file: str | None
    restores: Restores
    emission: Emission


class Application(Deployment):
    """An apply at work."""

    def __init__(self, request: ApplyRequest, face: Face) -> None:
        super().__init__(request, face, request.plan_file)
        self._request = request
        self._reviewed: ReviewedPlan | None = None
        self._selective = request.target is not None or request.select is not None
        self._located: tuple[Removal, ...] = ()

    def refuse_mixed_options(self) -> None:
        """Refuse options that exclude each other, and removals of connectors that nobody reviewed."""
        request = self._request
        connectors = any(removal.kind == "connector" for removal in self.removals)
        unreviewed = request.plan_file is None or request.dry_run or self._selective
        self.gates.at("connector_removals", connector_removal_unreviewed=connectors and unreviewed)
        self.gates.at("options", plan_with_selection=request.plan_file is not None and self._selective)
        local = connectors and self.backend_kind == "local"
        self.gates.at("connector_state", connector_removal_local=local)

    def require_review(self) -> None:
        """Read the reviewed plan, which some environments demand."""
        path = self._request.plan_file
        missing = self.demands.reviewed_plan and path is None
        if missing:
            self.data |= self._workflow()
        self.gates.at("reviewed_plan", reviewed_plan_missing=missing)
        if path is not None:
            self._reviewed = load_plan(Path(path))
        self.gates.at("plan_file", plan_offline=self._reviewed is not None and self._reviewed.offline)

    def compile(self) -> None:
        """Compile the project, whose removals of rules need a review, too."""
        super().compile()
        rules = any(removal.kind == "gateway_rule" for removal in self.removals)
        unreviewed = self._request.plan_file is None or self._selective
        self.gates.at("gateway_removals", gateway_removal_unreviewed=rules and unreviewed)
        self._decide_restores()

    def _decide_restores(self) -> None:
        """Take what is said of the state of jobs: of a reviewed plan, what was said when it was made."""
        said = self._request.restores
        said.require_known(self.desired)
        reviewed = self._reviewed
        self._restores = said if reviewed is None else restores_in(reviewed.document["actions"], self.desired)
        beyond = said.beyond(self._restores)
        self.gates.at("restores", beyond or "", restore_unreviewed=beyond is not None)

    def locate_removals(self, kind: str) -> None:
        """Find out which services hold what is to be removed of a kind; none of them is asked yet."""
        of_kind = [removal for removal in self.removals if removal.kind == kind]
        refuse_conflicts(of_kind, self.desired)
        self._located += located(of_kind, self.project, self.observed.snapshot, self.rules)

    def require_context(self) -> None:
        """Refuse a reviewed plan that was made of another project, runtime or state."""
        state = state_reference(self.backend, self.observed)
        self._context = plan_context(self.project, self.artifacts, self.desired, self.removals, state)
        if self._reviewed is not None:
            require_context(self._reviewed, self._context)

    def select(self) -> None:
        """Leave only what was selected of what the project wants."""
        request = self._request
        chosen = selection.select(self.graph, request.target, request.select, self.gates)
        self.wanted = self.desired if chosen is None else chosen.of(self.desired)

    def make_plan(self) -> None:
        """Look at what is there, and plan."""
        self._providers = self.providers()
        with shown_progress(quiet=self.face.quiet) as watch:
            watch("Looking at what is there", 0, None)
            live = observe(self.wanted, self._providers, self._located)
        self.plan = plan(self.wanted, self.observed.snapshot, live, self.rules, self._located, self._restores)
        self._undeclared = undeclared(
            self.plan, self.observed.snapshot, self.desired, self._located, self.rules
        )

    def require_current(self) -> None:
        """Refuse a reviewed plan that is not the one that would be made now."""
        current = reviewed_plan(self._context, self.plan)
        if self._reviewed is not None:
            require_current(self._reviewed, current)
        if not self._selective:
            self.data["plan_checksum"] = (self._reviewed or current).checksum

    def refuse_blocked(self) -> None:
        """Refuse a plan of which no part can be applied."""
        if self.plan.is_apply_blocked:
            self._show_plan()
        self.gates.blocked(self.plan)

    def refuse_deletions(self) -> None:
        """Refuse deletions that the environment does not allow, unless they are forced."""
        deleted = [action for action in self.plan.actions if action.after is None]
        locked = bool(deleted) and self.demands.force and not self._request.force
        names = ", ".join(f"{action.kind}:{action.physical_name}" for action in deleted)
        self.gates.at("deletions", names, deletion_locked=locked)

    def shown(self) -> ApplyResult:
        """Show the plan of a dry run."""
        self.data["dry_run"] = True
        self._show_plan()
        return apply_report.ApplyResult(self.face.command, self.data, self.face.warnings)

    def _show_plan(self) -> None:
        self.data |= plan_data(self.plan, self.observed, self._undeclared)
        show_lines(plan_lines(self.plan, self.project.origins), self.face)
        show_lines(undeclared_lines(self._undeclared), self.face)

    def carry_out(self) -> Report:
        """Carry the plan out, as one durable operation."""
        prior = self.observed.snapshot
        after = next_resources(prior.resources, self.wanted, self.plan)
        next_snapshot(prior, after)  # whatever no state may hold is found before anything is done
        self._warn_of_deletions()
        order = Order(
            kind="apply",
            actions=self.plan.executable,
            resources=None if after == prior.resources else after,
            expected=self.observed,
            reviewed_plan_checksum=None if self._reviewed is None else self._reviewed.checksum,
            locations={
                **{one.resource_id: one.at for one in self.wanted},
                **{one.resource_id: one.at for one in self._located},
            },
        )
        if self._reviewed is None and self.plan.has_changes:  # what was reviewed was seen
            show_lines([*plan_lines(self.plan, self.project.origins), Line("")], self.face)
        return perform(self, order, self._providers, self._request.emission)

    def _warn_of_deletions(self) -> None:
        connectors = ", ".join(
            action.physical_name
            for action in self.plan.executable
            if action.kind == "connector" and action.after is None
        )
        if connectors:
            self.face.warnings.append(
                Diagnostic("W119_CONNECTOR_REMOVAL_DESTRUCTIVE", f"{_DELETED}: {connectors}")
            )

    def applied(self, report: Report) -> ApplyResult:
        """Show what was done."""
        self._tell(report)
        return apply_report.ApplyResult(self.face.command, self.data, self.face.warnings)

    def failed(self, failed: OperationFailedError) -> ApplyResult:
        """Show what was done of an operation that ended otherwise."""
        self._tell(failed.report)
        self.data |= apply_report.failure_data(failed)
        return apply_report.failed(self, failed)

    def _tell(self, report: Report) -> None:
        names = {one.resource_id: f"{one.kind}:{one.physical_name}" for one in self.wanted}
        unchanged = [names[resource_id] for resource_id in self.plan.unchanged]
        self.data |= apply_report.report_data(report, unchanged, self.observed.snapshot.serial)
        self.data |= removal_assessments(self.plan)
        self.data["undeclared"] = undeclared_values(self._undeclared)
        self.data["forgotten"] = apply_report.forgotten_records(self.plan) if report.committed else []
        if self._request.plan_file is not None:
            self.data["plan_file"] = str(Path(self._request.plan_file).absolute())
        if report.after is not None and report.after.snapshot != self.observed.snapshot:
            self.data |= apply_report.state_file(self.backend)
        for line in apply_report.report_lines(report, self.plan):
            self.face.say(line)
        if report.committed:
            show_lines(undeclared_lines(self._undeclared), self.face)

    def _workflow(self) -> dict[str, Any]:
        """Return how an environment is changed that takes reviewed plans only."""
        safety = self.project.environment.safety
        reasons = ["protected"] if self.project.environment.protected else []
        if safety.get("require_reviewed_plan"):
            reasons.append("safety.require_reviewed_plan")
        common = ["-p", str(self._request.directory), "-e", self.environment]
        return {
            "environment": self.environment,
            "policy": reasons,
            "required_workflow": "reviewed_plan",
            "next_steps": [
                shlex.join(["streamt", "plan", *common, "--out", self.plan_file]),
                shlex.join(["streamt", "apply", *common, "--plan", self.plan_file, *self._confirmation()]),
            ],
        }

    def _confirmation(self) -> list[str]:
        return ["--confirm-env", self.environment] if self.demands.confirmation else []
