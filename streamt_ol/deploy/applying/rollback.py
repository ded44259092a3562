"""Taking back what was done before an action failed; exactly what was undone is told, and what was not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.applying.records import Kept
from streamt_ol.deploy.providers.errors import OutcomeUnknownError, ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamt_ol.deploy.records import Action, Provider
    from streamt_ol.deploy.state.records import Authority

CREATING = frozenset({"create", "register", "submit"})
"""Actions that bring something into being. Only these are taken back, nothing is changed back (R6)."""

_CHANGED = "what was there before is not changed back"
_REFUSED = "the service cannot take it back"
_NOT_TRIED = "not tried after the one before failed"
_NOT_WANTED = "nothing is taken back when the removal of a connector fails"


class Rollback:
    """What became of the actions that were done; it grows while they are taken back."""

    def __init__(self) -> None:
        self.undone: list[Action] = []
        self.kept: list[Kept] = []
        """What was not taken back, whether that was tried or not."""
        self.failed: list[Kept] = []
        """Of what is kept, that which should have been taken back."""


def roll_back(
    done: Sequence[Action],
    providers: Mapping[str, Provider],
    authority: Authority,
    tell: Callable[[Action, str], None],
    rollback: Rollback,
) -> None:
    """Take actions back, the last one first, as long as nothing fails; nothing of it is durable.

    So a job has ended before the topics that it writes are looked at. What becomes of them is added to
    `rollback`. Raises what the authority raises when the lock is lost.
    """
    for action in reversed(done):
        reason = _undo(action, providers[action.kind], authority, rollback)
        if reason is None:
            rollback.undone.append(action)
            tell(action, "undone")
            continue
        kept = Kept(action, reason)
        rollback.kept.append(kept)
        if action.action in CREATING:
            rollback.failed.append(kept)
        tell(action, "kept")


def leave(done: Sequence[Action], tell: Callable[[Action, str], None], rollback: Rollback) -> None:
    """Say of actions that they are not taken back, because their operation failed where nothing is."""
    for action in done:
        rollback.kept.append(Kept(action, _NOT_WANTED))
        tell(action, "kept")


def _undo(action: Action, provider: Provider, authority: Authority, rollback: Rollback) -> str | None:
    """Return why an action was not taken back; None where it was."""
    if action.action not in CREATING:
        return _CHANGED
    if rollback.failed:
        return _NOT_TRIED
    authority.check()
    try:
        if not provider.undo(action):
            return _REFUSED
    except (ProviderError, OutcomeUnknownError) as error:
        return error.message
    authority.check()
    return None
