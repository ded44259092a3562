"""What `streamt plan` shows: a difference for people, plain values for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from streamt_ol.cli.documents import painted
from streamt_ol.cli.report import printable, write_stdout
from streamt_ol.deploy.planning import plan_values
from streamt_ol.deploy.planning.undeclared import undeclared_values
from streamt_ol.ground.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.planning.plan_text import Line
    from streamt_ol.deploy.planning.records import Plan
    from streamt_ol.deploy.planning.undeclared import Undeclared
    from streamt_ol.deploy.state.records import Control, Observed


def plan_data(
    plan: Plan, observed: Observed | None, undeclared: Sequence[Undeclared] | None
) -> dict[str, Any]:
    """Return the data of the envelope; the last two are None for a plan that was made offline."""
    return {
        "offline": plan.offline,
        "summary": plan.summary,
        "creates": plan.creates,
        "updates": plan.updates,
        "deletes": plan.deletes,
        "undecided": plan.undecided,
        "has_changes": plan.has_changes,
        "is_apply_blocked": plan.is_apply_blocked,
        "risk_summary": plan_values.risk_summary(plan),
        "change_risks": plan_values.change_risks(plan),
        "state_serial": None if observed is None else observed.snapshot.serial,
        "operation_status": operation_status(None if observed is None else observed.control),
        "changes": plan_values.resource_changes(plan),
        "ownership_requirements": plan_values.ownership_requirements(plan),
        "safety_blockers": plan_values.safety_blockers(plan),
        **plan_values.removal_assessments(plan),
        "undeclared": undeclared_values(undeclared),
    }


def operation_status(control: Control | None) -> dict[str, Any]:
    """Return the operation that is under way or unfinished; of a state that nobody read it is unavailable."""
    intent = None if control is None else control.intent
    recovery = None if control is None else control.recovery
    return {
        "status": "unavailable" if control is None else control.status,
        "operation_id": intent and intent.operation_id,
        "kind": intent and intent.kind,
        "failure_code": recovery and recovery.failure_code,
        "last_completed_action_index": recovery and recovery.last_completed_action_index,
    }


def show_lines(lines: Iterable[Line], face: Face) -> None:
    """Print lines, on a terminal with their colours; nothing in JSON mode or when quiet."""
    if face.output == "json" or face.quiet:
        return
    shown = [line._replace(text=printable(redact(line.text))) for line in lines]
    if sys.stdout is not None and sys.stdout.isatty():
        write_stdout(_coloured(shown).encode())
    else:
        write_stdout("".join(f"{line.text}\n" for line in shown).encode())


def _coloured(lines: Iterable[Line]) -> str:
    from rich.text import Text  # only people who look at plans wait for it

    return painted((Text(line.text, style=line.style) for line in lines), soft_wrap=True)
