"""Checking merged documents: one verdict over everything, and only where it is bad the search for causes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from streamt_ol.project.crosschecks import environment_conflicts, project_conflicts, runtime_conflicts
from streamt_ol.project.discovery import SECTIONS
from streamt_ol.project.errors import UnknownKeyError, WrongTypeError
from streamt_ol.project.explain import Path, explained

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from streamt_ol.ground.errors import StreamtError
    from streamt_ol.ground.json_schema import Checker
    from streamt_ol.project.origins import FileOrigins
    from streamt_ol.project.schema import Schemas
    from streamt_ol.project.spelling import Entry

MOST = 20
"""How many failures are shown at once."""


def project_errors(document: Entry, schemas: Schemas, origins: FileOrigins) -> Iterator[StreamtError]:
    """Yield what is wrong with a merged document; contradictions only where nothing else is wrong."""
    if schemas.project.accepts(document):
        yield from project_conflicts(document)
        return
    lists = [section for section in SECTIONS if isinstance(document.get(section), list)]
    yield from _problems(schemas.project, {**document, **{section: [] for section in lists}}, (), origins)
    for section in lists:  # entry by entry: explaining is slow, and most entries are fine
        checker = schemas.entry(section)
        for index, entry in enumerate(document[section]):
            if not checker.accepts(entry):
                yield from _problems(checker, entry, (section, index), origins)


def environment_errors(
    name: str, content: Entry, variables: Mapping[str, str], schemas: Schemas, origins: FileOrigins
) -> Iterator[StreamtError]:
    """Yield what is wrong with the content of the environment `name`, variables resolved.

    In a project without environments that is the runtime of the main file.
    """
    if schemas.environment.accepts(content):
        yield from environment_conflicts(name, content)
        yield from runtime_conflicts(content["runtime"], variables)
        return
    yield from _problems(schemas.environment, content, (), origins)


def placed(errors: Iterable[StreamtError], origins: FileOrigins) -> list[StreamtError]:
    """Return the first errors, each with its place in a file."""
    first = list(islice(errors, MOST))
    for error in first:
        find = origins.key_place if isinstance(error, UnknownKeyError) else origins.place
        error.place = find(error.location or "")
    return first


def _problems(checker: Checker, instance: Any, prefix: Path, origins: FileOrigins) -> Iterator[StreamtError]:
    """Yield one error for each location: a wrong kind hides that the value has a wrong form, too."""
    chosen: dict[str | None, StreamtError] = {}
    for problem in checker.problems(instance):
        for error in explained(problem, prefix, origins.written):
            known = chosen.setdefault(error.location, error)
            if isinstance(error, WrongTypeError) and not isinstance(known, WrongTypeError):
                chosen[error.location] = error
    yield from chosen.values()
