"""Why an action is not carried out as planned, one class per cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.ground.errors import StreamtError

if TYPE_CHECKING:
    from streamt_ol.services.errors import ServiceError


class ProviderError(StreamtError):
    """Base: a service did not do what was asked of it, and it is known that it did not.

    `done` says in words what was carried out before all the same: an update has several steps.
    """

    done: tuple[str, ...] = ()


class RequestRefusedError(ProviderError):
    """The service was not reached, or refused. The code is that of the cause, by a table."""

    def __init__(
        self, code: str, message: str, *, location: str | None = None, suggestion: str | None = None
    ) -> None:
        super().__init__(message, location=location, suggestion=suggestion)
        # Decided per error, by a table: what a class says elsewhere is said by the instance here.
        self.code = code  # type: ignore[misc]


class PreimageMovedError(ProviderError):
    """What is there is not what the plan was made for (decision R4). `fields` says what of it moved."""

    code = "E407_DEPLOY_ERROR"

    def __init__(self, message: str, fields: tuple[str, ...]) -> None:
        super().__init__(message)
        self.fields = fields


class OutcomeUnknownError(StreamtError):
    """A request was sent, and nobody knows whether it was carried out.

    Not a ProviderError: who takes those for actions that failed must not take this for one.
    """

    code = "E407_DEPLOY_ERROR"
    done: tuple[str, ...] = ()


Failure = ProviderError | OutcomeUnknownError
"""Why an action is not known to be carried out as planned."""


def refusal(error: ServiceError) -> RequestRefusedError:
    """Return the error for a service that is of no use at all."""
    return RequestRefusedError(
        error.code, error.message, location=error.location, suggestion=error.suggestion
    )


def with_done(error: Failure, done: tuple[str, ...]) -> Failure:
    """Say in an error what was carried out before it; return it."""
    if done:
        error.done = done
        error.reword(f"{error.message}; done before that: {', '.join(done)}")
    return error
