"""Why no run of a command begins, one class per cause, and how little its messages say."""

from __future__ import annotations

from typing import ClassVar

from streamt_ol.ground.errors import StreamtError
from streamt_ol.ground.redaction import redact

MOST = 1024
"""Characters of the message of a failure that lets nothing begin (section 5.4 of the runtime facts)."""
_NOTHING_SAID = "run events cannot be sent"


class RunError(StreamtError):
    """Base: nothing was done and nothing was sent."""

    code: ClassVar[str] = "E506_OPENLINEAGE_INVALID"


class RunEventInvalidError(RunError):
    """A run event, or a pair of them, breaks a rule; `location` is `/N/...` in the pair, START being 0."""


class RunEventsError(RunError):
    """The events that the run would send cannot be made, or do not pass their check."""

    def __init__(self) -> None:
        super().__init__("the run events of this command cannot be made valid", location="openlineage.events")


class TransportSetupError(RunError):
    """The transport is configured and could not be set up."""

    def __init__(self) -> None:
        super().__init__("the transport of run events cannot be set up", location="openlineage")


def make_safe(error: StreamtError) -> None:
    """Strike out and shorten what an error says, and let go of the errors behind it."""
    error.reword(redact(error.message).strip()[:MOST] or _NOTHING_SAID)
    error.__cause__ = error.__context__ = None
