"""Failures of templates, one class per cause.

Where a template fails it is known what went wrong, at the edge (`templates.py`) also for which model and
where. So an error is raised with its message, and `placed` makes the complete one of it. Messages name
identifiers and kinds of values only: a template and its parameters may hold secrets.
"""

from __future__ import annotations

from typing import ClassVar, TypeVar

from streamt_ol.ground.errors import StreamtError

SQL = "<sql>"
"""Stands for the file of a template that is the SQL of a model; never shown."""


class TemplateError(StreamtError):
    """A template that gives no text. Not raised itself: each cause has its own class."""

    code: ClassVar[str] = "E112_TEMPLATE_ERROR"


class JinjaSyntaxError(TemplateError):
    """A template that cannot be read as Jinja2."""

    code: ClassVar[str] = "E105_JINJA_SYNTAX_ERROR"


class UndefinedVariableError(TemplateError):
    """A variable, attribute or item that does not exist is used."""


class DependencyCallError(TemplateError):
    """`source` or `ref` is called with anything but one string that is not blank."""


class UnknownHelperError(TemplateError):
    """A filter, test or statement that Jinja2 or this program does not offer."""


class UnsafeTemplateError(TemplateError):
    """An attribute, a method or an operation that the sandbox keeps out."""


class UnprintableValueError(TemplateError):
    """A value without a text of its own, such as a function that is not called, would become text."""


class TemplateLimitError(TemplateError):
    """Rendering would take more memory, time or depth than a template may take."""


class ExpressionError(TemplateError):
    """An expression fails while it is computed, such as a division by zero."""


class MacroParameterError(TemplateError):
    """A parameter has the name of a function that every macro is given."""


class MacroNotFoundError(TemplateError):
    """A macro, or a template that a macro includes, is not in the folder `macros/`."""

    code: ClassVar[str] = "E113_MACRO_NOT_FOUND"


class MacroFileError(TemplateError):
    """A file of a macro is there but is no readable UTF-8 text inside the folder `macros/`."""


Failure = TypeVar("Failure", bound=TemplateError)


def placed(error: Failure, *, location: str, model: str) -> Failure:
    """Return the error with its model and location; a place in SQL becomes a line within it."""
    place = error.place
    in_sql = place is not None and place.file == SQL
    return type(error)(
        f"model {model!r}: {error.message}",
        location=location,
        place=None if in_sql else place,
        suggestion=error.suggestion,
        line_within=place.line - 1 if place is not None and in_sql and place.line is not None else None,
    )
