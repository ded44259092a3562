"""What the rule tables are asked about a difference between two exports, and what they may answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from streamt_ol.engine.errors import DomainError
from streamt_ol.engine.ruleset import Needs
from streamt_ol.ground.errors import Place

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet

Severity = Literal["breaking", "notable", "cosmetic"]
SEVERITIES: tuple[Severity, ...] = ("breaking", "notable", "cosmetic")
"""Most severe first."""


@dataclass(frozen=True, slots=True)
class ChangeFacts:
    """One difference; `what` is it in words, `old` and `new` are its values where a message may show them."""

    at: str
    kind: str
    subject: str
    operation: str
    what: str
    old: str
    new: str


DIFF_NEEDS = Needs(
    tables={"changes": ["severity", "message"]}, catalogues={}, records={"change": ChangeFacts}
)
"""What a comparison reads of a rule set."""


def require_changes(rules: RuleSet) -> None:
    """Refuse a rule set that lacks what a comparison reads, or knows other severities."""
    rules.require(DIFF_NEEDS)
    table = rules.table("changes")
    for row in table.rows:
        if row.then["severity"] not in SEVERITIES:
            raise DomainError(
                f"row {row.id!r} gives an unknown severity; known are {', '.join(SEVERITIES)}",
                location=f"{row.pointer}/then/severity",
                place=Place(str(rules.folder / table.file)),
            )
