"""What a resolution makes of the state, where the table `recoveries` allows it.

A recovery repeats no action: it writes down what is there. Source: section 2.9 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.applying.next_state import recorded
from streamt_ol.deploy.planning.surfaces.registry import surfaces_of
from streamt_ol.deploy.recovery.errors import RecoveryRefusedError
from streamt_ol.deploy.recovery.facts import RecoveryAttempt
from streamt_ol.deploy.recovery.targets import kind_of, redeclared
from streamt_ol.deploy.state.operations import operation_of
from streamt_ol.deploy.state.state_file import state_checksum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.deploy.records import Desired
    from streamt_ol.deploy.recovery.facts import Evidence
    from streamt_ol.deploy.recovery.targets import Seen
    from streamt_ol.deploy.state.records import Observed, Record
    from streamt_ol.engine.ruleset import RuleSet


def require_allowed(
    resolution: str, observed: Observed, seen: Seen | None, desired: Sequence[Desired], rules: RuleSet
) -> None:
    """Raise `RecoveryRefusedError` where the table refuses a resolution.

    `seen` is what was looked at; None for a resolution that looks at nothing.
    """
    intent = operation_of(observed.control)
    evidence, names = _evidence(seen, desired)
    prior = (intent.prior_state_serial, intent.prior_state_checksum)
    now = (observed.snapshot.serial, state_checksum(observed.snapshot))
    attempt = RecoveryAttempt(
        at=intent.operation_id,
        resolution=resolution,
        progress="some" if observed.control.progress else "none",
        evidence=evidence,
        state="as_before" if prior == now else "written",
        names=", ".join(names),
    )
    decision = rules.table("recoveries").decide(attempt)
    if decision["verdict"] == "go_on":
        return
    suggestion = decision.get("suggestion")
    raise RecoveryRefusedError(
        decision["code"], decision["message"](attempt), suggestion=suggestion and suggestion(attempt)
    )


def resources_after(observed: Observed, seen: Seen, desired: Sequence[Desired]) -> dict[str, Record]:
    """Return what the state says of resources once each of the operation's is written down as it is there.

    What is as the operation made it has the record that a commit would have made. What is as it was keeps
    its record, and what is not there has none. Of a kind that goes on from an earlier state what is not there
    keeps its record, too: that there was one may be known nowhere else, and without it the next apply would
    begin again with nothing.
    """
    after = dict(observed.snapshot.resources)
    wanted = {one.resource_id: one for one in desired}
    for target in seen.targets:
        resource_id = target.action.resource_id
        if target.live is None:
            if not surfaces_of(kind_of(target.action)).restored:
                after.pop(resource_id, None)
        elif target.stands == "candidate":
            after[resource_id] = recorded(wanted[resource_id])
    return after


def _evidence(seen: Seen | None, desired: Sequence[Desired]) -> tuple[Evidence, list[str]]:
    if seen is None:
        return "as_before", []
    moved = [target.label for target in seen.targets if target.stands == "neither"]
    moved += [f"{kind_of(action)}:{action.physical_name}" for action in seen.unseen]
    if moved:
        return "moved", moved
    others = redeclared(seen, desired)
    if others:
        return "redeclared", list(others)
    done = [target.label for target in seen.targets if target.stands in {"candidate", "gone"}]
    return ("accounted", done) if done else ("as_before", [])
