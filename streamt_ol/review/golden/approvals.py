"""`approvals.yml` in a golden folder: breaking changes that somebody wants, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.ground import yaml_marks
from streamt_ol.review.golden.documents import read_document
from streamt_ol.review.golden.errors import ApprovalsError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from streamt_ol.ground.errors import Place

APPROVALS_FILE = "approvals.yml"


class Breaking(NamedTuple):
    """A breaking change of one run."""

    change: str
    """The id of the change."""
    run: str
    """`CASE/RUN`."""

    @property
    def case(self) -> str:
        """Return the name of the case."""
        return self.run.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Approval:
    """One entry: which change of which run is wanted, why, and who says so."""

    change: str
    """The id of the change."""
    case: str
    """`CASE`, for all of its runs, or `CASE/RUN`."""
    reason: str
    by: str
    place: Place

    def matches(self, breaking: Breaking) -> bool:
        """Return whether it is about this change."""
        return self.change == breaking.change and self.case in {breaking.case, breaking.run}


@dataclass(frozen=True, slots=True)
class Approvals:
    """The entries of a golden folder, in their order."""

    entries: Sequence[Approval]

    def of(self, breaking: Breaking) -> Approval | None:
        """Return the entry about a change, None where nobody approved it."""
        return next((entry for entry in self.entries if entry.matches(breaking)), None)

    def stale(self, breaking: Collection[Breaking]) -> list[Approval]:
        """Return the entries that match none of the breaking changes: they may be deleted."""
        return [entry for entry in self.entries if not any(map(entry.matches, breaking))]


def read_approvals(golden: Path) -> Approvals:
    """Return the approvals of a golden folder, none without the file; raises `ApprovalsError`."""
    path = golden / APPROVALS_FILE
    if not path.exists():
        return Approvals(())
    entries: list[dict[str, Any]] = read_document(path, "approvals.schema.json", ApprovalsError) or []
    marks = yaml_marks.Marks(path.read_bytes(), str(path))
    return Approvals(
        [
            Approval(entry["change"], entry["case"], entry["reason"], entry["by"], marks.find((str(index),)))
            for index, entry in enumerate(entries)
        ]
    )


def draft(change: str, case: str) -> str:
    """Return the entry to add for a change; it is refused until it has a reason and a name.

    Change and case need no quotes: ids consist of letters, digits and hyphens, and cases are folders.
    """
    return f'- change: "{change}"\n  case: {case}\n  reason:\n  by:'
