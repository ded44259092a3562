"""What must hold of a table before it may decide: totality, no overlap, no row without effect.

Everything is decided by boxes, over every combination of inputs. A row with a condition that cannot be read
gets the benefit of the doubt: it covers all that its other conditions allow, and neither overlaps nor hides
another row. So whatever is found stays true when that condition is corrected.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.engine.boxes import Box, intersect, remainder
from streamt_ol.engine.errors import GapError, OverlapError, RulesError, UnreachableRowError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from streamt_ol.engine.tables import Row, Table
    from streamt_ol.engine.vocabulary import Vocabulary


class Region(NamedTuple):
    """Every combination of inputs of one kind of record, and what the rows match of it."""

    record: str
    space: Box
    matched: tuple[tuple[Row, Box], ...]
    """The rows that match something here, in their order."""


class Gap(NamedTuple):
    """Combinations that no row covers."""

    region: Region
    box: Box


class Overlap(NamedTuple):
    """Two rows that match the same combinations, where one may."""

    region: Region
    earlier: Row
    later: Row
    box: Box


class Shadow(NamedTuple):
    """A row that never decides, because of the rows before it."""

    row: Row
    before: tuple[Row, ...]


def regions(table: Table, vocabulary: Vocabulary) -> list[Region]:
    """Return, per record that the table is about, what its rows match; nothing for a table with patterns."""
    made = []
    for record in table.about if table.hit != "pattern" else ():
        facts = vocabulary.records[record]
        space: Box = {name: frozenset(facts[name].domain or ()) for name in table.inputs}
        matched = tuple((row, box) for row in table.rows if (box := reach(row, space)) is not None)
        made.append(Region(record, space, matched))
    return made


def reach(row: Row, space: Box) -> Box | None:
    """Return the part of a space that a row matches; None when there is none."""
    return intersect(space, {name: row.when.get(name, values) for name, values in space.items()})


def faults(table: Table, vocabulary: Vocabulary) -> Iterator[RulesError]:
    """Yield why a table may not decide: what is not decided, what is decided twice, rows without effect."""
    parts = regions(table, vocabulary)
    for gap in gaps(table, parts):
        from streamt_ol.engine.missing_rows import missing_row  # only a gap needs it

        yield GapError(
            f"table {table.name!r} has no row for some {gap.region.record!r} records",
            location="/rows",
            suggestion=f"add a row: {missing_row(table, gap.box)}",
        )
    if lacks_open_row(table):
        yield GapError(f"table {table.name!r} needs a last row without a pattern", location="/rows")
    for overlap in overlaps(table, parts):
        yield OverlapError(
            f"rows {overlap.earlier.id!r} and {overlap.later.id!r} of {table.name!r} match the same records",
            location=overlap.later.pointer,
        )
    for row in [*unsatisfiable(table, parts), *(shadow.row for shadow in shadows(table, parts))]:
        yield UnreachableRowError(
            f"row {row.id!r} of {table.name!r} can never be reached", location=row.pointer
        )


def gaps(table: Table, parts: Sequence[Region]) -> Iterator[Gap]:
    """Yield the combinations that no row covers, where the hit policy wants one for each.

    The boxes are disjoint, also those of different kinds of records: a row for each fills them all and makes
    no overlap. Large spaces come first, because their rows may fill gaps of the others.
    """
    if table.hit not in ("unique", "first"):
        return
    filled: list[Box] = []
    for region in sorted(parts, key=_size, reverse=True):
        covered = [box for _row, box in region.matched]
        for box in remainder([region.space], [*covered, *filled]):
            filled.append(box)
            yield Gap(region, box)


def _size(region: Region) -> int:
    return prod(len(values) for values in region.space.values())


def lacks_open_row(table: Table) -> bool:
    """Whether a table with patterns has no row for a text in which none of them is found."""
    return table.hit == "pattern" and all(row.pattern is not None or not row.whole for row in table.rows)


def overlaps(table: Table, parts: Sequence[Region]) -> Iterator[Overlap]:
    """Yield each pair of rows that one record can match, where the hit policy or a key allows one."""
    key = _key(table)
    if table.hit == "unique":
        yield from pairs(parts, lambda _earlier, _later: True)
    elif key is not None:
        yield from pairs(parts, lambda earlier, later: earlier.then.get(key) == later.then.get(key))


def pairs(parts: Sequence[Region], alike: Callable[[Row, Row], bool]) -> Iterator[Overlap]:
    """Yield each pair of alike rows that one record can match, in the order of the rows."""
    seen: set[tuple[str, str]] = set()
    for region in parts:
        matched = [(row, box) for row, box in region.matched if row.whole]
        for position, (earlier, box) in enumerate(matched):
            for later, other in matched[position + 1 :]:
                pair = (earlier.pointer, later.pointer)
                if pair in seen or not alike(earlier, later):
                    continue
                common = intersect(box, other)
                if common is not None:
                    seen.add(pair)
                    yield Overlap(region, earlier, later, common)


def _key(table: Table) -> str | None:
    """Return the output of which a record may get each value once: what a `collect` table is keyed by."""
    if table.hit != "collect":
        return None
    return next((name for name, kind in table.outputs.items() if kind == "key"), None)


def unsatisfiable(table: Table, parts: Sequence[Region]) -> Iterator[Row]:
    """Yield the rows whose conditions no record can meet."""
    matching = {row.pointer for region in parts for row, _box in region.matched}
    return (row for row in table.rows if parts and row.whole and row.pointer not in matching)


def shadows(table: Table, parts: Sequence[Region]) -> Iterator[Shadow]:
    """Yield the rows that match something, and that earlier rows leave nothing."""
    if table.hit == "pattern":
        yield from _pattern_shadows(table)
    if table.hit != "first":
        return
    for row in table.rows:
        before: dict[str, Row] = {}
        left = False
        for region in parts:
            matched = {other.pointer: (other, box) for other, box in region.matched}
            if not row.whole or row.pointer not in matched:
                continue
            _row, own = matched[row.pointer]
            earlier = [
                (other, box)
                for other, box in list(matched.values())[: list(matched).index(row.pointer)]
                if other.whole and intersect(own, box) is not None
            ]
            before |= {other.pointer: other for other, _box in earlier}
            left = left or bool(remainder([own], (box for _other, box in earlier)))
        if before and not left:
            yield Shadow(row, tuple(before.values()))


def _pattern_shadows(table: Table) -> Iterator[Shadow]:
    """Yield rows behind one without a pattern, or with the pattern of an earlier row."""
    for position, row in enumerate(table.rows):
        for other in table.rows[:position]:
            is_open = other.pattern is None and other.whole
            if is_open or (row.pattern is not None and row.pattern == other.pattern):
                yield Shadow(row, (other,))
                break
