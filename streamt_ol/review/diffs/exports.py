"""Reading an export: JSON Lines of DatasetEvents and JobEvents, whoever wrote them, in any order.

An event is accepted if it has what a comparison reads of it; whether it follows the official schemas is the
question of `streamt events check`. What cannot be read is refused with its line: a comparison that could not
be made never reads as "no changes".
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from streamt_ol.ground.errors import Place, StreamtError
from streamt_ol.ground.json_problems import deepest, demand
from streamt_ol.ground.json_schema import Checker
from streamt_ol.ground.pointer import pointer
from streamt_ol.review.events.event_checking import EventsUnreadableError
from streamt_ol.review.events.event_files import read_lines
from streamt_ol.review.events.event_findings import severity_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamt_ol.review.events.event_files import Line

STDIN = "-"
"""The name under which messages show standard input."""

_TEXT = {"type": ["string", "null"]}
_OBJECTS = {"type": "object", "additionalProperties": {"type": "object"}}
_NAMED = {
    "type": "object",
    "required": ["namespace", "name"],
    "properties": {"namespace": {"type": "string"}, "name": {"type": "string"}, "facets": _OBJECTS},
}
_FACETS = {
    "schema": {"properties": {"fields": {"$ref": "#/$defs/fields"}}},
    "documentation": {"properties": {"description": _TEXT}},
    "ownership": {"properties": {"owners": {"type": "array", "items": {"$ref": "#/$defs/owner"}}}},
}
_DESCRIBED = {"allOf": [_NAMED], "properties": {"facets": {"properties": _FACETS}}}
_LINKED = {"allOf": [_NAMED], "properties": {"inputFacets": _OBJECTS, "outputFacets": _OBJECTS}}
READ = {
    "$defs": {
        "owner": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        "fields": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "type": _TEXT,
                    "description": _TEXT,
                    "fields": {"$ref": "#/$defs/fields"},
                },
            },
        },
    },
    "properties": {
        "dataset": _DESCRIBED,
        "job": _DESCRIBED,
        "inputs": {"type": "array", "items": _LINKED},
        "outputs": {"type": "array", "items": _LINKED},
    },
}
"""The schema of what a comparison reads of an event; everything else may be as it likes."""


class NotJsonLinesError(StreamtError):
    """A line is no JSON text."""

    code = "E151_EVENT_NOT_JSON"


class NoDesignEventError(StreamtError):
    """A line is neither a DatasetEvent nor a JobEvent: RunEvents tell what happened, not what is designed."""

    code = "E158_EVENT_NOT_COMPARABLE"


class EventIncompleteError(StreamtError):
    """An event lacks an identity, or has another shape where a comparison has to look."""

    code = "E158_EVENT_NOT_COMPARABLE"


class EventRepeatedError(StreamtError):
    """Two events describe one dataset or job: which of them counts is not known."""

    code = "E155_EVENT_REPEATED"


class Export(list[dict[str, Any]]):
    """The events of one export, each found to be comparable when it was read."""


def read_export(source: Path | BinaryIO, name: str = STDIN) -> Export:
    """Return the events of a file, or of an open stream that messages call `name`; blank lines are skipped.

    Raises EventsUnreadableError, NotJsonLinesError, NoDesignEventError, EventIncompleteError and
    EventRepeatedError, each with the place in the file.
    """
    name = str(source) if isinstance(source, Path) else name
    export = Export()
    seen: dict[tuple[str, str, str], int] = {}
    number: int | None = None
    try:
        with _opened(source) as stream:
            for line in read_lines(stream):
                number = line.number
                _refuse_unreadable(line)
                if not line.has_value:
                    continue
                identity = event_identity(line.value)
                if seen.setdefault(identity, number) != number:
                    raise repeated(identity, f"line {seen[identity]}")
                export.append(line.value)
    except StreamtError as error:
        error.place = Place(name, number, error.place.column if error.place else None)
        raise
    except OSError as error:
        raise EventsUnreadableError(
            f"cannot be read: {error.strerror}", location="file", place=Place(name)
        ) from None
    return export


def event_identity(event: Any) -> tuple[str, str, str]:
    """Return kind (`dataset` or `job`), namespace and name of an event, which is found to be comparable.

    Raises NoDesignEventError and EventIncompleteError, located within the event.
    """
    if not isinstance(event, dict):
        raise NoDesignEventError("no event: an object is needed")
    if "run" in event:
        raise NoDesignEventError(
            "a RunEvent: only DatasetEvents and JobEvents can be compared",
            location="/run",
            suggestion="compare exports of `streamt docs openlineage`",
        )
    kinds = [kind for kind in ("dataset", "job") if kind in event]
    if len(kinds) != 1:
        has = "both `dataset` and `job`" if kinds else "neither `dataset` nor `job`"
        raise NoDesignEventError(f"no DatasetEvent or JobEvent: it has {has}")
    checker = _checker()
    if not checker.accepts(event):
        problem = deepest(checker.problems(event))
        raise EventIncompleteError(
            f"cannot be compared: what is here {demand(problem)}", location=pointer(*problem.absolute_path)
        )
    for side in ("inputs", "outputs"):
        _refuse_contradictions(event.get(side, ()), side)
    return identity_of(event)


def identity_of(event: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return kind, namespace and name of a comparable event."""
    kind = "dataset" if "dataset" in event else "job"
    return kind, event[kind]["namespace"], event[kind]["name"]


def _refuse_contradictions(references: Sequence[Mapping[str, Any]], side: str) -> None:
    """Refuse a dataset that a job names twice with different facets; a mere repetition says nothing new."""
    said: dict[tuple[str, str], Mapping[str, Any]] = {}
    for position, reference in enumerate(references):
        dataset = reference["namespace"], reference["name"]
        if said.setdefault(dataset, reference) != reference:
            raise EventRepeatedError(
                f"dataset {dataset[1]!r} is named twice, and different things are said about it",
                location=f"/{side}/{position}",
            )


def repeated(identity: tuple[str, str, str], earlier: str) -> EventRepeatedError:
    """Return the error about a second event of one identity; `earlier` says where the first one stands."""
    kind, namespace, name = identity
    return EventRepeatedError(
        f"{kind} {name!r} in namespace {namespace!r} is described twice, first in {earlier}",
        location=f"/{kind}",
    )


@lru_cache(maxsize=1)
def _checker() -> Checker:
    return Checker(READ)


@contextmanager
def _opened(source: Path | BinaryIO) -> Iterator[BinaryIO]:
    if not isinstance(source, Path):
        yield source
        return
    with source.open("rb") as stream:
        yield stream


def _refuse_unreadable(line: Line) -> None:
    """Refuse a line that is no JSON text; blank lines and byte order marks are readable."""
    for remark in line.remarks:
        if severity_of(remark.code) == "error":
            raise NotJsonLinesError(
                f"the line {remark.message}" if not remark.path else remark.message,
                location=pointer(*remark.path) or None,
                place=Place("", line.number, remark.column),
                suggestion="an export has one JSON text per line; `streamt docs openlineage` prints them",
            )
