"""Why nothing is applied or adopted, one class per cause; gates have their code from their table."""

from __future__ import annotations

from typing import ClassVar

from streamt_ol.ground.errors import StreamtError


class GateError(StreamtError):
    """A gate is closed, under the code of its row: nothing durable was written, and no run event sent."""

    def __init__(self, code: str, message: str, *, suggestion: str | None = None) -> None:
        super().__init__(message, suggestion=suggestion)
        # Decided per gate, by a table: what a class says elsewhere is said by the instance here.
        self.code = code  # type: ignore[misc]


class AdoptTargetError(StreamtError):
    """What is to be adopted is nothing that the project declares as adopted."""

    code: ClassVar[str] = "E412_ADOPT_TARGET_INVALID"


class AdoptLiveMissingError(StreamtError):
    """What is to be adopted does not exist."""

    code: ClassVar[str] = "E413_ADOPT_LIVE_MISSING"


class AdoptConfirmationError(StreamtError):
    """Nobody confirmed that the resource is to be adopted."""

    code: ClassVar[str] = "E414_ADOPT_CONFIRMATION"


class AdoptConflictError(StreamtError):
    """The state already says whose the resource is."""

    code: ClassVar[str] = "E415_ADOPT_CONFLICT"


class AdoptFailedError(StreamtError):
    """The resource is not what was shown any more, so it was not adopted."""

    code: ClassVar[str] = "E416_ADOPT_FAILED"
