"""What an operation is carried out with: the state, services, and who is told of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from streamt_ol.deploy.applying.endings import Endings
    from streamt_ol.deploy.records import Action, Provider
    from streamt_ol.deploy.state.records import Authority, Intent


class Run(Protocol):
    """The run that events tell of; none of its methods raises because of a delivery."""

    def start(self) -> None:
        """Attempt START."""

    def finish(self, outcome: str) -> None:
        """Attempt the last event, of a run that was started."""


class NoRun:
    """The run of a command that sends no events."""

    def start(self) -> None:
        """Send nothing."""

    def finish(self, outcome: str) -> None:
        """Send nothing."""


Tell = Callable[["Action", str], None]
"""Called with an action and `starts`, `done`, `failed`, `undone` or `kept`."""


def _now() -> datetime:
    return datetime.now(timezone.utc)


class Means(NamedTuple):
    """What an operation is carried out with."""

    authority: Authority
    providers: Mapping[str, Provider]
    """Kind to what carries its actions out."""
    prepare: Callable[[Intent], AbstractContextManager[Run]]
    """Prepares the run of an intent; leaving the `with` closes its transport."""
    endings: Endings
    tell: Tell
    clock: Callable[[], datetime] = _now
