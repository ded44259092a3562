"""What commands tell of a durable operation: plain values for programs, lines for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.cli.documents import DocumentResult
from streamt_ol.deploy.applying.records import label
from streamt_ol.deploy.applying.rollback import CREATING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.cli.deployment import Deployment
    from streamt_ol.deploy.applying.records import OperationFailedError, Report
    from streamt_ol.deploy.planning.records import Plan
    from streamt_ol.deploy.records import Action
    from streamt_ol.deploy.state.records import StateBackend
    from streamt_ol.ground.errors import Diagnostic
    from streamt_ol.project.records import Origins

_DELETING = frozenset({"delete", "cancel"})


@dataclass(frozen=True, slots=True)
class ApplyResult(DocumentResult):
    """A result that has data also where it has errors, and an exit status of its own."""

    failed_with: int = 1

    @property
    def exit_status(self) -> int:
        """Return 0 for success, else what the failure asks for."""
        return self.failed_with if self.errors else 0


def failed(deployment: Deployment, failure: OperationFailedError) -> ApplyResult:
    """Return the result of an operation that ended otherwise than asked for, with places in files."""
    origins = deployment.project.origins
    errors = [_placed(error, origins) for error in failure.errors]
    face = deployment.face
    return ApplyResult(face.command, deployment.data, face.warnings, errors, failure.exit_status)


def report_data(report: Report, unchanged: Sequence[str], serial: int) -> dict[str, Any]:
    """Return the data of section 2.7 of the runtime facts; `serial` is that of the state before."""
    done = {"created": _created(report.done), "updated": [], "deleted": []}
    for action in report.done:
        if action.action not in CREATING:
            done["deleted" if action.action in _DELETING else "updated"].append(label(action))
    failures = sum(action is not None for action in (report.failed, report.doubtful))
    return {
        "operation_id": report.operation_id,
        **done,
        "seen": {
            label(action): report.seen[action.resource_id]
            for action in report.done
            if action.resource_id in report.seen
        },
        "unchanged": list(unchanged),
        "not_started": [label(action) for action in report.untouched],
        "errors": [],
        "rollback_candidates": [],
        "summary": {
            "total": len(report.done) + failures + len(report.untouched) + len(unchanged),
            "succeeded": len(report.done),
            "failed": failures,
            "unchanged": len(unchanged),
        },
        "state_serial": serial if report.after is None else report.after.snapshot.serial,
        "committed": report.committed,
    }


def failure_data(failure: OperationFailedError) -> dict[str, Any]:
    """Return what is added to the data of an operation that ended otherwise than asked for."""
    report = failure.report
    return {
        "errors": [error.message for error in failure.errors],
        "rollback_candidates": [] if report.committed else _created(report.done),
        "rolled_back": [label(action) for action in report.undone],
        "not_rolled_back": [label(one.action) for one in report.kept],
        "rollback_errors": [
            f"{label(one.action)}: {one.reason}" for one in report.kept if one.action.action in CREATING
        ],
        "failed": None if report.failed is None else label(report.failed),
        "in_doubt": None if report.doubtful is None else label(report.doubtful),
        "operation_status": report.control,
    }


def forgotten_records(plan: Plan) -> list[str]:
    """Return what was gone already, whose records a commit gives up: `connector:NAME`."""
    return [f"{one.kind}:{one.name}" for one in plan.removals if one.verdict == "forget"]


def state_file(backend: StateBackend) -> dict[str, str]:
    """Return where the state is that was changed, if it is in a file."""
    from streamt_ol.deploy.state.local import LocalBackend  # an offline plan opens no state

    return {"state_file": str(backend.state_file.path)} if isinstance(backend, LocalBackend) else {}


def report_lines(report: Report, plan: Plan) -> Iterator[str]:
    """Yield what people read of an apply."""
    undone = {action.resource_id for action in report.undone}
    kept = {one.action.resource_id: one.reason for one in report.kept}
    for action in report.done:
        if action.resource_id in undone:
            yield _line(action, "done, and taken back")
        elif action.resource_id in kept:
            yield _line(action, f"done, and not taken back: {kept[action.resource_id]}")
        else:
            seen = report.seen.get(action.resource_id)
            yield _line(action, f"done: {seen}" if seen else "done")
    if report.failed is not None:
        yield _line(report.failed, "failed")
    if report.doubtful is not None:
        yield _line(report.doubtful, "not known to have ended")
    for action in report.untouched:
        yield _line(action, "not started")
    if report.committed:
        forgotten = forgotten_records(plan)
        yield from (f"{'forget':8}  {name}  its record: it is not there any more" for name in forgotten)
        steps = (
            f"{len(report.done)} done" if report.done else "Nothing done" if forgotten else "Nothing to do"
        )
        yield f"{steps}, {len(plan.unchanged)} unchanged. {_serial(report)}"
    yield f"Operation {report.operation_id}"


def _serial(report: Report) -> str:
    return "" if report.after is None else f"The state has serial {report.after.snapshot.serial}."


def _line(action: Action, outcome: str) -> str:
    return f"{action.action:8}  {label(action)}  {outcome}"


def _created(actions: Sequence[Action]) -> list[str]:
    return [label(action) for action in actions if action.action in CREATING]


def _placed(error: Diagnostic, origins: Origins) -> Diagnostic:
    if error.place is None and error.location is not None and error.location.startswith("/"):
        return error._replace(place=origins.place(error.location))
    return error
