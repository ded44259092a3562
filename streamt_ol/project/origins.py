"""Where a location of the merged project stands: which file, and where in it.

While a project is read only the number of entries of each file is kept. A place is found by reading the file
again, when something is wrong.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.ground.errors import StreamtError
from streamt_ol.ground.pointer import tokens
from streamt_ol.ground.yaml_scalars import UnusableTextError, plain
from streamt_ol.ground.yaml_text import LINE_BREAK, decode
from streamt_ol.project.files import read, shown
from streamt_ol.project.spelling import OLD_SPELLINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from streamt_ol.ground.errors import Place
    from streamt_ol.ground.yaml_marks import Marks

_ONE_LINE = re.compile(r"[^\s,\[\]{}#]+")


class Part(NamedTuple):
    """Entries of one section that stand in one file: `amount`, from index `first` of the merged list."""

    file: Path
    first: int
    amount: int


class FileOrigins:
    """Finds places in the files of one project."""

    def __init__(
        self,
        directory: Path,
        main: Path,
        parts: Mapping[str, Sequence[Part]] = MappingProxyType({}),
        elsewhere: Mapping[str, Path] = MappingProxyType({}),
    ) -> None:
        self.directory = directory
        self._main = main
        self._parts = parts
        """By section, the files of a section folder in order."""
        self._elsewhere = elsewhere
        """By root key, the file that holds it in place of the main file."""
        self._marks: dict[Path, Marks] = {}
        """The files that were asked about; filled when something is wrong."""

    def with_elsewhere(self, elsewhere: Mapping[str, Path]) -> FileOrigins:
        """Return the origins of a project that has some root keys in other files."""
        return FileOrigins(self.directory, self._main, self._parts, elsewhere)

    def place(
        self, location: str, line_within: int | None = None, column_within: int | None = None
    ) -> Place | None:
        """Return the place of a pointer, or of its nearest parent that exists.

        None where the file cannot be read any more.
        """
        file, path = self._local(location)
        marks = self._marks_of(file)
        if marks is None:
            return None
        older = [OLD_SPELLINGS.get(token, token) for token in path]
        # where a path is not in the file its nearest parent is found, and that starts before its children
        places = [marks.find(each, line_within, column_within) for each in (path, older)]
        return max(places, key=lambda place: (place.line or 0, place.column or 0))

    def key_place(self, location: str) -> Place | None:
        """Return the place of the key that a pointer ends with; None as for `place`."""
        file, path = self._local(location)
        marks = self._marks_of(file)
        return marks.find_key(path) if marks else None

    def written(self, location: str, value: object) -> str | None:
        """Return the text at a pointer that YAML read as `value`; None where it is no simple plain scalar."""
        file, _ = self._local(location)
        place = self.place(location)
        if place is None or place.line is None or place.column is None:
            return None
        line = re.split(LINE_BREAK, decode(read(file, self.directory, location), place.file))[place.line - 1]
        text = _ONE_LINE.match(line, place.column - 1)
        try:
            return text[0] if text and plain(text[0]) == value else None
        except UnusableTextError:
            return None

    def _local(self, location: str) -> tuple[Path, list[str]]:
        """Return the file that holds a location, and the tokens of the pointer inside that file."""
        path = tokens(location)
        root = path[0] if path else ""
        if root in self._elsewhere:
            return self._elsewhere[root], path
        index = int(path[1]) if len(path) > 1 and path[1].isdecimal() else -1
        for part in self._parts.get(root, ()):
            if part.first <= index < part.first + part.amount:
                return part.file, [root, str(index - part.first), *path[2:]]
        return self._main, path

    def _marks_of(self, file: Path) -> Marks | None:
        if file not in self._marks:
            from streamt_ol.ground.yaml_marks import Marks  # only what is wrong has a place

            try:
                self._marks[file] = Marks(read(file, self.directory, ""), shown(file, self.directory))
            except StreamtError:  # it has changed since
                return None
        return self._marks[file]
