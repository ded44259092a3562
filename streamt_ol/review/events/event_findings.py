"""What a check of events has to say: remarks about one event, findings in files, and how many of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from streamt_ol.ground.errors import Place
from streamt_ol.ground.pointer import pointer

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""The most severe first."""
NOTES = frozenset({"W150_EVENTS_BLANK_LINE", "W153_SCHEMA_NOT_PINNED"})
"""Codes of what is worth knowing and never wrong by itself."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about one line."""

    code: str
    path: tuple[str | int, ...]
    """Keys and indices from the root of the line's JSON text."""
    message: str
    """Keys, kinds and words of the standard; never a value of the event."""
    column: int | None = None
    """In characters from 1, where no path leads to the fault."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark with its place."""

    severity: Severity
    code: str
    message: str
    location: str
    """JSON pointer into the line."""
    place: Place


def severity_of(code: str) -> Severity:
    """Return how bad a finding of the code is."""
    if code in NOTES:
        return "note"
    return "error" if code.startswith("E") else "warning"


def fingerprint(*texts: str) -> bytes:
    """Return 16 bytes that stand for the texts: what is met many times is remembered by them."""
    return blake2b(repr(texts).encode(), digest_size=16).digest()


class Tally:
    """Counts every finding and keeps the first `limit` of each severity, whatever their number.

    A note is counted once per file, at its first place: what it says holds for all that follow.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.codes: Counter[str] = Counter()
        """Code to number of findings."""
        self._kept: dict[Severity, list[tuple[int, Finding]]] = {severity: [] for severity in SEVERITIES}
        self._noted: set[bytes] = set()

    def add(self, remark: Remark, file: str, line: int) -> None:
        """Count a remark about a line."""
        severity = severity_of(remark.code)
        if severity == "note":
            mark = fingerprint(file, remark.code, remark.message)
            if mark in self._noted:
                return
            self._noted.add(mark)
        order = self.codes.total()
        self.codes[remark.code] += 1
        kept = self._kept[severity]
        if len(kept) < self.limit:
            place = Place(file, line, remark.column)
            finding = Finding(severity, remark.code, remark.message, pointer(*remark.path), place)
            kept.append((order, finding))

    def counts(self) -> dict[Severity, int]:
        """Return the number of findings of each severity."""
        counted = dict.fromkeys(SEVERITIES, 0)
        for code, count in self.codes.items():
            counted[severity_of(code)] += count
        return counted

    def shown(self) -> list[Finding]:
        """Return the `limit` most severe findings in the order in which they were found."""
        by_severity = [entry for severity in SEVERITIES for entry in self._kept[severity]]
        return [finding for _order, finding in sorted(by_severity[: self.limit], key=lambda entry: entry[0])]
