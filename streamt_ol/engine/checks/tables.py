"""What is decided about whole tables, over every combination of their inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.boxes import intersect
from streamt_ol.engine.checks.check import Check, Found
from streamt_ol.engine.checks.words import conditions, listed, token, word
from streamt_ol.engine.missing_rows import missing_row
from streamt_ol.engine.verifying import (
    gaps,
    lacks_open_row,
    overlaps,
    pairs,
    regions,
    shadows,
    unsatisfiable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.checks.draft import Draft
    from streamt_ol.engine.tables import Row, Table
    from streamt_ol.engine.verifying import Overlap, Region

WHAT_HELPS = "narrow `when` of one of them, or remove one"


class TableCheck(Check):
    """A check that looks at one table after the other."""

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield the faults of every table."""
        for table in draft.rules.tables.values():
            yield from self.find_in(table, regions(table, draft.rules.vocabulary), draft)

    def find_in(self, table: Table, parts: list[Region], draft: Draft) -> Iterator[Found]:
        """Yield the faults of a table."""
        raise NotImplementedError


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


class PairCheck(TableCheck):
    """A check of two rows that one record can match; `kind_of` says which check shows a pair."""

    def find_in(self, table: Table, parts: list[Region], draft: Draft) -> Iterator[Found]:
        """Yield the pairs of the kind, at the later row."""
        refused = {(pair.earlier.pointer, pair.later.pointer) for pair in overlaps(table, parts)}
        for pair in pairs(parts, lambda _earlier, _later: True):
            is_refused = (pair.earlier.pointer, pair.later.pointer) in refused
            if kind_of(pair, table, draft) == self.name and (is_refused or self.always(table)):
                yield Found(
                    table.file,
                    pair.later.pointer,
                    self.message(pair, table, draft),
                    WHAT_HELPS,
                    pair.earlier.id,
                    None if is_refused or table.hit == "first" else "warning",
                )

    def always(self, table: Table) -> bool:
        """Whether such a pair is worth a word where the hit policy allows both rows."""
        return table.hit == "collect"

    def message(self, pair: Overlap, table: Table, draft: Draft) -> str:
        """Return what to say, with both rows."""
        rows = f"rows {draft.named(table, pair.earlier)} and {draft.named(table, pair.later)}"
        records = f"{pair.region.record} records{conditions(pair.box, table.inputs)}"
        return self.sentence(rows, records)

    def sentence(self, rows: str, records: str) -> str:
        """Return what is wrong with two rows about some records."""
        raise NotImplementedError


class DuplicateRow(PairCheck):
    """Two rows have the same conditions and say the same."""

    name = "duplicate-row"

    def always(self, table: Table) -> bool:  # noqa: ARG002 - never of any use
        """Whatever the hit policy, one of the two is enough."""
        return True

    def sentence(self, rows: str, records: str) -> str:
        """Return what is wrong."""
        return f"{rows} have the same conditions and say the same about {records}"


class OverlapCheck(PairCheck):
    """Two rows say the same about one record, where one would do."""

    name = "overlap"

    def sentence(self, rows: str, records: str) -> str:
        """Return what is wrong."""
        return f"{rows} say the same twice about {records}"


class Conflict(PairCheck):
    """Two rows say different things about one record, where one may speak."""

    name = "conflict"

    def always(self, table: Table) -> bool:  # noqa: ARG002 - a `collect` table is there for that
        """Different rows of a `collect` table may say different things."""
        return False

    def sentence(self, rows: str, records: str) -> str:
        """Return what is wrong."""
        return f"{rows} say different things about {records}"


def kind_of(pair: Overlap, table: Table, draft: Draft) -> str:
    """Return the name of the check that shows a pair of rows: each pair has one."""
    same_outputs = _spelled_outputs(pair.earlier, table, draft) == _spelled_outputs(pair.later, table, draft)
    if same_outputs and _conditions(pair.earlier, table) == _conditions(pair.later, table):
        return DuplicateRow.name
    return OverlapCheck.name if same_outputs else Conflict.name


def _spelled_outputs(row: Row, table: Table, draft: Draft) -> object:
    return draft.spelled(table, row).get("then", {})


def _conditions(row: Row, table: Table) -> object:
    return {name: row.when.get(name, frozenset(domain)) for name, domain in table.inputs.items()}


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
