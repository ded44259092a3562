"""What reading finds: files, words and values. Loading refuses the first of them, with the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from streamt_ol.engine import errors
from streamt_ol.engine.checks.check import Check, Found
from streamt_ol.ground.yaml_errors import YamlError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.checks.draft import Draft
    from streamt_ol.ground.errors import StreamtError


class ReadingCheck(Check):
    """Shows the faults of one cause that reading met."""

    cause: ClassVar[type[StreamtError]]
    remedy: ClassVar[str]

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield each fault of exactly this cause."""
        for file, fault in draft.faults:
            if self.shows(fault):
                pointer = fault.location or ""
                pointer = pointer if pointer.startswith("/") else ""  # else the directory as such
                yield Found(file, pointer, fault.message, fault.suggestion or self.remedy, place=fault.place)

    def shows(self, fault: StreamtError) -> bool:
        """Whether the fault is of this cause; causes below it have checks of their own."""
        return type(fault) is self.cause


class UnreadableFile(ReadingCheck):
    """A file cannot be opened."""

    name = "unreadable-file"
    cause = errors.RulesFolderError
    remedy = "make it a file that can be read"


class NotYaml(ReadingCheck):
    """A file is not one YAML document in UTF-8."""

    name = "not-yaml"
    cause = YamlError
    remedy = "write one YAML document"

    def shows(self, fault: StreamtError) -> bool:
        """Whether the text is at fault, whatever is wrong with it."""
        return isinstance(fault, YamlError)


class TableLanguage(ReadingCheck):
    """A file does not have the shape of a vocabulary, a catalogue or a table."""

    name = "table-language"
    cause = errors.TableShapeError
    remedy = "docs/rule-tables.md describes the shape"


class OneVocabulary(ReadingCheck):
    """A directory has no vocabulary, or several."""

    name = "one-vocabulary"
    cause = errors.VocabularyCountError
    remedy = "keep one file with the key `vocabulary`"


class UnknownRecord(ReadingCheck):
    """A table is about a kind of record that does not exist."""

    name = "unknown-record"
    cause = errors.UnknownRecordError
    remedy = "correct `about`, or declare the record in the vocabulary"


class UnknownInput(ReadingCheck):
    """An input does not exist, or is not finite, or a condition is about none."""

    name = "unknown-input"
    cause = errors.UnknownInputError
    remedy = "correct the name, list it in `inputs`, or declare the fact for every record of `about`"


class UnknownFact(ReadingCheck):
    """A text, body or record names a fact that does not exist."""

    name = "unknown-fact"
    cause = errors.UnknownFactError
    remedy = "correct the name, or narrow `when` to the records that have the fact"


class UnknownDomain(ReadingCheck):
    """A domain does not exist."""

    name = "unknown-domain"
    cause = errors.UnknownDomainError
    remedy = "correct the name, or declare the domain above its first use"


class RepeatedValue(ReadingCheck):
    """A domain or a condition lists a value twice."""

    name = "repeated-value"
    cause = errors.RepeatedValueError
    remedy = "remove one of the two"


class ConditionDomain(ReadingCheck):
    """A condition names a value that its input never has."""

    name = "condition-domain"
    cause = errors.ConditionError
    remedy = "correct the value, or add it to the domain of the input"


class OutputDomain(ReadingCheck):
    """An output, or a field of a catalogue, has a value outside its domain or of another type."""

    name = "output-domain"
    cause = errors.DomainError
    remedy = "correct the value, or the type that the file declares"


class UndeclaredOutput(ReadingCheck):
    """A row gives an output, or an entry a field, that its file does not declare."""

    name = "undeclared-output"
    cause = errors.UndeclaredOutputError
    remedy = "correct the name, or declare it"


class MissingOutput(ReadingCheck):
    """A row leaves out an output, or an entry a field, that is not optional."""

    name = "missing-output"
    cause = errors.OutputLeftOutError
    remedy = "give it, or declare it with `?`"


class Template(ReadingCheck):
    """A text or body does not follow the template language."""

    name = "template"
    cause = errors.TemplateError
    remedy = "docs/rule-tables.md describes templates and bodies"


class Pattern(ReadingCheck):
    """A pattern is no regular expression, or a pattern or condition stands where nothing looks at it."""

    name = "pattern"
    cause = errors.PatternError
    remedy = "correct it, or remove it"


class DuplicateName(ReadingCheck):
    """Two rows of a table share an id, or two files a name."""

    name = "duplicate-name"
    cause = errors.DuplicateRowError
    remedy = "rename one of the two"


READING_CHECKS: tuple[ReadingCheck, ...] = (
    UnreadableFile(),
    NotYaml(),
    TableLanguage(),
    OneVocabulary(),
    UnknownRecord(),
    UnknownInput(),
    UnknownFact(),
    UnknownDomain(),
    RepeatedValue(),
    ConditionDomain(),
    OutputDomain(),
    UndeclaredOutput(),
    MissingOutput(),
    Template(),
    Pattern(),
    DuplicateName(),
)
