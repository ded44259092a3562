"""The files of a rule set as their author spelled them: people read templates and lines, not closures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamt_ol.ground import yaml_reader
from streamt_ol.ground.pointer import tokens
from streamt_ol.ground.yaml_marks import Marks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.engine.tables import Decision, Row, Table


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a row stands, and which statements it cites."""

    table: str
    row: str
    file: str
    """The name of the file in the folder of the rule set."""
    line: int
    cites: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "table": self.table,
            "row": self.row,
            "file": self.file,
            "line": self.line,
            "cites": list(self.cites),
        }


@dataclass(frozen=True, slots=True)
class RuleFiles:
    """Reads the files of a loaded rule set again, each once, when somebody asks what they say."""

    rules: RuleSet
    _documents: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _marks: dict[str, Marks] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Return the folder of the rule set."""
        return self.rules.folder

    def document(self, file: str) -> Mapping[str, Any]:
        """Return a file of the rule set as plain values."""
        if file not in self._documents:
            self._documents[file] = yaml_reader.parse((self.folder / file).read_bytes(), file)
        return self._documents[file]

    def line(self, file: str, pointer: str) -> int:
        """Return the line of a pointer into a file, from 1."""
        if file not in self._marks:
            self._marks[file] = Marks((self.folder / file).read_bytes(), file)
        return self._marks[file].find(tokens(pointer)).line or 1

    def spelled(self, table: Table, row: Row) -> Mapping[str, Any]:
        """Return a row as it is spelled."""
        _rows, position = tokens(row.pointer)
        written: Mapping[str, Any] = self.document(table.file)["rows"][int(position)]
        return written

    def place(self, table: Table, row: Row) -> RowPlace:
        """Return where a row of a table stands."""
        return RowPlace(table.name, row.id, table.file, self.line(table.file, row.pointer), row.cites)

    def place_of(self, decision: Decision) -> RowPlace:
        """Return where the row of a decision stands."""
        return self.place(self.rules.table(decision.table), decision.row)
