"""Findings: what is wrong, or worth a word, in the order of the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamt_ol.ground.errors import Diagnostic, StreamtError
from streamt_ol.ground.pointer import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.governance.facts import Breach
    from streamt_ol.project.records import Origins

ORDER = ("project", "defaults", "rules", "lifecycle", "connections", "runtime")
"""The root keys whose findings come before those of the sections with entries."""

SECTIONS = ("sources", "models", "tests", "exposures")


@dataclass(frozen=True, slots=True)
class Finding:
    """One error or warning; which of both, the catalogue of codes says."""

    code: str
    message: str
    location: str
    suggestion: str | None = None
    line_within: int | None = None
    column_within: int | None = None

    def order(self) -> tuple[int, list[tuple[int, int, str]], str, str]:
        """Return the key that sorts findings by their place in the project, then by code."""
        path = tokens(self.location)
        roots = ORDER + SECTIONS
        rank = roots.index(path[0]) if path and path[0] in roots else -1
        steps = [(0, int(step), "") if step.isdecimal() else (1, 0, step) for step in path[1:]]
        return rank, steps, self.code, self.message

    def diagnostic(self, origins: Origins) -> Diagnostic:
        """Return what to show, with the place in a file."""
        place = origins.place(self.location, self.line_within, self.column_within)
        return Diagnostic(self.code, self.message, self.location, place, self.suggestion)


def from_error(error: StreamtError) -> Finding:
    """Return the finding of a failure to compile, under its own code."""
    shown = error.diagnostic()
    return Finding(
        shown.code,
        shown.message,
        shown.location or "",
        shown.suggestion,
        error.line_within,
        error.column_within,
    )


def from_breaches(breaches: Iterable[Breach], rules: RuleSet) -> Iterator[Finding]:
    """Yield the findings that the table `breaches` makes of what breaks a rule."""
    table = rules.table("breaches")
    for breach in breaches:
        decision = table.decide(breach)
        yield Finding(decision["code"], decision["message"](breach), breach.at)


def from_table(name: str, record: object, rules: RuleSet) -> Iterator[Finding]:
    """Yield the findings of every row of a table that matches a record."""
    for decision in rules.table(name).decide_all(record):
        yield Finding(decision["code"], decision["message"](record), decision["location"](record))


def is_error(code: str, rules: RuleSet) -> bool:
    """Return whether the catalogue calls a code an error."""
    severity: str = rules.catalogue("diagnostics")[code]["severity"]
    return severity == "error"
