"""What an operation is given, and what is told of it when it ends."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.records import Action
    from streamt_ol.deploy.state.records import Observed, Record
    from streamt_ol.ground.errors import Diagnostic


class Order(NamedTuple):
    """What is to be done: planned, reviewed where that is asked for, and past every gate."""

    kind: str
    """`apply` or `adopt`."""
    actions: tuple[Action, ...]
    resources: Mapping[str, Record] | None
    """What the state will say of resources; None where it says so already."""
    expected: Observed
    """State and control as they were planned with."""
    reviewed_plan_checksum: str | None
    locations: Mapping[str, str]
    """Resource id to the pointer of its declaration."""


def label(action: Action) -> str:
    """Return an action's resource as people are told of it: `topic:NAME`."""
    return f"{action.kind}:{action.physical_name}"


class Kept(NamedTuple):
    """An action that was done and was not taken back, and why."""

    action: Action
    reason: str


class Report(NamedTuple):
    """How far an operation came, and what it left."""

    operation_id: str
    done: tuple[Action, ...] = ()
    """Actions that the provider carried out and the state knows of, in order."""
    seen: Mapping[str, str] = MappingProxyType({})
    """Resource id to what the provider saw of what it carried out, where it told that."""
    failed: Action | None = None
    """The action that the provider certainly did not carry out, or not as a whole."""
    doubtful: Action | None = None
    """The action that was started last and is not known to have ended."""
    untouched: tuple[Action, ...] = ()
    """Actions that were not started."""
    undone: tuple[Action, ...] = ()
    """What was done and then taken back."""
    kept: tuple[Kept, ...] = ()
    """What was done and not taken back, of an operation that took back what it could."""
    committed: bool = False
    after: Observed | None = None
    """State and control after the commit."""
    control: str = "clear"
    """What the control says now: `clear`, `in_progress` or `recovery_required`."""


class OperationFailedError(Exception):
    """A durable operation ended otherwise than asked for; nothing is left to do but to tell it."""

    def __init__(self, errors: tuple[Diagnostic, ...], exit_status: int, report: Report) -> None:
        super().__init__(errors[0].message)
        self.errors = errors
        """The cause first; more where the rollback failed, too, or the provider and then the state."""
        self.exit_status = exit_status
        self.report = report
