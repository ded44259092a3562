"""What is told of a recovery: plain values for programs, lines for people."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.cli.state_status import FAILURES, STEPS, aligned

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from streamt_ol.cli.deployment import ChangeRequest
    from streamt_ol.deploy.recovery.recovery_file import LoadedPlan
    from streamt_ol.deploy.recovery.recovery_plan import RecoveryPlan
    from streamt_ol.deploy.recovery.targets import Seen, Target
    from streamt_ol.deploy.state.records import Observed

_STANDS: Final = {
    ("prior", False): "not there, as before",
    ("prior", True): "as it was before",
    ("candidate", False): "not there, as planned",
    ("candidate", True): "there, as planned",
    ("gone", False): "not there: it was stopped, or is lost",
    ("neither", False): "not there, and it was before",
    ("neither", True): "there, and neither as it was before nor as planned",
}
"""Where a resource stands, and whether it is there."""
_MEANS: Final = {
    "observed": "what is there is written down as the state",
    "rolled_back": "everything is as it was before",
    "abandoned_before_mutation": "nothing was begun, so the operation is dropped",
}


def operation_data(operation: Mapping[str, Any], seen: Seen | None) -> dict[str, Any]:
    """Return what did not end, and what is there of it."""
    return {
        "operation_status": {key: value for key, value in operation.items() if key != "process"},
        "targets": None if seen is None else [_target_data(target) for target in seen.targets],
    }


def operation_lines(operation: Mapping[str, Any], seen: Seen | None) -> Iterator[str]:
    """Yield what did not end, and what is there of it."""
    failure = operation["failure_code"]
    reason = "nothing is known of its end" if failure is None else FAILURES[failure]
    yield f"The {operation['kind']} of {operation['started_at']} did not end: {reason}."
    yield f"Operation {operation['operation_id']}, by {operation['actor']}"
    actions = operation["actions"]
    targets = {} if seen is None else {target.action.position: target for target in seen.targets}
    rows = []
    for one in actions:
        target = targets.get(one["index"])
        rows.append(
            [
                f"  {one['index'] + 1} of {len(actions)}",
                one["action"],
                "/".join(one["resource_id"].split("/")[-2:]),
                STEPS[one["status"]],
                "" if target is None else f"now: {_stands(target)}",
            ]
        )
    yield from aligned(rows)
    if not actions:
        yield "  without an action"


def plan_lines(plan: RecoveryPlan, observed: Observed) -> Iterator[str]:
    """Yield what a resolution does."""
    yield f"{plan.resolution}: {_MEANS[plan.resolution]}. No action is repeated, no service is changed."
    before, after = observed.snapshot, plan.candidate_state
    if after is None or after["serial"] == before.serial:
        yield f"The state stays as it is, with serial {before.serial}."
        return
    yield f"The state gets serial {after['serial']}, after {before.serial}:"
    resources = {name: record._asdict() for name, record in before.resources.items()}
    for name in sorted(resources.keys() | after["resources"].keys()):
        old, new = resources.get(name), after["resources"].get(name)
        if old != new:
            verb = "no record any more of" if new is None else "a record of" if old is None else "changes:"
            yield f"  {verb} {'/'.join(name.split('/')[-2:])}, {(new or old or {})['physical_name']}"


def plan_data(path: Path, plan: RecoveryPlan, evidence: str, command: str) -> dict[str, Any]:
    """Return what a recovery plan says, without what its file has besides."""
    return {
        "resolution": plan.resolution,
        "blocked_operation_id": plan.blocked_operation_id,
        "recovery_operation_id": plan.recovery_operation_id,
        "state_serial": plan.snapshot["serial"],
        "next_state_serial": (plan.candidate_state or plan.snapshot)["serial"],
        "evidence_checksum": evidence,
        "plan_file": str(path),
        "next_step": command,
    }


def recover_command(request: ChangeRequest, path: Path, plan: RecoveryPlan, evidence: str) -> str:
    """Return the command that carries a plan out."""
    where = ["-p", str(request.directory)]
    where += [] if request.environment is None else ["-e", request.environment]
    said = {
        "--plan": str(path),
        "--confirm-operation-id": plan.blocked_operation_id,
        "--confirm-resolution": plan.resolution,
        "--confirm-evidence-checksum": evidence,
    }
    return shlex.join(
        ["streamt", "state", "recover", *where, *(part for pair in said.items() for part in pair)]
    )


def saved_lines(path: Path, command: str) -> Iterator[str]:
    """Yield where the plan is, and what is next."""
    yield f"Saved to {path}. Nothing is recovered yet; if this is right:"
    yield f"  {command}"


def recovered_data(loaded: LoadedPlan, serial: int, *, repeated: bool) -> dict[str, Any]:
    """Return what a recovery left."""
    plan = loaded.plan
    return {
        "resolution": plan.resolution,
        "blocked_operation_id": plan.blocked_operation_id,
        "recovery_operation_id": plan.recovery_operation_id,
        "evidence_checksum": loaded.evidence_checksum,
        "state_serial": serial,
        "committed": True,
        "already_recovered": repeated,
    }


def recovered_lines(serial: int) -> Iterator[str]:
    """Yield that it is done."""
    yield f"Recovered. The state has serial {serial}, and the next operation may begin."


def repeated_lines(loaded: LoadedPlan) -> Iterator[str]:
    """Yield that it was done before."""
    plan = loaded.plan
    yield f"Operation {plan.blocked_operation_id} was recovered by this plan before: {plan.resolution}."
    yield "The history says so; nothing was looked at, and nothing was written."


def _target_data(target: Target) -> dict[str, Any]:
    return {
        "index": target.action.position,
        "resource_id": target.action.resource_id,
        "physical_name": target.action.physical_name,
        "stands": target.stands,
        "exists": target.live is not None,
    }


def _stands(target: Target) -> str:
    return _STANDS[target.stands, target.live is not None]
