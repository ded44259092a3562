"""A directory of rule tables as far as it can be read: what the checks look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamt_ol.engine.errors import RulesFolderError, VocabularyCountError
from streamt_ol.engine.ruleset import RuleSet, assemble
from streamt_ol.engine.sources import read_sources
from streamt_ol.engine.vocabulary import Vocabulary
from streamt_ol.ground.errors import Place
from streamt_ol.ground.pointer import tokens
from streamt_ol.ground.yaml_marks import Marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from streamt_ol.engine.sources import Source
    from streamt_ol.engine.tables import Row, Table
    from streamt_ol.ground.errors import StreamtError
    from streamt_ol.ground.yaml_events import Backend


@dataclass(frozen=True, slots=True)
class Draft:
    """Tables, perhaps with faults, and the faults that reading them met."""

    sources: Mapping[str, Source]
    """File name to the files that follow the table language."""
    rules: RuleSet
    """What could be understood, not verified."""
    faults: Sequence[tuple[str, StreamtError]]
    """File name (empty for the directory as such) and fault, in the order in which they were met."""
    unread: frozenset[str]
    """Files that could not be read, and those that are not looked into: all where the vocabulary cannot be
    used, and those with the name of another."""
    lost: bool
    """Whether the vocabulary cannot be used, so that nothing is known of any table or catalogue."""
    _marks: dict[str, Marks] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Return the directory."""
        return self.rules.folder

    def place(self, file: str, pointer: str) -> Place:
        """Return the place of a pointer in a file; the file as such for the empty pointer."""
        path = self.folder / file
        if not pointer:
            return Place(str(path))
        if file not in self._marks:
            data = self.sources[file].data if file in self.sources else path.read_bytes()
            self._marks[file] = Marks(data, str(path))
        return self._marks[file].find(tokens(pointer))

    def spelled(self, table: Table, row: Row) -> Mapping[str, Any]:
        """Return a row as written."""
        _rows, position = tokens(row.pointer)
        written: Mapping[str, Any] = self.sources[table.file].document["rows"][int(position)]
        return written

    def named(self, table: Table, row: Row) -> str:
        """Return how a message calls a row: its id, its file and its line."""
        return f"{row.id!r} ({table.file}:{self.place(table.file, row.pointer).line})"


def read_draft(folder: Path, backend: Backend = "auto") -> Draft:
    """Return everything that can be read of a directory.

    Raises RulesFolderError where there is nothing to look at: no directory, no file.
    """
    faults: list[tuple[str, StreamtError]] = []

    def report(file: str, fault: StreamtError) -> None:
        faults.append((file, fault))

    sources = read_sources(folder, backend, report)
    if not sources and not faults:
        raise RulesFolderError("the directory of rule tables holds no *.yml file", location="rules")
    try:
        rules = assemble(folder, sources, report)
    except VocabularyCountError as error:
        rules = RuleSet(folder, Vocabulary({}, {}), "", {}, {})
        if not faults:  # else the vocabulary may be the file that could not be read
            faults.append(("", error))
    lost = not rules.vocabulary_file or any(file == rules.vocabulary_file for file, _fault in faults)
    by_name = {source.name: source for source in sources}
    understood = {table.file for table in rules.tables.values()}
    understood |= {catalogue.file for catalogue in rules.catalogues.values()}
    unread = {file for file, _fault in faults if file not in by_name} | (by_name.keys() - understood)
    return Draft(by_name, rules, faults, frozenset(unread - {"", rules.vocabulary_file}), lost)
