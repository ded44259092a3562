"""A directory of rule tables as one verified `RuleSet`."""

from __future__ import annotations

from dataclasses import fields as fields_of
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeVar

from streamt_ol.engine.errors import (
    DuplicateRowError,
    MissingOutputError,
    RulesError,
    UnknownCodeError,
    UnknownTableError,
    UnreadFactError,
    VocabularyCountError,
)
from streamt_ol.engine.reading import Catalogue, read_catalogue, read_table
from streamt_ol.engine.sources import read_named, read_sources
from streamt_ol.engine.tables import Table
from streamt_ol.engine.verifying import faults
from streamt_ol.engine.vocabulary import Vocabulary, read_vocabulary
from streamt_ol.ground.pointer import tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from streamt_ol.engine.faults import Report
    from streamt_ol.engine.sources import FileReport, Source
    from streamt_ol.engine.tables import Watch
    from streamt_ol.ground.errors import StreamtError
    from streamt_ol.ground.yaml_events import Backend

Made = TypeVar("Made", Table, Catalogue)

CODES = "diagnostics"
"""The catalogue that every output of type `code` must name an entry of."""
VOCABULARY = "facts"
"""The file of the vocabulary, where a few files are read."""


class Needs(NamedTuple):
    """What a part of the program reads of a rule set."""

    tables: Mapping[str, Sequence[str]]
    """Table name to the outputs that are read."""
    catalogues: Mapping[str, Sequence[str]]
    """Catalogue name to the fields that are read."""
    records: Mapping[str, type]
    """Record name to the class whose instances tables are asked about, a NamedTuple or a dataclass."""


class RuleSet(NamedTuple):
    """Every table and catalogue of one directory, verified against its vocabulary."""

    folder: Path
    vocabulary: Vocabulary
    vocabulary_file: str
    tables: Mapping[str, Table]
    catalogues: Mapping[str, Catalogue]

    def table(self, name: str) -> Table:
        """Return a table; UnknownTableError where the directory has none of that name."""
        if name not in self.tables:
            raise UnknownTableError(f"the rule set has no table {name!r}", location=f"rules/{name}")
        return self.tables[name]

    def catalogue(self, name: str) -> Catalogue:
        """Return a catalogue; UnknownTableError where the directory has none of that name."""
        if name not in self.catalogues:
            raise UnknownTableError(f"the rule set has no catalogue {name!r}", location=f"rules/{name}")
        return self.catalogues[name]

    def require(self, needs: Needs) -> None:
        """Refuse a rule set without a table, output, field or record that a part of the program reads."""
        for file, fault in self.unmet(needs):
            if file:
                raise_located(self.folder, file, fault)
            raise fault

    def unmet(self, needs: Needs) -> Iterator[tuple[str, RulesError]]:
        """Yield what a part of the program reads and the rule set lacks, with the file; `""` for none."""
        for kind, known, wanted in (
            ("table", self.tables, needs.tables),
            ("catalogue", self.catalogues, needs.catalogues),
        ):
            for name, read in wanted.items():
                if name in known:
                    yield from _lacking(known[name], read)
                else:
                    missing = UnknownTableError(
                        f"the rule set has no {kind} {name!r}", location=f"rules/{name}"
                    )
                    yield "", missing
        for record, cls in needs.records.items():
            fields = facts_of(cls)
            for fact in self.vocabulary.records.get(record, {}):
                if fact not in fields:
                    yield (
                        self.vocabulary_file,
                        UnreadFactError(
                            f"the program knows no fact {fact!r} of record {record!r}",
                            location=f"/records/{record}/{fact}",
                        ),
                    )

    def unknown_codes(self, table: Table) -> Iterator[UnknownCodeError]:
        """Yield the codes that rows of a table give and the catalogue of codes does not have."""
        outputs = [name.removesuffix("?") for name, kind in table.outputs.items() if kind == "code"]
        known = self.catalogues[CODES].entries if CODES in self.catalogues else {}
        for row in table.rows:
            for output in outputs:
                code = row.then.get(output)
                if code is not None and code not in known:
                    yield UnknownCodeError(
                        f"{code!r} is not in the catalogue of codes", location=f"{row.pointer}/then/{output}"
                    )

    def watch(self, watch: Watch | None) -> None:
        """Call `watch` with every question and its answers from now on; None ends it."""
        for table in self.tables.values():
            table.watch = watch


