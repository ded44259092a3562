"""Why golden cases cannot be read, run or compared: one class per cause."""

from __future__ import annotations

from typing import ClassVar

from streamt_ol.ground.errors import StreamtError


class GoldenCaseError(StreamtError):
    """A golden folder or a `case.yml` that cannot be read; the location is a JSON pointer into the file."""

    code: ClassVar[str] = "E160_GOLDEN_CASE"


class GoldenRunError(StreamtError):
    """A run that could not be made: its changes do not fit the project, or the program did not end."""

    code: ClassVar[str] = "E161_GOLDEN_RUN"


class BaseRevisionError(StreamtError):
    """The revision to compare with cannot be found or read."""

    code: ClassVar[str] = "E162_GOLDEN_BASE"


class ApprovalsError(StreamtError):
    """`approvals.yml` cannot be read; the location is a JSON pointer into it."""

    code: ClassVar[str] = "E163_GOLDEN_APPROVALS"


class NothingPendingError(StreamtError):
    """A path that is to be accepted or rejected, and nothing is pending there."""

    code: ClassVar[str] = "E164_GOLDEN_NOTHING_PENDING"


class NotComparableError(StreamtError):
    """Two outputs of a run cannot be compared by meaning; the location is the run."""

    code: ClassVar[str] = "E165_GOLDEN_NOT_COMPARABLE"
