"""What can be wrong with a directory of rule tables, one class per cause."""

from __future__ import annotations

from streamt_ol.ground.errors import StreamtError


class RulesError(StreamtError):
    """Base: a rule table cannot be used. The location is a JSON pointer into the table's file."""

    code = "E520_RULES_INVALID"


class RulesFolderError(RulesError):
    """The directory of rule tables is missing, unreadable or empty."""


class VocabularyCountError(RulesFolderError):
    """A directory has no vocabulary, or several."""


class TableShapeError(RulesError):
    """A file does not follow the table language (`schemas/tables/`)."""


class UnknownFactError(RulesError):
    """A text, body or record names a fact or record that the vocabulary does not have."""


class UnknownRecordError(UnknownFactError):
    """A table is about a kind of record that the vocabulary does not have."""


class UnknownInputError(UnknownFactError):
    """An input is no finite fact of every record, or a row names an input that the table does not have."""


class UndeclaredOutputError(UnknownFactError):
    """A row gives an output, or an entry a field, that its file does not declare."""


class DomainError(RulesError):
    """A value lies outside the finite domain, or the type, of its output."""


class ConditionError(DomainError):
    """A condition names a value that its input never has."""


class UnknownDomainError(DomainError):
    """A file names a domain that the vocabulary does not have."""


class RepeatedValueError(DomainError):
    """A domain or a condition lists one value twice."""


class DuplicateRowError(RulesError):
    """Two tables share a name, or two rows of a table an id."""


class GapError(RulesError):
    """No row covers some combination of inputs."""


class OverlapError(RulesError):
    """Two rows cover one combination of inputs where the hit policy allows one, or give one key twice."""


class UnreachableRowError(RulesError):
    """A row matches no record at all, or earlier rows of a `first` table leave it nothing."""


class TemplateError(RulesError):
    """A text, identity, pointer or body of a row does not follow the template language."""


class OutputLeftOutError(TemplateError):
    """A row leaves out an output, or an entry a field, that is not optional."""


class PatternError(TemplateError):
    """A pattern is no regular expression, or stands where none is looked at."""


class UnknownCodeError(RulesError):
    """A row gives a diagnostic code that the catalogue does not have."""


class UnknownTableError(RulesError):
    """The program needs a table or catalogue that the directory does not have."""


class MissingOutputError(RulesError):
    """A table lacks an output, or a catalogue a field, that the program reads."""


class UnreadFactError(UnknownFactError):
    """The vocabulary gives a record a fact that the program's record of that kind does not have."""


class FactOutsideDomainError(RulesError):
    """A fact of a running program has a value that the vocabulary does not list: it cannot be decided."""
