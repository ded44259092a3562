"""Why a project does not compile, one class per cause. The export shows each under its own code (D6)."""

from __future__ import annotations

from streamt_ol.ground.errors import Diagnostic, StreamtError, recoded


class CompileError(StreamtError):
    """Base: a project that loads and does not compile. Source: section 4 and 5 of the project language."""


class DuplicateNameError(CompileError):
    """Two sources, or two models, share a name."""

    code = "E103_DUPLICATE_NAME"


class NameCollisionError(CompileError):
    """A source and a model share a name, or an exposure shares one with either or with an exposure."""

    code = "E111_NAME_COLLISION"


class UnknownSourceError(CompileError):
    """A dependency names a source that the project does not declare."""

    code = "E101_SOURCE_NOT_FOUND"


class UnknownModelError(CompileError):
    """A dependency names a model that the project does not declare."""

    code = "E102_MODEL_NOT_FOUND"


class CycleError(CompileError):
    """Models, or models and exposures, feed each other in a circle."""

    code = "E104_CYCLE_DETECTED"


class ReferenceFormError(CompileError):
    """An entry of `from` names both a source and a model, or neither."""

    code = "E115_REFERENCE_INVALID"


class BlankNameError(CompileError):
    """The name of a model, or of its topic or alias, is empty or only white space."""

    code = "E116_BLANK_NAME"


class ReservedKeyError(CompileError):
    """A connector's configuration sets a key that compile itself decides, to another value."""

    code = "E118_RESERVED_CONNECTOR_KEY"


class RemovalConflictError(CompileError):
    """A lifecycle removal names something that the project still declares."""

    code = "E119_REMOVAL_CONFLICT"


class TestShapeError(CompileError):
    """A continuous test asserts something without saying what."""

    code = "E120_TEST_INCOMPLETE"
    __test__ = False  # not a test case, whatever a collector thinks of its name


class RequirementError(CompileError):
    """A model lacks what its kind needs; code, location and message come from the `requirements` table."""

    code = "E117_INPUT_REQUIRED"

    def __init__(self, code: str, message: str, *, location: str) -> None:
        super().__init__(message, location=location)
        self.row_code = code

    def diagnostic(self) -> Diagnostic:
        """Return the record to show, under the code of the row."""
        return recoded(super().diagnostic(), self.row_code)
