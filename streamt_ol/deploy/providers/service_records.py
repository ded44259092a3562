"""What is said of a request to a service over HTTP, and of a change of which nobody knows what became.

Source: decisions R5 and R8 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from streamt_ol.deploy.providers.errors import Failure

Standing = Literal["before", "after", "neither"]
"""What is there after a change in doubt: what was there before it, what it was to make, or something else."""
Doubt = Literal["", "answered", "unanswered"]
"""Whether attempts may have changed something: none, only ones that were answered, or one that was not."""


class About(NamedTuple):
    """What a request is about, in words."""

    what: str
    """`connector 'x'`."""
    asked: str = "shown"
    """What is to become of it: `created`."""
    secrets: tuple[str, ...] = ()
    """What the request holds that no message may."""

    def __repr__(self) -> str:
        """Leave out the secrets."""
        return f"About({self.what!r}, {self.asked!r})"


class InDoubtError(Exception):
    """Nobody knows whether a change was carried out; to be settled by who asked for it, never shown."""

    def __init__(self, unknown: Failure, refused: Failure, *, answered: bool) -> None:
        super().__init__(unknown.message)
        self.unknown = unknown
        """What is told as long as nobody knows."""
        self.refused = refused
        """What is told once it is known that nothing was changed."""
        self.answered = answered
        """Whether the service is done with it: then what is there is what became of it."""
