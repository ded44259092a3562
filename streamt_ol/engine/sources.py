"""The files of a rule set: read, parsed, and held to the table language."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.engine.errors import RulesFolderError
from streamt_ol.engine.shape import misshapen
from streamt_ol.ground import yaml_reader
from streamt_ol.ground.errors import Place, StreamtError
from streamt_ol.ground.yaml_errors import YamlError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from streamt_ol.ground.yaml_events import Backend

FileReport = Callable[[str, StreamtError], None]
"""Called with the name of a file and a fault of it: a RulesError, or the YamlError of what is no YAML."""


class Source(NamedTuple):
    """One file that follows the table language."""

    name: str
    data: bytes
    document: Mapping[str, Any]


def read_sources(folder: Path, backend: Backend, report: FileReport) -> list[Source]:
    """Return every `*.yml` of a directory in the order of names; files with a fault are left out.

    Raises RulesFolderError where there is no directory or no file.
    """
    if not folder.is_dir():
        raise RulesFolderError("the directory of rule tables does not exist", location="rules")
    sources = []
    for path in sorted(folder.glob("*.yml")):
        if path.exists() and not path.is_file():
            continue  # a folder, say; but a link that leads nowhere is a file that cannot be read
        source = _read(path, backend, report)
        if source is not None:
            sources.append(source)
    return sources


def read_named(
    folder: Path, names: Collection[str], backend: Backend, report: FileReport
) -> list[Source] | None:
    """Return the files `NAME.yml` of a directory in the order of names; None unless each holds its name."""
    sources = []
    for name in sorted(names):
        path = folder / f"{name}.yml"
        source = _read(path, backend, report) if path.is_file() else None
        if source is None:
            return None
        held = {source.document.get(kind) for kind in ("table", "catalogue")}
        if name not in held and "vocabulary" not in source.document:
            return None
        sources.append(source)
    return sources


def _read(path: Path, backend: Backend, report: FileReport) -> Source | None:
    try:
        data = path.read_bytes()
        document = yaml_reader.parse(data, str(path), backend=backend)
    except OSError as error:
        message = f"{path.name} cannot be read: {error.strerror}"
        report(path.name, RulesFolderError(message, location="rules", place=Place(str(path))))
        return None
    except YamlError as error:
        report(path.name, error)
        return None
    faults = list(misshapen(document))
    for fault in faults:
        report(path.name, fault)
    return None if faults else Source(path.name, data, document)
