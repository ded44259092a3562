"""What can be wrong with a directory of rule tables, one class per cause."""

from __future__ import annotations

from streamt_ol.ground.errors import StreamtError


class RulesError(StreamtError):
    """Base: a rule table cannot be used. The location is a JSON pointer into the table's file."""

    code = "E520_RULES_INVALID"


class RulesFolderError(RulesError):
    """The directory of rule tables is missing, unreadable or empty."""


class TableShapeError(RulesError):
    """A file does not follow the table language (`schemas/tables/`)."""


class UnknownFactError(RulesError):
    """A table, template or body names a fact that the vocabulary does not have for its records."""


class DomainError(RulesError):
    """A value lies outside the finite domain of its input or output."""


class DuplicateRowError(RulesError):
    """Two tables share a name, or two rows of a table an id."""


class GapError(RulesError):
    """No row covers some combination of inputs."""


class OverlapError(RulesError):
    """Two rows cover one combination of inputs where the hit policy allows one, or give one key twice."""


class UnreachableRowError(RulesError):
    """Earlier rows of a `first` table cover everything that a later row could match."""


class TemplateError(RulesError):
    """A text, identity, pointer or body of a row does not follow the template language."""


class UnknownCodeError(RulesError):
    """A row gives a diagnostic code that the catalogue does not have."""


class UnknownTableError(RulesError):
    """The program needs a table or catalogue that the directory does not have."""


class MissingOutputError(RulesError):
    """A table lacks an output, or a catalogue a field, that the program reads."""


class FactOutsideDomainError(RulesError):
    """A fact of a running program has a value that the vocabulary does not list: it cannot be decided."""
