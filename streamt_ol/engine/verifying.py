"""What must hold of a table before it may decide: totality, no overlap, no row without effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.boxes import Box, intersect, remainder
from streamt_ol.engine.errors import GapError, OverlapError, UnreachableRowError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.engine.tables import Row, Table
    from streamt_ol.engine.vocabulary import Value, Vocabulary


def spaces(table: Table, vocabulary: Vocabulary) -> dict[str, Box]:
    """Return, per record that the table is about, every combination of its inputs as one box."""
    return {
        record: {name: frozenset(vocabulary.records[record][name].domain or ()) for name in table.inputs}
        for record in table.about
    }


def reach(row: Row, space: Box) -> Box | None:
    """Return the part of a space that a row matches; None when there is none."""
    return intersect(space, {name: row.when.get(name, values) for name, values in space.items()})


def verify(table: Table, vocabulary: Vocabulary) -> None:
    """Refuse a table that does not decide every combination, or decides one twice."""
    if table.hit == "pattern":
        _verify_patterns(table)
        return
    reached: set[str] = set()
    for record, space in spaces(table, vocabulary).items():
        boxes = {row.id: box for row in table.rows if (box := reach(row, space)) is not None}
        if table.hit != "collect":
            _refuse_gaps(table, record, space, boxes)
        if table.hit == "unique":
            _refuse_overlaps(table, boxes, None)
            reached |= boxes.keys()
        elif table.hit == "first":
            reached |= set(_effective(boxes))
        else:
            _refuse_overlaps(table, boxes, _distinct(table))
            reached |= boxes.keys()
    for row in table.rows:
        if row.id not in reached:
            raise UnreachableRowError(
                f"row {row.id!r} of {table.name!r} can never be reached", location=row.pointer
            )


def missing_row(gap: Box, space: Box) -> str:
    """Return the missing row of a gap as YAML, ready to paste; `then` is left to its author."""
    conditions = ", ".join(
        f"{name}: {_spelled(values)}" for name, values in gap.items() if values != space[name]
    )
    return f"{{id: TODO, when: {{{conditions}}}, then: {{}}}}"


def _spelled(values: frozenset[Value]) -> str:
    words = sorted(str(value).lower() if isinstance(value, bool) else value for value in values)
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]"


def _refuse_gaps(table: Table, record: str, space: Box, boxes: Mapping[str, Box]) -> None:
    for gap in remainder([space], boxes.values()):
        raise GapError(
            f"table {table.name!r} has no row for some {record!r} records",
            location="/rows",
            suggestion=f"add a row: {missing_row(gap, space)}",
        )


def _distinct(table: Table) -> str | None:
    """Return the output of which a record may get each value once: what a `collect` table is keyed by."""
    return next((name for name, kind in table.outputs.items() if kind == "key"), None)


def _refuse_overlaps(table: Table, boxes: Mapping[str, Box], key: str | None) -> None:
    if table.hit == "collect" and key is None:
        return
    rows = {row.id: row for row in table.rows}
    ids = list(boxes)
    for position, earlier in enumerate(ids):
        for later in ids[position + 1 :]:
            if key is not None and rows[earlier].then.get(key) != rows[later].then.get(key):
                continue
            if intersect(boxes[earlier], boxes[later]) is not None:
                raise OverlapError(
                    f"rows {earlier!r} and {later!r} of {table.name!r} match the same records",
                    location=rows[later].pointer,
                )


def _effective(boxes: Mapping[str, Box]) -> Iterator[str]:
    """Yield the rows of a `first` table that earlier rows leave something to."""
    taken: list[Box] = []
    for row, box in boxes.items():
        if remainder([box], taken):
            yield row
        taken.append(box)


def _verify_patterns(table: Table) -> None:
    open_rows = [row for row in table.rows if row.pattern is None]
    if not open_rows:
        raise GapError(f"table {table.name!r} needs a last row without a pattern", location="/rows")
    if open_rows[0] is not table.rows[-1]:
        raise UnreachableRowError(
            f"row {open_rows[0].id!r} of {table.name!r} has no pattern and is not the last",
            location=open_rows[0].pointer,
        )
