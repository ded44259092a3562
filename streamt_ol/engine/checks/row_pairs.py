"""Two rows of a table that one record can match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.checks.check import Found
from streamt_ol.engine.checks.table_check import TableCheck
from streamt_ol.engine.checks.words import conditions
from streamt_ol.engine.verifying import overlaps, pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.checks.draft import Draft
    from streamt_ol.engine.tables import Row, Table
    from streamt_ol.engine.verifying import Overlap, Region

WHAT_HELPS = "narrow `when` of one of them, or remove one"


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
