"""Why a YAML file is refused: one class per cause, each with the place at fault."""

from __future__ import annotations

from typing import Any, ClassVar

from streamt_ol.ground.errors import Place, StreamtError


class YamlError(StreamtError):
    """Base of the causes; `location` is the JSON pointer inside the file, None for the text as such."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class NotUtf8Error(YamlError):
    """The bytes are not UTF-8."""


class ControlCharacterError(YamlError):
    """A character that no YAML file may hold, even inside quotes."""


class YamlSyntaxError(YamlError):
    """The text is not YAML."""


class InvalidEscapeError(YamlSyntaxError):
    """An escape in double quotes names no character: half of a surrogate pair, or beyond U+10FFFF."""


class NestingError(YamlError):
    """Collections are written too deep inside each other."""


class SeveralDocumentsError(YamlError):
    """A second document follows the first."""


class DuplicateKeyError(YamlError):
    """A mapping holds one key twice."""


class NonStringKeyError(YamlError):
    """A key is not a string once YAML has read it."""


class UnknownTagError(YamlError):
    """A tag outside the core of YAML, or a core tag on the wrong kind of node."""


class UnusableScalarError(YamlError):
    """A scalar that YAML reads as something no project field can take: a date, infinity, a huge integer."""


class UndefinedAliasError(YamlError):
    """An alias names no anchor before it."""


class DuplicateAnchorError(YamlError):
    """An anchor is set twice."""


class RecursiveAnchorError(YamlError):
    """A node contains itself."""


class MergeError(YamlError):
    """`<<` with something else than a mapping or a list of mappings."""


class AmplificationError(YamlError):
    """Aliases and merges make far more nodes than the file holds, or nest them too deep."""


class LibYamlMissingError(YamlError):
    """LibYAML was asked for by name and PyYAML was built without it."""


def place_of(mark: Any, file: str) -> Place:
    """Return the place of a mark of PyYAML, which counts from 0."""
    return Place(file, mark.line + 1, mark.column + 1)


def refusal(cause: type[YamlError], message: str, mark: Any, file: str, suggestion: str) -> YamlError:
    """Return the error of a node at a mark; whoever holds the node puts its location before the empty one."""
    return cause(message, location="", place=place_of(mark, file), suggestion=suggestion)
