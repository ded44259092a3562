"""Where a location of the merged project stands: which file, and where in it.

While a project is read only the number of entries of each file is kept. A place is found by reading the file
again, when something is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamt_ol.ground import yaml_marks
from streamt_ol.ground.errors import StreamtError
from streamt_ol.ground.pointer import tokens
from streamt_ol.ground.yaml_text import LINE_BREAK, decode
from streamt_ol.project.files import read, shown
from streamt_ol.project.spelling import OLD_SPELLINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from streamt_ol.ground.errors import Place

_PLAIN = re.compile(r"[^\s,\[\]{}#'\"&*!|>]+")


@dataclass(frozen=True, slots=True)
class Part:
    """Entries of one section that stand in one file: `count` of them, from index `first` of the merged list."""

    file: Path
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class FileOrigins:
    """Finds places in the files of one project."""

    directory: Path
    main: Path
    parts: Mapping[str, Sequence[Part]] = field(default_factory=dict)
    """By section, the files of a section folder in order."""
    elsewhere: Mapping[str, Path] = field(default_factory=dict)
    """By root key, the file that holds it in place of the main file."""

    def place(
        self, location: str, line_within: int | None = None, column_within: int | None = None
    ) -> Place | None:
        """Return the place of a pointer, or of its nearest parent that exists.

        None where the file cannot be read any more.
        """
        file, path = self._local(location)
        data = self._data(file)
        if data is None:
            return None
        name = shown(file, self.directory)
        older = [OLD_SPELLINGS.get(token, token) for token in path]
        # where a path is not in the file its nearest parent is found, and that starts before its children
        return max(
            (yaml_marks.find(data, each, name, line_within, column_within) for each in (path, older)),
            key=lambda place: (place.line or 0, place.column or 0),
        )

    def key_place(self, location: str) -> Place | None:
        """Return the place of the key that a pointer ends with; None where the file cannot be read any more."""
        file, path = self._local(location)
        data = self._data(file)
        return None if data is None else yaml_marks.find_key(data, path, shown(file, self.directory))

    def written(self, location: str) -> str | None:
        """Return the text of the plain scalar at a pointer as it stands in the file; None where none is."""
        place = self.place(location)
        data = self._data(self._local(location)[0])
        if data is None or place is None or place.line is None or place.column is None:
            return None
        line = LINE_BREAK.split(decode(data, place.file))[place.line - 1]
        scalar = _PLAIN.match(line, place.column - 1)
        return scalar[0] if scalar else None

    def _local(self, location: str) -> tuple[Path, list[str]]:
        """Return the file that holds a location, and the tokens of the pointer inside that file."""
        path = tokens(location)
        root = path[0] if path else ""
        if root in self.elsewhere:
            return self.elsewhere[root], path
        index = int(path[1]) if len(path) > 1 and path[1].isdecimal() else -1
        for part in self.parts.get(root, ()):
            if part.first <= index < part.first + part.count:
                return part.file, [root, str(index - part.first), *path[2:]]
        return self.main, path

    def _data(self, file: Path) -> bytes | None:
        """Return the content of a file; None where it has changed since it was read and is no YAML any more."""
        try:
            data = read(file, self.directory, "")
            decode(data, "")
        except StreamtError:
            return None
        return data
