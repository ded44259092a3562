"""A directory of rule tables as one verified `RuleSet`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import fields as fields_of
from typing import TYPE_CHECKING, Any, TypeVar

from streamt_ol.engine.errors import (
    DuplicateRowError,
    MissingOutputError,
    RulesError,
    RulesFolderError,
    UnknownCodeError,
    UnknownFactError,
    UnknownTableError,
)
from streamt_ol.engine.reading import Catalogue, read_catalogue, read_table
from streamt_ol.engine.shape import refuse_misshapen
from streamt_ol.engine.verifying import verify
from streamt_ol.engine.vocabulary import Vocabulary, read_vocabulary
from streamt_ol.ground import yaml_reader
from streamt_ol.ground.pointer import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from streamt_ol.engine.tables import Table, Watch
    from streamt_ol.ground.yaml_events import Backend

Made = TypeVar("Made")

CODES = "diagnostics"
"""The catalogue that every output of type `code` must name an entry of."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a part of the program reads of a rule set."""

    tables: Mapping[str, Sequence[str]]
    """Table name to the outputs that are read."""
    catalogues: Mapping[str, Sequence[str]]
    """Catalogue name to the fields that are read."""
    records: Mapping[str, type]
    """Record name to the class whose instances tables are asked about."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Every table and catalogue of one directory, verified against its vocabulary."""

    folder: Path
    vocabulary: Vocabulary
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
        for name, outputs in needs.tables.items():
            table = self.table(name)
            with _located(self.folder, table.file):
                _refuse_lacking(table.outputs, outputs, "/outputs")
        for name, fields in needs.catalogues.items():
            catalogue = self.catalogue(name)
            with _located(self.folder, catalogue.file):
                _refuse_lacking(catalogue.fields, fields, "/entry")
        for record, kind in needs.records.items():
            known = {field.name for field in fields_of(kind)}
            for fact in self.vocabulary.records.get(record, {}):
                if fact not in known:
                    raise UnknownFactError(
                        f"the program knows no fact {fact!r} of record {record!r}",
                        location=f"/records/{record}/{fact}",
                    )

    def watch(self, watch: Watch | None) -> None:
        """Call `watch` with every question and its answers from now on; None ends it."""
        for table in self.tables.values():
            table.watch = watch


def load_rules(folder: Path, backend: Backend = "auto") -> RuleSet:
    """Read and verify every `*.yml` of a directory; any RulesError names file, line and column.

    Source: DESIGN, "Rule tables".
    """
    documents = {path.name: _document(path, backend) for path in _files(folder)}
    vocabularies = [name for name, document in documents.items() if "vocabulary" in document]
    if len(vocabularies) != 1:
        raise RulesFolderError(
            f"a rule set has one vocabulary, this one has {len(vocabularies)}", location="rules"
        )
    with _located(folder, vocabularies[0]):
        vocabulary = read_vocabulary(documents.pop(vocabularies[0]))
    tables: dict[str, Table] = {}
    catalogues: dict[str, Catalogue] = {}
    for name, document in documents.items():
        with _located(folder, name):
            if "catalogue" in document:
                catalogue = read_catalogue(document, vocabulary, name)
                _add(catalogues, catalogue.name, catalogue)
            else:
                table = read_table(document, vocabulary, name)
                verify(table, vocabulary)
                _add(tables, table.name, table)
    rules = RuleSet(folder, vocabulary, tables, catalogues)
    for table in tables.values():
        with _located(folder, table.file):
            _refuse_unknown_codes(table, rules)
    return rules


def _refuse_lacking(declared: Mapping[str, object], read: Sequence[str], location: str) -> None:
    names = {name.removesuffix("?") for name in declared}
    for name in read:
        if name not in names:
            raise MissingOutputError(f"the program reads {name!r}, which is not declared", location=location)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise RulesFolderError("the directory of rule tables does not exist", location="rules")
    return sorted(path for path in folder.glob("*.yml") if path.is_file())


def _document(path: Path, backend: Backend) -> Mapping[str, Any]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RulesFolderError(f"{path.name} cannot be read: {error.strerror}", location="rules") from None
    document = yaml_reader.parse(data, str(path), backend=backend)
    with _located(path.parent, path.name):
        return refuse_misshapen(document)


def _add(known: dict[str, Made], name: str, made: Made) -> None:
    if name in known:
        raise DuplicateRowError(f"{name!r} stands in two files", location="")
    known[name] = made


def _refuse_unknown_codes(table: Table, rules: RuleSet) -> None:
    outputs = [name.removesuffix("?") for name, kind in table.outputs.items() if kind == "code"]
    for row in table.rows:
        for output in outputs:
            code = row.then.get(output)
            if code is not None and code not in rules.catalogue(CODES).entries:
                raise UnknownCodeError(
                    f"{code!r} is not in the catalogue of codes", location=f"{row.pointer}/then/{output}"
                )


@contextmanager
def _located(folder: Path, file: str) -> Iterator[None]:
    """Give a RulesError that has no place the place of its pointer in the file."""
    try:
        yield
    except RulesError as error:
        if error.place is None:
            from streamt_ol.ground import yaml_marks  # only a failure needs positions

            path = folder / file
            error.place = yaml_marks.find(path.read_bytes(), tokens(error.location or ""), str(path))
        raise
