"""The commands about golden cases, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.cli.documents import DocumentResult, print_document, shown
from streamt_ol.cli.face import diagnostics
from streamt_ol.cli.report import Result
from streamt_ol.cli.statuses import FAILURE, SUCCESS, USAGE
from streamt_ol.ground.errors import Failures, StreamtError
from streamt_ol.review.diffs.change_facts import require_changes
from streamt_ol.review.golden.cases import read_runs
from streamt_ol.review.golden.checking import verdict
from streamt_ol.review.golden.pending import latest_parts, pending_of, record, selected
from streamt_ol.review.golden.report import markdown
from streamt_ol.review.golden.report_document import document
from streamt_ol.review.golden.reviewing import review
from streamt_ol.review.golden.revisions import branching_point, revision
from streamt_ol.review.golden.running import execute_all
from streamt_ol.review.golden.texts import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from streamt_ol.cli.face import Face
    from streamt_ol.review.golden.cases import Run
    from streamt_ol.review.golden.pending import Pending
    from streamt_ol.review.golden.revisions import Revision


@dataclass(frozen=True, slots=True)
class GoldenResult(DocumentResult):
    """A result that tells what is not as approved from what could not be looked at."""

    status: int = SUCCESS

    @property
    def exit_status(self) -> int:
        """Return 0 without findings, 1 with findings, 2 if something could not be run or compared."""
        return self.status


def could_not(face: Face, work: Callable[[], Result]) -> Callable[[], Result]:
    """Return the work with status 2 for whatever stops it: then nothing is known about the cases."""

    def attempt() -> Result:
        try:
            return work()
        except (StreamtError, Failures) as error:
            return GoldenResult(face.command, errors=diagnostics(error), status=USAGE)

    return attempt


def check_golden(
    face: Face, folder: Path, names: Sequence[str], base: str | None, form: str, *, with_base: bool
) -> Result:
    """Run cases and return what is not as approved; nothing is written.

    Raises what reading, running and comparing raise (`review.golden.errors`).
    """
    rules = face.load_rules()
    require_changes(rules)
    everybody = read_runs(folder)
    runs = read_runs(folder, names)
    since = _base(folder, base) if with_base else None
    outcomes = execute_all(runs, face.rules)
    latest = [outcome.parts for outcome in outcomes]
    changes = None if since is None else review(folder, runs, latest, since, rules, complete=not names)
    found = verdict(runs, outcomes, everybody, changes)
    data = found.document()
    print_document(face, form, data, lambda: "" if face.quiet else shown([found.summary()]))
    status = FAILURE if found.failures else SUCCESS
    return GoldenResult(
        face.command, data=data, errors=found.failures, warnings=found.warnings, status=status
    )


def run_golden(face: Face, folder: Path, names: Sequence[str]) -> Result:
    """Run cases and leave what differs pending; raises what reading and running raise, `OutputFileError`."""
    runs, pending = run_and_record(face, folder, names)
    for each in pending:
        face.say(str(each.path))
    face.say(f"{counted(len(runs), 'run')}: {counted(len(pending), 'file')} pending")
    return Result(face.command, data={"runs": len(runs), "pending": [str(each.path) for each in pending]})


def run_and_record(face: Face, folder: Path, names: Sequence[str]) -> tuple[list[Run], list[Pending]]:
    """Run cases, leave what differs pending, and return the runs and everything of theirs that is pending."""
    runs = read_runs(folder, names)
    for run, outcome in zip(runs, execute_all(runs, face.rules), strict=True):
        record(run, outcome)
        if outcome.exit_status != run.exit_status:
            face.say(f"{run.id}: exit status {outcome.exit_status}, the case says {run.exit_status}")
    return runs, pending_of(runs)


def decide_golden(face: Face, folder: Path, paths: Sequence[Path], *, accepted: bool) -> Result:
    """Accept or reject what is pending at the paths; raises `NothingPendingError` and `OutputFileError`."""
    chosen = selected(read_runs(folder), paths)
    for pending in chosen:
        if accepted:
            pending.accept()
        else:
            pending.reject()
        face.say(f"{'accepted' if accepted else 'rejected'} {pending.approved}")
    key = "accepted" if accepted else "rejected"
    return Result(face.command, data={key: [str(pending.approved) for pending in chosen]})


def report_golden(face: Face, folder: Path, base: str | None, form: str) -> Result:
    """Print what changed since a revision; raises what reading and comparing raise."""
    rules = face.load_rules()
    require_changes(rules)
    runs = read_runs(folder)
    changes = review(folder, runs, [latest_parts(run) for run in runs], _base(folder, base), rules)
    waiting = {pending.run.id for pending in pending_of(runs)}
    data: dict[str, Any] = document(changes, waiting)
    print_document(face, form, data, lambda: shown(markdown(changes, waiting).split("\n")))
    return Result(face.command, data=data)


def _base(folder: Path, name: str | None) -> Revision:
    return branching_point(folder) if name is None else revision(folder, name)
