"""Why nothing is recovered, one class per cause."""

from __future__ import annotations

from typing import ClassVar

from streamt_ol.ground.errors import StreamtError


class NothingToRecoverError(StreamtError):
    """No operation is unfinished."""

    code: ClassVar[str] = "E424_STATE_CONFLICT"


class RecoveryRefusedError(StreamtError):
    """What is known does not allow the resolution, under the code of its row; nothing was written."""

    def __init__(self, code: str, message: str, *, suggestion: str | None = None) -> None:
        super().__init__(message, suggestion=suggestion)
        # Decided per attempt, by a table: what a class says elsewhere is said by the instance here.
        self.code = code  # type: ignore[misc]


class RecoveryPlanFileError(StreamtError):
    """A file is no recovery plan, was changed, or could not be read or written."""

    code: ClassVar[str] = "E408_PLAN_FILE_INVALID"


class RecoveryConfirmationError(StreamtError):
    """What is confirmed is not what the recovery plan says, or has not its form."""

    code: ClassVar[str] = "E503_ENVIRONMENT_ERROR"


class StaleRecoveryPlanError(StreamtError):
    """What a recovery plan was made from has changed since."""

    code: ClassVar[str] = "E409_PLAN_STALE"
