"""What is decided about whole tables, over every combination of their inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.boxes import intersect
from streamt_ol.engine.checks.check import Found
from streamt_ol.engine.checks.row_pairs import Conflict, DuplicateRow, OverlapCheck, kind_of
from streamt_ol.engine.checks.table_check import TableCheck
from streamt_ol.engine.checks.words import conditions, listed, token, word
from streamt_ol.engine.missing_rows import missing_row
from streamt_ol.engine.verifying import gaps, lacks_open_row, pairs, shadows, unsatisfiable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.checks.draft import Draft
    from streamt_ol.engine.tables import Row, Table
    from streamt_ol.engine.verifying import Region


class GapCheck(TableCheck):
    """No row covers some combination of inputs."""

    name = "gap"

    def find_in(self, table: Table, parts: list[Region], draft: Draft) -> Iterator[Found]:  # noqa: ARG002
        """Yield each gap with the row that fills it."""
        for gap in gaps(table, parts):
            records = listed(part.record for part in parts if intersect(gap.box, part.space) is not None)
            yield Found(
                table.file,
                "/rows",
                f"no row decides about {records} records{conditions(gap.box, table.inputs)}",
                f"add this row:\n- {missing_row(table, gap.box)}",
                token(gap.box, table.inputs),
            )
        if lacks_open_row(table):
            row = missing_row(table, {})
            yield Found(
                table.file,
                "/rows",
                "no row decides about a text in which no pattern is found",
                f"add this row at the end:\n- {row}",
                "open",
            )


class Shadowed(TableCheck):
    """A row of a `first` or `pattern` table never decides, because rows before it do."""

    name = "shadowed-row"

    def find_in(self, table: Table, parts: list[Region], draft: Draft) -> Iterator[Found]:
        """Yield the rows that earlier rows leave nothing; of duplicates another check speaks."""
        duplicates = {
            pair.later.pointer
            for pair in pairs(parts, lambda _earlier, _later: True)
            if kind_of(pair, table, draft) == DuplicateRow.name
        }
        for shadow in shadows(table, parts):
            if shadow.row.pointer not in duplicates:
                before = ", ".join(draft.named(table, row) for row in shadow.before)
                yield Found(
                    table.file,
                    shadow.row.pointer,
                    f"row {draft.named(table, shadow.row)} never decides: all that it matches is decided "
                    f"before it by {before}",
                    "move it before them, narrow one of them, or remove it",
                    "",
                )


class Unsatisfiable(TableCheck):
    """No record can meet the conditions of a row."""

    name = "unsatisfiable-row"

    def find_in(self, table: Table, parts: list[Region], draft: Draft) -> Iterator[Found]:
        """Yield the rows that match nothing, and why for each kind of record."""
        for row in unsatisfiable(table, parts):
            reasons = "; ".join(_never(row, region) for region in parts)
            yield Found(
                table.file,
                row.pointer,
                f"no record meets the conditions of row {draft.named(table, row)}: {reasons}",
                "correct a condition, or remove the row",
                "",
            )


def _never(row: Row, region: Region) -> str:
    impossible = [
        f"{name} is never {listed(row.when[name])}"
        for name, values in region.space.items()
        if name in row.when and not row.when[name] & values
    ]
    return f"of {region.record} records {' and '.join(impossible)}"


class IdleValue(TableCheck):
    """A condition allows a value that no record has which meets the other conditions of the row."""

    name = "idle-value"
    severity = "warning"

    def find_in(self, table: Table, parts: list[Region], draft: Draft) -> Iterator[Found]:
        """Yield the conditions with such values; rows that match nothing have their own check."""
        for row in table.rows:
            boxes = [box for region in parts for other, box in region.matched if other is row]
            if not boxes or not row.whole:
                continue
            for name, allowed in row.when.items():
                idle = allowed - frozenset().union(*(box[name] for box in boxes))
                if idle:
                    yield Found(
                        table.file,
                        f"{row.pointer}/when/{name}",
                        f"row {draft.named(table, row)} allows {name} {listed(idle)}, which no record has "
                        "that meets its other conditions",
                        f"leave {', '.join(sorted(map(word, idle)))} out",
                    )


class IdleInput(TableCheck):
    """An input that no row looks at."""

    name = "idle-input"
    severity = "warning"

    def find_in(self, table: Table, parts: list[Region], draft: Draft) -> Iterator[Found]:  # noqa: ARG002
        """Yield the inputs that no row restricts or copies."""
        asked: list[str] = list(draft.sources[table.file].document.get("inputs", ()))
        looked_at = {name for row in table.rows for name in draft.spelled(table, row).get("when", {})}
        copied = {
            value
            for row in table.rows
            for value in draft.spelled(table, row).get("then", {}).values()
            if isinstance(value, str)
        }
        for name in table.inputs:
            if name not in looked_at and f"${name}" not in copied:
                yield Found(
                    table.file,
                    f"/inputs/{asked.index(name)}",
                    f"no row looks at input {name!r}",
                    "remove it from `inputs`, or add conditions on it",
                )


TABLE_CHECKS: tuple[TableCheck, ...] = (
    GapCheck(),
    DuplicateRow(),
    OverlapCheck(),
    Conflict(),
    Shadowed(),
    Unsatisfiable(),
    IdleValue(),
    IdleInput(),
)
