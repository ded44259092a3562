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


class Approvable(NamedTuple):
    """A breaking change of one run, by what an approval names it by."""

    change: str
    """The id of the change."""
    run: str
    """`CASE/RUN`."""


@dataclass(frozen=True, slots=True)
class Approval:
    """One entry: which change of which run is wanted, why, and who says so."""

    about: Approvable
    reason: str
    by: str
    place: Place


@dataclass(frozen=True, slots=True)
class Approvals:
    """The entries of a golden folder, in their order."""

    entries: Sequence[Approval]

    def of(self, about: Approvable) -> Approval | None:
        """Return the entry about a change, None where nobody approved it."""
        return next((entry for entry in self.entries if entry.about == about), None)

    def stale(self, breaking: Collection[Approvable]) -> list[Approval]:
        """Return the entries that match none of the breaking changes: they may be deleted."""
        return [entry for entry in self.entries if entry.about not in breaking]


def read_approvals(golden: Path) -> Approvals:
    """Return the approvals of a golden folder, none without the file; raises `ApprovalsError`."""
    path = golden / APPROVALS_FILE
    if not path.exists():
        return Approvals(())
    entries: list[dict[str, Any]] = read_document(path, "approvals.schema.json", ApprovalsError) or []
    marks = yaml_marks.Marks(path.read_bytes(), str(path))
    return Approvals(
        [
            Approval(
                Approvable(entry["change"], entry["case"]),
                entry["reason"],
                entry["by"],
                marks.find((str(index),)),
            )
            for index, entry in enumerate(entries)
        ]
    )


def draft(about: Approvable) -> str:
    """Return the entry to add for a change; it is refused until it has a reason and a name."""
    import json  # JSON strings are YAML strings

    change, run = (json.dumps(part, ensure_ascii=False) for part in about)
    return f"- change: {change}\n  case: {run}\n  reason: \n  by: "
