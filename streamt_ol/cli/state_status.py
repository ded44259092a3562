"""What the state of a project is, in words: what it owns, what is under way, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.cli.face import diagnostics
from streamt_ol.cli.loading import load
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.report import Result
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.deploy.state.errors import StateError
from streamt_ol.deploy.state.opening import open_state
from streamt_ol.deploy.state.operations import CLEAR, last_completed
from streamt_ol.deploy.state.state_file import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.state.records import Control, Intent, Observed

FAILURES: Final = {
    "runtime_action_failed": "an action failed",
    "rollback_incomplete": "an action failed, and not everything before it could be taken back",
    "connector_removal_drift": "a connector to be removed was not the planned one, or did not go",
    "operation_interrupted": "it was interrupted",
    "state_commit_uncertain": "every action is over, and whether the state was written is not known",
}
"""Failure codes of operations in words."""
STEPS: Final = {
    "not_started": "not started",
    "started": "started, and not known to have ended",
    "succeeded": "done",
    "failed": "failed",
}
"""How far an action came, in words."""
_NOBODY: Final = {
    "local": "no process is written in the lock file",
    "postgres": "nobody holds the lock: its process has ended, or has lost its connection",
}
"""What is said where no process is known, by backend."""
_PLAN: Final = "streamt state recovery-plan --resolution"


def tell_status(
    directory: Path, environment: str | None, process_environment: Mapping[str, str], face: Face
) -> Result:
    """Return what is written; in text mode it is already on stdout.

    Raises what loading a project raises; what is wrong with its state is a result, with its place.
    """
    rules = face.load_rules(COMPILER_NEEDS)
    with shown_progress(quiet=face.quiet) as watch:
        loaded = load(directory, environment, process_environment, rules, face, watch)
    project = loaded.project
    try:
        backend = open_state(project, loaded.variables, face.load_rules)
        observed = backend.observe()
        process = None if observed.control.intent is None else backend.process()
    except StateError as error:
        return Result(face.command, errors=diagnostics(error, project.origins), warnings=project.warnings)
    operation = operation_status(observed.control, process)
    data = {
        "address": backend.address,
        "backend": backend.kind,
        "exists": observed.state_revision != ABSENT,
        "serial": observed.snapshot.serial,
        "resource_count": len(observed.snapshot.resources),
        "resources": _resources(observed),
        "operation_status": operation,
    }
    for name, value in _lines(data):
        face.say(f"{name:9}  {value}" if name else f"           {value}")
    return Result(face.command, data=data, warnings=project.warnings)


def operation_status(control: Control, process: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what is known of the operation, as plain values; `process` is who took the lock last."""
    intent, recovery = control.intent, control.recovery
    if intent is None:
        return {"status": CLEAR}
    return {
        "status": control.status,
        "operation_id": intent.operation_id,
        "kind": intent.kind,
        "actor": intent.actor,
        "started_at": intent.started_at,
        "process": None if process is None else dict(process),
        "failure_code": None if recovery is None else recovery.failure_code,
        "failed_at": None if recovery is None else recovery.failed_at,
        "last_completed_action_index": last_completed(control),
        "actions": _actions(intent, control),
        "next_step": _next_step(control, process),
    }


def _actions(intent: Intent, control: Control) -> list[dict[str, Any]]:
    progress = {entry.action_index: entry for entry in control.progress}
    actions = []
    for action in intent.actions:
        entry = progress.get(action.position)
        words = {None: "started", True: "succeeded", False: "failed"}
        actions.append(
            {
                "index": action.position,
                "action": action.action,
                "resource_id": action.resource_id,
                "status": "not_started" if entry is None else words[entry.succeeded],
            }
        )
    return actions


def _next_step(control: Control, process: Mapping[str, Any] | None) -> str:
    unfinished = control.recovery is None
    holder = process if unfinished and process is not None else {"running": False}
    if holder["running"]:
        return "wait for its process to end, then look again"
    sure = f"make sure that it has ended on {holder['host']}; then " if holder["running"] is None else ""
    if not control.progress and unfinished:
        return f"{sure}`{_PLAN} abandoned_before_mutation --out FILE` drops it, for no action has started"
    return f"{sure}`{_PLAN} observed --out FILE` looks at what is there"


def _resources(observed: Observed) -> list[dict[str, Any]]:
    resources = observed.snapshot.resources
    return [{"resource_id": name, **resources[name]._asdict()} for name in sorted(resources)]


def _lines(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what people read: a name, or none for a line that goes on, and what it says."""
    yield "state", data["address"]
    yield "serial", str(data["serial"]) if data["exists"] else "0, nothing was ever written"
    yield from _operation_lines(data["operation_status"], _NOBODY[data["backend"]])
    resources = data["resources"]
    yield "resources", str(len(resources)) if resources else "none"
    rows = [
        [_short(one["resource_id"]), one["physical_name"], one["ownership"], one["backend"]]
        for one in resources
    ]
    for line in aligned(rows):
        yield "", line


def _operation_lines(operation: Mapping[str, Any], nobody: str) -> Iterator[tuple[str, str]]:
    if operation["status"] == CLEAR:
        yield "operation", "none is under way"
        return
    failure = operation["failure_code"]
    outcome = "has not ended" if failure is None else f"must be recovered: {FAILURES[failure]}"
    yield "operation", f"{operation['kind']} of {operation['started_at']} {outcome}"
    yield "", f"id {operation['operation_id']}, by {operation['actor']}"
    if failure is None:
        process = operation["process"]
        yield "", nobody if process is None else process_words(process)
    else:
        yield "", f"{failure} at {operation['failed_at']}"
    actions = operation["actions"]
    if not actions:
        yield "", "without an action"
    rows = [
        [
            f"{one['index'] + 1} of {len(actions)}",
            one["action"],
            _short(one["resource_id"]),
            STEPS[one["status"]],
        ]
        for one in actions
    ]
    for line in aligned(rows):
        yield "", line
    yield "next", operation["next_step"]


def process_words(process: Mapping[str, Any]) -> str:
    """Return who holds a lock, or had it last, and whether that is at work."""
    since = f", since {process['started_at']}" if process["started_at"] else ""
    who = f"process {process['pid']} on {process['host']}{since}"
    if process["pid"] is None:
        who = f"{process['application'] or 'another program'}, server process {process['backend_pid']}"
    running = {True: "is at work", False: "has ended", None: "is on another machine, perhaps at work"}
    return f"{who}, {running[process['running']]}"


def _short(resource_id: str) -> str:
    """Return `KIND/NAME` of a resource id: project and environment are those of the state."""
    return "/".join(resource_id.split("/")[-2:])


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows as lines, every column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
