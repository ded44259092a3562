"""What every check of one table after the other has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.checks.check import Check
from streamt_ol.engine.verifying import regions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.checks.check import Found
    from streamt_ol.engine.checks.draft import Draft
    from streamt_ol.engine.tables import Table
    from streamt_ol.engine.verifying import Region


class TableCheck(Check):
    """A check that looks at one table after the other."""

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield the faults of every table."""
        for table in draft.rules.tables.values():
            yield from self.find_in(table, regions(table, draft.rules.vocabulary), draft)

    def find_in(self, table: Table, parts: list[Region], draft: Draft) -> Iterator[Found]:
        """Yield the faults of a table."""
        raise NotImplementedError
