"""Errors and warnings: one record that is shown, one exception class per cause.

Every exception carries a code from the catalogue (`rules/diagnostics.yml`), a location (a JSON pointer
into the merged project, or the name of an option) and, where a file is at fault, the place in it.
Messages never contain a value that could be a secret: they name keys, identifiers and kinds.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple


class Place(NamedTuple):
    """A place in a file: its path as shown to the user, line and column counted from 1."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """Return `file:line:column`, as far as known."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class Diagnostic(NamedTuple):
    """One error or warning as it is shown."""

    code: str
    message: str
    location: str | None = None
    place: Place | None = None
    suggestion: str | None = None
    operation_id: str | None = None
    """Of a deployment, where whoever reads this has to know which."""

    def as_dict(self) -> dict[str, str | int]:
        """Return the envelope form; keys without a value are left out."""
        place = self.place or Place("")
        parts = {
            "code": self.code,
            "message": self.message,
            "location": self.location,
            "file": place.file or None,
            "line": place.line,
            "column": place.column,
            "suggestion": self.suggestion,
            "operation_id": self.operation_id,
        }
        return {key: value for key, value in parts.items() if value is not None}


class StreamtError(Exception):
    """Base of all expected failures. Not raised itself: each cause has its own class and code.

    `line_within` and `column_within` count from 0 inside the text that `location` points at: an error on
    the third line of a block of SQL has `line_within=2`.
    """

    code: ClassVar[str]

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        place: Place | None = None,
        suggestion: str | None = None,
        line_within: int | None = None,
        column_within: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.place = place
        self.suggestion = suggestion
        self.line_within = line_within
        self.column_within = column_within

    def reword(self, message: str) -> None:
        """Say another message from now on."""
        self.message = message
        self.args = (message,)

    def diagnostic(self) -> Diagnostic:
        """Return the record to show."""
        return Diagnostic(self.code, self.message, self.location, self.place, self.suggestion)


class Failures(Exception):  # noqa: N818 - it groups errors, it is not one of them
    """Several failures found in one pass, in the order of their discovery; never empty."""

    def __init__(self, failures: tuple[StreamtError, ...]) -> None:
        super().__init__("; ".join(failure.message for failure in failures))
        self.failures = failures


def recoded(diagnostic: Diagnostic, code: str) -> Diagnostic:
    """Return the diagnostic under another code: a command may own one code for every cause."""
    return diagnostic._replace(code=code)
