"""Why a state is not read, not changed, or not known, one class per cause.

Source: sections 2.6 and 7 of the runtime facts. None of the messages holds a value of a state file.
"""

from __future__ import annotations

from typing import ClassVar

from streamt_ol.ground.errors import Diagnostic, Place, StreamtError


class StateError(StreamtError):
    """Base: something about the state of a project in an environment."""

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        place: Place | None = None,
        suggestion: str | None = None,
        operation_id: str | None = None,
    ) -> None:
        super().__init__(message, location=location, place=place, suggestion=suggestion)
        self.operation_id = operation_id

    def diagnostic(self) -> Diagnostic:
        """Return the record to show, which names the operation where there is one."""
        shown = super().diagnostic()
        if self.operation_id is None:
            return shown
        message = f"{shown.message} (operation {self.operation_id})"
        return shown._replace(message=message, operation_id=self.operation_id)


class StateInvalidError(StateError):
    """A state, control or history says something that none may say; nothing of it is used."""

    code: ClassVar[str] = "E411_STATE_INVALID"


class StateFileKindError(StateError):
    """Something else than a regular file stands where a state file belongs, or one that others may change."""

    code: ClassVar[str] = "E411_STATE_INVALID"


class OperationStepError(StateError):
    """A step of an operation that does not follow from those before it; nothing was written."""

    code: ClassVar[str] = "E411_STATE_INVALID"


class RecoveryRequiredError(StateError):
    """An operation is unfinished, so that no other may begin, nor this one be dropped."""

    code: ClassVar[str] = "E419_STATE_RECOVERY_REQUIRED"


class StateUnavailableError(StateError):
    """The place of the state cannot be reached, read or locked."""

    code: ClassVar[str] = "E420_STATE_BACKEND_UNAVAILABLE"


class HistoryFullError(StateError):
    """The history of recoveries takes no more; nothing was written."""

    code: ClassVar[str] = "E420_STATE_BACKEND_UNAVAILABLE"


class LockTimeoutError(StateError):
    """Somebody else kept the lock for too long."""

    code: ClassVar[str] = "E422_STATE_LOCK_TIMEOUT"


class LockLostError(StateError):
    """The lock is not held any more, so nothing may be changed."""

    code: ClassVar[str] = "E423_STATE_LOCK_LOST"


class ReleaseUnverifiedError(StateError):
    """Whether the lock was given back could not be verified."""

    code: ClassVar[str] = "E423_STATE_LOCK_LOST"


class StateConflictError(StateError):
    """What is written is not what was read before: somebody else has changed it; nothing was written."""

    code: ClassVar[str] = "E424_STATE_CONFLICT"


class UnknownOutcomeError(StateError):
    """A write failed, so that nobody can say for certain what will be read after a crash."""

    code: ClassVar[str] = "E425_STATE_UNKNOWN_OUTCOME"


class ReleaseAfterCommitError(StateError):
    """Everything is done and written, and then whether the lock was given back could not be verified."""

    code: ClassVar[str] = "E426_STATE_RELEASE_FAILED_AFTER_COMMIT"
