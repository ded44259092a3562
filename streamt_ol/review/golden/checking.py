"""What fails a golden folder: output that nobody approved, files of nobody, breaking changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.ground.errors import Diagnostic, Place
from streamt_ol.review.golden.approvals import APPROVALS_FILE, draft
from streamt_ol.review.golden.cases import CASE_FILE, DIAGNOSTICS, EVENTS, TRACE
from streamt_ol.review.golden.pending import Pending, differing, orphans, pending_of
from streamt_ol.review.golden.texts import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from streamt_ol.review.golden.cases import Run
    from streamt_ol.review.golden.reviewing import Review
    from streamt_ol.review.golden.running import Outcome

DIFFERS = "E170_GOLDEN_DIFFERS"
ORPHAN = "E171_GOLDEN_ORPHAN"
UNDECIDED = "E172_GOLDEN_UNDECIDED"
NOT_APPROVED = "E173_GOLDEN_BREAKING"
STALE = "W160_GOLDEN_APPROVAL_STALE"

_OTHER = {
    EVENTS: "stdout is not as approved",
    DIAGNOSTICS: "stderr is not as approved",
    TRACE: "other rows decide than those approved",
}
_NEW = {
    EVENTS: "what stands on stdout is not approved",
    DIAGNOSTICS: "what stands on stderr is not approved",
    TRACE: "no decisions are approved",
}


@dataclass(frozen=True, slots=True)
class Differing:
    """A run that did not do what was approved."""

    run: Run
    parts: Sequence[str]
    exit_status: int

    @property
    def wrong_exit(self) -> bool:
        """Return whether it ended otherwise than the case says."""
        return self.exit_status != self.run.exit_status


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that a check found."""

    runs: int
    differing: Sequence[Differing]
    orphans: Sequence[Path]
    undecided: Sequence[Path]
    """Pending files that are left over."""
    review: Review | None
    """What changed since the base; None where nobody asked."""

    @property
    def failures(self) -> list[Diagnostic]:
        """Return what fails the check."""
        return [
            *(each for differing in self.differing for each in _about(differing)),
            *(_orphan(path) for path in self.orphans),
            *(_undecided(path) for path in self.undecided if path not in self._told),
            *self._breaking(),
        ]

    @property
    def _told(self) -> set[Path]:
        """Return the pending files of parts that differ: one error tells both."""
        return {Pending(each.run, part).path for each in self.differing for part in each.parts}

    @property
    def warnings(self) -> list[Diagnostic]:
        """Return what is worth a word and fails nothing."""
        stale = self.review.stale if self.review else []
        return [
            Diagnostic(
                STALE,
                f"the approval of {approval.change} in {approval.case} matches no breaking change",
                place=approval.place,
                suggestion="delete the entry",
            )
            for approval in stale
        ]

    def document(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "passed": not self.failures,
            "runs": self.runs,
            "differing": [
                {"run": each.run.id, "parts": list(each.parts), "exit": each.exit_status}
                | ({"expected_exit": each.run.exit_status} if each.wrong_exit else {})
                for each in self.differing
            ],
            "orphans": [str(path) for path in self.orphans],
            "pending": [str(path) for path in self.undecided],
            **({} if self.review is None else _reviewed(self.review)),
        }

    def summary(self) -> str:
        """Return one line about everything."""
        counts = {
            "different": len(self.differing),
            "orphaned": len(self.orphans),
            "pending": len(self.undecided),
        }
        told = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "all as approved"
        runs = counted(self.runs, "run")
        if self.review is None:
            return f"{runs}: {told}; compared with no revision"
        breaking = counted(len(self.review.breaking), "breaking change")
        return (
            f"{runs}: {told}; since {self.review.base}: "
            f"{breaking}, {len(self.review.unapproved)} not approved"
        )

    def _breaking(self) -> Iterator[Diagnostic]:
        """Yield each breaking change of a case once, with all runs that have it."""
        for breaking, said, runs in self.review.unapproved_by_case() if self.review else ():
            entry = draft(breaking.change, breaking.case if len(runs) > 1 else breaking.run)
            yield Diagnostic(
                NOT_APPROVED,
                f"{', '.join(runs)}: {said}",
                location=breaking.change,
                suggestion=f"if that is wanted, add to {APPROVALS_FILE}, with a reason:\n{entry}",
            )


def verdict(
    runs: Sequence[Run], outcomes: Sequence[Outcome], everybody: Sequence[Run], review: Review | None
) -> Verdict:
    """Return what is wrong with the outcomes of runs, and with the files beside what was approved.

    `everybody` are all the runs of the folder: what belongs to one of them is no orphan.
    """
    found = []
    for run, outcome in zip(runs, outcomes, strict=True):
        each = Differing(run, differing(run, outcome), outcome.exit_status)
        if each.parts or each.wrong_exit:
            found.append(each)
    return Verdict(
        len(runs), found, orphans(runs, everybody), [each.path for each in pending_of(runs)], review
    )


def _about(found: Differing) -> Iterator[Diagnostic]:
    run = found.run
    if found.wrong_exit:
        yield Diagnostic(
            DIFFERS,
            f"{run.id}: exit status {found.exit_status}, the case says {run.exit_status}",
            place=Place(str(run.folder / CASE_FILE)),
        )
    for part in found.parts:
        path = run.approved(part)
        said = _OTHER[part] if path.exists() else _NEW[part]
        waits = " (pending)" if Pending(run, part).path.exists() else ""
        yield Diagnostic(DIFFERS, f"{run.id}: {said}{waits}", place=Place(str(path)))


def _orphan(path: Path) -> Diagnostic:
    return Diagnostic(
        ORPHAN, "belongs to no run", place=Place(str(path)), suggestion="delete it, or add the run"
    )


def _undecided(path: Path) -> Diagnostic:
    return Diagnostic(
        UNDECIDED,
        "is pending: nobody has decided about it",
        place=Place(str(path)),
        suggestion="`streamt golden review`, `accept` or `reject` it",
    )


def _reviewed(review: Review) -> dict[str, Any]:
    return {
        "base": {"name": review.base.name, "commit": review.base.commit},
        "breaking": [
            {
                "change": about.change,
                "case": about.run,
                "message": said,
                "approved": about not in review.unapproved,
            }
            for about, said in review.breaking.items()
        ],
        "stale_approvals": [{"change": approval.change, "case": approval.case} for approval in review.stale],
    }
