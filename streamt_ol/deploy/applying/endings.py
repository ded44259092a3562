"""How a durable operation that failed ends: the table `failure-classes`, and what is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.applying.facts import FailedAction, FailureFacts
from streamt_ol.deploy.applying.records import label
from streamt_ol.deploy.providers.errors import OutcomeUnknownError, PreimageMovedError
from streamt_ol.deploy.state.errors import StateError
from streamt_ol.ground import bugs
from streamt_ol.ground.errors import Diagnostic, StreamtError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.applying.facts import Cause, Failing, Phase
    from streamt_ol.deploy.applying.records import Report
    from streamt_ol.deploy.applying.rollback import Rollback
    from streamt_ol.deploy.providers.errors import Failure
    from streamt_ol.deploy.records import Action
    from streamt_ol.engine.ruleset import RuleSet

BUG = "E590_INTERNAL"


class ActionFailedError(Exception):
    """A provider did not carry an action out; what was done before it has been taken back, as far as told."""

    def __init__(self, action: Action, reason: str, rollback: Rollback, cause: Cause) -> None:
        super().__init__(reason)
        self.cause = cause
        """By the table `failed-actions`."""
        self.action = action
        self.reason = reason
        self.rollback = rollback


class Ending(NamedTuple):
    """What a row of `failure-classes` says of one failure."""

    end: str
    """`cleared`, `marked` or `left`."""
    marker: str | None
    code: str | None
    """None: the error's own."""
    exit_status: int
    outcome: str

    def errors(
        self, error: BaseException, report: Report, locations: Mapping[str, str]
    ) -> tuple[Diagnostic, ...]:
        """Return what is told, the cause first."""
        if isinstance(error, StateError):
            error.operation_id = report.operation_id
        told = _told(error, self.code, locations)
        advice = (
            "nothing was changed" if self.end == "cleared" and report.control == "clear" else _advice(report)
        )
        first = told[0]._replace(suggestion=advice, operation_id=report.operation_id)
        return (first, *told[1:])


class Verdict(NamedTuple):
    """What a row of `failed-actions` says of one failure."""

    cause: Cause
    taken_back: bool
    """Whether what was done before is taken back."""


class Endings:
    """The ends of operations."""

    def __init__(self, rules: RuleSet) -> None:
        self._actions = rules.table("failed-actions")
        self._table = rules.table("failure-classes")

    def of_action(self, action: Action, error: Failure) -> Verdict:
        """Return what it means that a provider did not carry an action out for certain."""
        row = self._actions.decide(FailedAction("operation", action.kind, action.action, _failing(error)))
        return Verdict(row["cause"], row["taken_back"])

    def of(self, error: BaseException, phase: Phase) -> Ending:
        """Return what a failure in a phase of an operation asks for."""
        row = self._table.decide(FailureFacts("operation", _cause(error), phase))
        return Ending(row["end"], row.get("marker"), row.get("code"), row["exit"], row["outcome"])


def _failing(error: Failure) -> Failing:
    if isinstance(error, OutcomeUnknownError):
        return "unknown"
    return "moved" if isinstance(error, PreimageMovedError) else "refused"


def _cause(error: BaseException) -> Cause:
    if isinstance(error, ActionFailedError):
        return "rollback_failed" if error.rollback.failed else error.cause
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return "state_error" if isinstance(error, StateError) else "bug"


def _told(error: BaseException, code: str | None, locations: Mapping[str, str]) -> list[Diagnostic]:
    if isinstance(error, ActionFailedError):
        name = label(error.action)
        failed = Diagnostic(
            code or BUG,
            f"{name}: {error.action.action} failed: {error.reason}",
            locations.get(error.action.resource_id),
        )
        kept = [
            Diagnostic(
                code or BUG,
                f"{label(one.action)}: was not taken back: {one.reason}",
                locations.get(one.action.resource_id),
            )
            for one in error.rollback.failed
        ]
        return [failed, *kept]
    if isinstance(error, KeyboardInterrupt):
        return [Diagnostic(code or BUG, "interrupted before the command was done")]
    if isinstance(error, StreamtError):
        shown = error.diagnostic()
        return [shown._replace(code=code or shown.code)]
    return [Diagnostic(code or BUG, bugs.told(error))]


def _advice(report: Report) -> str:
    if report.committed:
        return "everything was done and the state says so: do not repeat it; `streamt state status` shows it"
    if report.control == "clear":
        return "`streamt state status` and `streamt plan` tell what is there"
    return (
        "nothing else may begin before this operation is recovered: `streamt state status` tells what is "
        "known of it, `streamt state recovery-plan` begins the recovery"
    )
