"""Which rows of the rule tables differ between two states of their folder, found by id and not by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.ground import yaml_reader
from streamt_ol.ground.pointer import pointer
from streamt_ol.ground.yaml_errors import YamlError
from streamt_ol.review.golden.errors import BaseRevisionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_ORDER = "order of rows"


class RowId(NamedTuple):
    """What a trace names a row by."""

    table: str
    row: str


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row, an entry of a catalogue or a part of the vocabulary that came, went or changed."""

    file: str
    """The name of its file in the folder of the rule tables."""
    id: RowId
    """Without a row: what stands in the file beside its rows or entries."""
    old: Any
    """As it was spelled; None where it was not there."""
    new: Any

    @property
    def operation(self) -> str:
        """Return added, removed or changed."""
        if self.old is None:
            return "added"
        return "removed" if self.new is None else "changed"

    def may_cause(self, path: str) -> bool:
        """Return whether it can have caused a change at a path of an event's dataset or job.

        A row about a facet changes that facet; any other row may have changed anything.
        """
        said = [spelled["then"] for spelled in (self.old, self.new) if _says_something(spelled)]
        facets = [pointer("facets", then["facet"]) for then in said if isinstance(then.get("facet"), str)]
        return not facets or any(f"{path}/".startswith(f"{facet}/") for facet in facets)

    def __str__(self) -> str:
        """Return `TABLE/ROW`, or the table alone."""
        return "/".join(part for part in self.id if part)


def row_changes(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[RowChange]:
    """Return what differs between the files of two folders, by file and then in the order of the new rows.

    Comments and layout make no difference, and neither does the order of rows, unless the table reads them in
    order: then what stands beside the rows differs. Raises `BaseRevisionError` for an unreadable file.
    """
    before, after = _parts(old), _parts(new)
    changes = []
    for key in dict.fromkeys([*after, *before]):
        file = (after.get(key) or before[key]).file
        was, now = (side[key].spelled if key in side else None for side in (before, after))
        if was is not None and now is not None and not key.row:
            was, now = _with_common_order(was, now), _with_common_order(now, was)
        if was != now:
            changes.append(RowChange(file, key, was, now))
    return sorted(changes, key=lambda change: change.file)


class _Part(NamedTuple):
    """A row, an entry, or what stands beside them, with its file."""

    file: str
    spelled: Any


def _parts(files: Mapping[str, bytes]) -> dict[RowId, _Part]:
    return {
        key: _Part(name, part)
        for name, data in sorted(files.items())
        for key, part in _parts_of(_document(name, data), name)
    }


def _document(name: str, data: bytes) -> Mapping[str, Any]:
    try:
        document = yaml_reader.parse(data, name)
    except YamlError as error:
        raise BaseRevisionError(
            f"the rule tables cannot be compared: {error.message}", location="rules", place=error.place
        ) from None
    return document if isinstance(document, dict) else {}


def _parts_of(document: Mapping[str, Any], name: str) -> Iterator[tuple[RowId, Any]]:
    title = next(
        (str(document[key]) for key in ("table", "catalogue", "vocabulary") if key in document), name
    )
    rows, head = document.get("rows"), {key: value for key, value in document.items() if key != "rows"}
    if isinstance(rows, list):
        if document.get("hit") in {"first", "pattern"}:
            head[_ORDER] = [_id(row) for row in rows]
        yield from ((RowId(title, _id(row)), row) for row in rows)
    for key in ("entries", "domains", "records"):
        listed = head.get(key)
        if isinstance(listed, dict):
            del head[key]
            yield from ((RowId(title, str(each)), value) for each, value in listed.items())
    yield RowId(title, ""), head


def _id(row: Any) -> str:
    return str(row["id"]) if isinstance(row, dict) and "id" in row else str(row)


def _with_common_order(head: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what stands beside the rows, with the order of only those that both sides have."""
    if _ORDER not in head:
        return head
    return {**head, _ORDER: [row for row in head[_ORDER] if row in other.get(_ORDER, ())]}


def _says_something(spelled: Any) -> bool:
    return isinstance(spelled, dict) and isinstance(spelled.get("then"), dict)