def facts_of(record: type) -> frozenset[str]:
    """Return the names of the fields of a class of records."""
    named: Sequence[str] | None = getattr(record, "_fields", None)
    return frozenset([field.name for field in fields_of(record)] if named is None else named)


def load_rules(folder: Path, backend: Backend = "auto", only: Collection[str] | None = None) -> RuleSet:
    """Read and verify every `*.yml` of a directory; any RulesError names file, line and column.

    With `only`, the names of tables and catalogues, the files of these names are read and verified, with the
    vocabulary and the codes. Where one of them does not hold what it is named after, every file is read.
    Source: DESIGN, "Rule tables".
    """

    def report(file: str, fault: StreamtError) -> None:
        raise_located(folder, file, fault)

    sources = None if only is None else read_named(folder, {VOCABULARY, CODES, *only}, backend, report)
    rules = assemble(folder, sources or read_sources(folder, backend, report), report)
    for table in rules.tables.values():
        for fault in (*faults(table, rules.vocabulary), *rules.unknown_codes(table)):
            report(table.file, fault)
    return rules


def assemble(folder: Path, sources: Sequence[Source], report: FileReport) -> RuleSet:
    """Return the rule set of files, not verified; it is empty where its vocabulary has a fault."""
    vocabularies = [source for source in sources if "vocabulary" in source.document]
    if len(vocabularies) != 1:
        raise VocabularyCountError(
            f"a rule set has one vocabulary, this one has {len(vocabularies)}", location="rules"
        )
    (words,) = vocabularies
    flaws: list[RulesError] = []

    def report_word(fault: RulesError) -> None:
        flaws.append(fault)
        report(words.name, fault)

    vocabulary = read_vocabulary(words.document, report_word)
    tables: dict[str, Table] = {}
    catalogues: dict[str, Catalogue] = {}
    for source in sources:
        if source is words or flaws:
            continue
        report_here = partial(report, source.name)
        if "catalogue" in source.document:
            catalogue = read_catalogue(source.document, vocabulary, source.name, report_here)
            _add(catalogues, catalogue, "catalogue", report_here)
        else:
            table = read_table(source.document, vocabulary, source.name, report_here)
            _add(tables, table, "table", report_here)
    return RuleSet(folder, vocabulary, words.name, tables, catalogues)


def _add(known: dict[str, Made], made: Made, kind: str, report: Report) -> None:
    other = known.setdefault(made.name, made)
    if other is not made:
        report(
            DuplicateRowError(f"{made.name!r} stands in two files: also in {other.file}", location=f"/{kind}")
        )


def _lacking(held: Table | Catalogue, read: Sequence[str]) -> Iterator[tuple[str, RulesError]]:
    if isinstance(held, Catalogue):
        declared, location = held.fields, "/entry"
    else:
        declared, location = held.outputs, "/outputs"
    names = {name.removesuffix("?") for name in declared}
    for name in read:
        if name not in names:
            message = f"the program reads {name!r}, which is not declared"
            yield held.file, MissingOutputError(message, location=f"{location}/{name}")


def raise_located(folder: Path, file: str, fault: StreamtError) -> NoReturn:
    """Raise a fault of a file; one that has no place is given the place of its pointer in the file."""
    if fault.place is None:
        from streamt_ol.ground import yaml_marks  # only a failure needs positions

        path = folder / file
        fault.place = yaml_marks.find(path.read_bytes(), tokens(fault.location or ""), str(path))
    raise fault
