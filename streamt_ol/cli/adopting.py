"""An adoption, step by step: what is looked at and shown, and what is asked before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamt_ol.cli import apply_report
from streamt_ol.cli.apply_report import ApplyResult
from streamt_ol.cli.confirming import answered, can_ask
from streamt_ol.cli.deployment import ChangeRequest, Deployment, NotSoundError
from streamt_ol.cli.face import diagnostics
from streamt_ol.cli.operating import perform
from streamt_ol.cli.plan_report import show_lines
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.deploy.applying.adopting import (
    find_target,
    given_up,
    refuse_absent,
    refuse_moved,
    refuse_other_records,
)
from streamt_ol.deploy.applying.errors import AdoptConfirmationError
from streamt_ol.deploy.applying.live_text import given_up_lines, live_lines, live_values
from streamt_ol.deploy.applying.next_state import recorded
from streamt_ol.deploy.applying.records import OperationFailedError, Order
from streamt_ol.deploy.planning.observing import wanted
from streamt_ol.deploy.planning.plan_text import Line, plan_lines
from streamt_ol.deploy.planning.plan_values import resource_changes
from streamt_ol.deploy.planning.planning import plan
from streamt_ol.deploy.state.operations import require_clear
from streamt_ol.ground.errors import Failures, StreamtError

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.applying.records import Report
    from streamt_ol.deploy.records import Live
    from streamt_ol.deploy.state.records import Record


@dataclass(frozen=True, slots=True)
class AdoptRequest(ChangeRequest):
    """What is asked of an adoption."""

    resource: str
    """`KIND:NAME`."""
    dry_run: bool


def adopt_resource(request: AdoptRequest, face: Face) -> ApplyResult:
    """Return the result of an adoption; in text mode what it did is already on stdout.

    Raises what loading the project raises. Nobody is asked while the lock is held, so what was shown is
    looked at again under it.
    """
    adoption = _Adoption(request, face)
    try:
        adoption.require_remote_state()
        adoption.validate()
        adoption.compile()
        adoption.find()
        adoption.look()
        adoption.show()
        if request.dry_run:
            return adoption.shown()
        adoption.confirm()
        adoption.confirm_resource()
        with adoption.locked():
            adoption.read_state()
            adoption.look_again()
            report = adoption.carry_out()
    except OperationFailedError as failed:
        return adoption.failed(failed)
    except NotSoundError as error:
        return ApplyResult(face.command, adoption.data, face.warnings, error.errors)
    except (StreamtError, Failures) as error:
        errors = diagnostics(error, adoption.project.origins)
        return ApplyResult(face.command, adoption.data, face.warnings, errors)
    return adoption.adopted(report)


class _Adoption(Deployment):
    def __init__(self, request: AdoptRequest, face: Face) -> None:
        super().__init__(request, face)
        self._request = request

    def find(self) -> None:
        self._providers = self.providers()
        self._target = find_target(self._request.resource, self.desired, self._providers.keys())

    def look(self) -> None:
        self.observed = self.backend.observe()
        require_clear(self.observed.control)
        self._given_up = self._records_given_up()
        self._live = self._seen()

    def show(self) -> None:
        target = self._target
        resources = self._resources()
        then = plan(
            (target,),
            self.observed.snapshot._replace(resources=resources),
            {target.kind: {target.physical_name: self._live}},
            self.rules,
        )
        self.data |= {
            "resource_id": target.resource_id,
            "kind": target.kind,
            "physical_name": target.physical_name,
            "live": live_values(self._live),
            "changes": resource_changes(then),
            "given_up": sorted(self._given_up),
        }
        show_lines(live_lines(self._live), self.face)
        show_lines(given_up_lines(self._given_up), self.face)
        next_plan = plan_lines(then, self.project.origins)
        show_lines([Line("What the next apply would then do:", "bold"), *next_plan], self.face)

    def shown(self) -> ApplyResult:
        self.data["dry_run"] = True
        return ApplyResult(self.face.command, self.data, self.face.warnings)

    def confirm_resource(self) -> None:
        name = self._target.physical_name
        if self._request.confirm:
            return
        if not can_ask():
            raise AdoptConfirmationError(
                "nobody confirmed the adoption, and there is no terminal to ask at",
                suggestion="look at what --dry-run shows, then add --confirm",
            )
        if answered(f"Type the name of the {self._target.kind} to adopt it") != name:
            raise AdoptConfirmationError(f"the answer is not the name of the resource, '{name}'")

    def look_again(self) -> None:
        refuse_other_records(self._given_up, self._records_given_up())
        refuse_moved(self._live, self._seen())

    def carry_out(self) -> Report:
        target = self._target
        order = Order(
            kind="adopt",
            actions=(),
            resources=self._resources(),
            expected=self.observed,
            reviewed_plan_checksum=None,
            locations={target.resource_id: target.at},
        )
        return perform(self, order, self._providers, None)

    def adopted(self, report: Report) -> ApplyResult:
        self._tell(report)
        name = f"{self._target.kind}:{self._target.physical_name}"
        self.face.say(f"{name} is adopted. The state has serial {self.data['state_serial']}.")
        self.face.say(f"Operation {report.operation_id}")
        return ApplyResult(self.face.command, self.data, self.face.warnings)

    def failed(self, failure: OperationFailedError) -> ApplyResult:
        self._tell(failure.report)
        self.data["operation_status"] = failure.report.control
        return apply_report.failed(self, failure)

    def _tell(self, report: Report) -> None:
        after = report.after or self.observed
        self.data |= {
            "operation_id": report.operation_id,
            "committed": report.committed,
            "state_serial": after.snapshot.serial,
        }

    def _records_given_up(self) -> dict[str, Record]:
        declared = {one.resource_id for one in self.desired}
        return given_up(self._target, self.observed.snapshot, declared)

    def _resources(self) -> dict[str, Record]:
        prior = self.observed.snapshot.resources
        kept = {one: record for one, record in prior.items() if one not in self._given_up}
        return {**kept, self._target.resource_id: recorded(self._target)}

    def _seen(self) -> Live:
        target = self._target
        with shown_progress(quiet=self.face.quiet) as watch:
            watch("Looking at what is there", 0, None)
            live = self._providers[target.kind].observe([wanted(target)])[target.physical_name]
        refuse_absent(target, live)
        return live
