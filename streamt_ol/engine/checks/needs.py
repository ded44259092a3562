"""What the rest of a rule set, and the program, want of each file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.engine.checks.check import Check, Found
from streamt_ol.engine.errors import UnknownTableError
from streamt_ol.engine.ruleset import CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.engine.checks.draft import Draft
    from streamt_ol.engine.ruleset import Needs


class UnknownCode(Check):
    """A row gives a code that the catalogue of codes does not have."""

    name = "unknown-code"

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield each code at the row that gives it."""
        if self.hindrance(draft) is None:
            for table in draft.rules.tables.values():
                for fault in draft.rules.unknown_codes(table):
                    remedy = f"correct it, or add it to the catalogue {CODES!r}"
                    yield Found(table.file, fault.location or "", fault.message, remedy)

    def hindrance(self, draft: Draft) -> str | None:
        """Return that the catalogue may be a file that cannot be read."""
        if CODES in draft.rules.catalogues or not draft.unread:
            return None
        return "codes of rows are not checked: their catalogue is missing or cannot be read"


class UnmetNeed(Check):
    """The program reads something that is not there, or does not know a fact that is declared."""

    name = "unmet-need"

    def __init__(self, needs: Sequence[Needs]) -> None:
        self._needs = needs

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield each need once; a missing table only where every file could be read."""
        seen: set[tuple[str, str, str | None]] = set()
        for needs in self._needs:
            for file, fault in draft.rules.unmet(needs):
                is_missing = isinstance(fault, UnknownTableError)
                told = (file, fault.message, fault.location)
                if told in seen or (is_missing and draft.unread):
                    continue
                seen.add(told)
                detail = (fault.location or "").rpartition("/")[2] if is_missing else None
                remedy = "add it" if file != draft.rules.vocabulary_file else "remove it"
                yield Found(file, "" if is_missing else fault.location or "", fault.message, remedy, detail)

    def hindrance(self, draft: Draft) -> str | None:
        """Return that a missing table may stand in a file that cannot be read."""
        if self._needs and draft.unread:
            return "whether a table is missing is not checked: some files cannot be read or understood"
        return None


class Unread(Check):
    """Files that can be read, and that no other check looks into."""

    name = "not-checked"
    severity = "note"

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield one note with all their names."""
        files = ", ".join(sorted(draft.unread & draft.sources.keys()))
        if files and draft.lost:
            yield Found("", "", f"not checked, for want of a vocabulary that can be used: {files}")
        elif files:
            yield Found("", "", f"not checked, because another file has the same name: {files}")
