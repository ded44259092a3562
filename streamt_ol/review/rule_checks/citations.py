"""The citations of rows against the statements of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.checks.check import Check, Found
from streamt_ol.review.tables.contract import read_statements

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from streamt_ol.engine.checks.draft import Draft


class Citation(Check):
    """A row cites a statement that the contract does not have."""

    name = "unknown-citation"

    def __init__(self, fallback: Path) -> None:
        """Take the page to read where none lies beside the tables."""
        self._fallback = fallback

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield each citation that leads nowhere."""
        page = self._page(draft)
        if page is None:
            return
        statements = read_statements(page.read_text("utf-8"))
        for table in draft.rules.tables.values():
            for row in table.rows:
                for position, number in enumerate(row.cites):
                    if number not in statements:
                        yield Found(
                            table.file,
                            f"{row.pointer}/cites/{position}",
                            f"row {row.id!r} cites {number}, which docs/contract.md does not have",
                            "correct the number, or write the statement",
                            number,
                        )

    def hindrance(self, draft: Draft) -> str | None:
        """Return that there is no contract to look into."""
        if self._page(draft) is None:
            return "citations are not checked: there is no docs/contract.md beside the tables"
        return None

    def _page(self, draft: Draft) -> Path | None:
        beside = draft.folder.resolve().parent / "docs" / "contract.md"
        return next((page for page in (beside, self._fallback) if page.is_file()), None)
