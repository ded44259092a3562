"""The YAML files of a project, read and merged (section 1 of the language), their entries unchecked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamt_ol.ground.errors import Diagnostic
from streamt_ol.ground.pointer import pointer, tokens
from streamt_ol.ground.watching import nobody
from streamt_ol.ground.yaml_errors import YamlError
from streamt_ol.ground.yaml_reader import parse
from streamt_ol.project.errors import FolderFileShapeError, WrongTypeError
from streamt_ol.project.explain import shown_key
from streamt_ol.project.files import read, shown
from streamt_ol.project.origins import FileOrigins, Part
from streamt_ol.project.readings import reading

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from streamt_ol.ground.watching import Watch
    from streamt_ol.ground.yaml_builder import Plain
    from streamt_ol.ground.yaml_events import Backend
    from streamt_ol.project.discovery import Layout

_SQL_FILES_NAMED = 5


@dataclass(frozen=True, slots=True)
class Merged:
    """The main file with the entries of the folder files behind its own."""

    document: dict[str, Any] = field(repr=False)
    """Every root key but `runtime` and `environments`, as written."""
    runtime: dict[str, Any] = field(repr=False)
    """`{"runtime": ...}` of the main file, or empty."""
    origins: FileOrigins
    warnings: tuple[Diagnostic, ...]


class Reader:
    """Reads the YAML files of one project; a text that stands in many of them is read and kept once."""

    def __init__(self, directory: Path, backend: Backend) -> None:
        self.directory = directory
        self._backend = backend
        self._plain: Plain = {}

    def mapping(self, path: Path, location: str) -> dict[str, Any]:
        """Return the content of a YAML file whose root is a mapping; an empty file is an empty one.

        Raises `FileUnreadableError` and `WrongTypeError` at `location`, and a `YamlError` at the pointer
        inside the file, else at `location`.
        """
        data = read(path, self.directory, location)
        try:
            content = parse(data, shown(path, self.directory), self._backend, self._plain)
        except YamlError as error:
            error.location = error.location or location
            raise
        if content is None:
            return {}
        if not isinstance(content, dict):
            raise WrongTypeError(
                f"the file must be a mapping, but YAML read {reading(content, secret=True)}",
                location=location,
                place=FileOrigins(self.directory, path).place(""),
            )
        return content


def merged(layout: Layout, reader: Reader, watch: Watch = nobody) -> Merged:
    """Read the main file and the section folders; `watch` is told the number of files.

    Raises as `Reader.mapping` does, and `FolderFileShapeError`. The warnings are in the order of section 1.
    """
    total = 1 + sum(len(files) for files in layout.folders.values())
    done = 0
    watch("Reading files", done, total)
    document = dict(reader.mapping(layout.main, ""))
    main = layout.main.name
    parts: dict[str, list[Part]] = {}
    for section, files in layout.folders.items():
        own = document.get(section, [])
        if not files or not isinstance(own, list):  # the schema refuses what is no list
            continue
        document[section] = all_entries = list(own)  # an alias may share the list of the file
        for file in files:
            done += 1
            watch("Reading files", done, total)
            entries = _entries(file, section, len(all_entries), reader)
            parts.setdefault(section, []).append(Part(file, len(all_entries), len(entries)))
            all_entries += entries
    runtime = {key: document.pop(key) for key in ("runtime",) if key in document}
    environments = {key: document.pop(key) for key in ("environments",) if key in document}
    warnings = []
    if "apiVersion" not in document:
        warnings.append(f"{main} has no apiVersion: it is read as streamt.dev/v1alpha1")
    if runtime and layout.environments is not None:
        warnings.append(f"`runtime` in {main} is ignored: it comes from the file of the environment")
    if environments:
        warnings.append(f"`environments` in {main} is ignored: environments are files in environments/")
    if layout.sql_files:
        warnings.append(f"SQL files in models/ are not read: {_some(layout.sql_files)}")
    return Merged(
        document,
        runtime,
        FileOrigins(layout.directory, layout.main, parts),
        tuple(Diagnostic("W000_WARNING", message) for message in warnings),
    )


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _SQL_FILES_NAMED
    return ", ".join(names[:_SQL_FILES_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _entries(file: Path, section: str, first: int, reader: Reader) -> list[Any]:
    """Return the entries of a folder file; `first` is the index of the first of them in the merged list."""
    try:
        content = reader.mapping(file, pointer(section))
    except YamlError as error:
        path = tokens(error.location or "")
        if path[:1] == [section] and path[1:] and path[1].isdecimal():
            error.location = pointer(section, int(path[1]) + first, *path[2:])
        raise
    origins = FileOrigins(reader.directory, file)
    for key in content:
        if key != section:
            raise FolderFileShapeError(
                f"a file in {section}/ has no key `{shown_key(key)}`",
                location=pointer(key),
                place=origins.key_place(pointer(key)),
                suggestion=f"keep `{section}` only; everything else stands in the main file",
            )
    entries = content.get(section, [])
    if not isinstance(entries, list):
        location = pointer(section)
        raise FolderFileShapeError(
            f"`{section}` must be a list, but YAML read {reading(entries, secret=True)}",
            location=location,
            place=origins.place(location),
        )
    return entries
