"""Approved output and what would replace it: `expected/RUN.PART`, and beside it `expected/RUN.PART.pending`.

New output is pending until somebody decides about it, and never written over what is approved. A pending file
of zero bytes says that the part becomes empty; what is empty has no approved file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamt_ol.ground.atomic_file import OutputFileError, write_atomically
from streamt_ol.review.golden.cases import PARTS
from streamt_ol.review.golden.errors import NothingPendingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from streamt_ol.review.golden.cases import Run
    from streamt_ol.review.golden.running import Outcome

SUFFIX = ".pending"


@dataclass(frozen=True, slots=True)
class Pending:
    """One part of a run that waits for a decision."""

    run: Run
    part: str

    @property
    def approved(self) -> Path:
        """Return the file that would be replaced."""
        return self.run.approved(self.part)

    @property
    def path(self) -> Path:
        """Return the file that waits."""
        return self.approved.with_name(self.approved.name + SUFFIX)

    def accept(self) -> None:
        """Make the pending part the approved one, in one step; raises `OutputFileError`."""
        try:
            if self.path.stat().st_size:
                self.path.replace(self.approved)
            else:
                self.approved.unlink(missing_ok=True)
                self.path.unlink()
        except OSError as error:
            raise OutputFileError(f"{self.path} was not accepted: {error.strerror}") from error

    def reject(self) -> None:
        """Delete the pending part; raises `OutputFileError`."""
        try:
            self.path.unlink()
        except OSError as error:
            raise OutputFileError(f"{self.path} was not rejected: {error.strerror}") from error


def approved_parts(run: Run) -> dict[str, bytes]:
    """Return what is approved of a run, every part; without a file it is empty."""
    return {part: _bytes(run.approved(part)) for part in PARTS}


def latest_parts(run: Run) -> dict[str, bytes]:
    """Return what is pending of a run, and where nothing is, what is approved."""
    waiting = {each.part: _bytes(each.path) for each in pending_of([run])}
    return {**approved_parts(run), **waiting}


def differing(run: Run, outcome: Outcome) -> list[str]:
    """Return the parts that are not what is approved."""
    return [part for part, approved in approved_parts(run).items() if outcome.parts[part] != approved]


def record(run: Run, outcome: Outcome) -> list[Pending]:
    """Leave pending exactly the parts that differ from what is approved; raises `OutputFileError`."""
    different = differing(run, outcome)
    for part in PARTS:
        pending = Pending(run, part)
        if part in different:
            write_atomically(pending.path, outcome.parts[part])
        elif pending.path.exists():
            pending.reject()
    return [Pending(run, part) for part in different]


def pending_of(runs: Iterable[Run]) -> list[Pending]:
    """Return what is pending, in the order of the runs and their parts."""
    return [
        pending
        for run in runs
        for pending in (Pending(run, part) for part in PARTS)
        if pending.path.is_file()
    ]


def selected(runs: Sequence[Run], paths: Sequence[Path]) -> list[Pending]:
    """Return what is pending at the paths: pending files, the approved ones beside them, folders of them.

    Raises `NothingPendingError` for a path where nothing is: it may be misspelled.
    """
    waiting = pending_of(runs)
    chosen: dict[Path, Pending] = {}
    for path in paths:
        wanted = path.resolve()
        found = [
            pending
            for pending in waiting
            if wanted in {pending.path.resolve(), pending.approved.resolve(), *pending.path.resolve().parents}
        ]
        if not found:
            raise NothingPendingError(
                f"nothing is pending at {path}",
                location="paths",
                suggestion="`streamt golden run` leaves what differs from the approved output pending",
            )
        chosen.update((pending.path, pending) for pending in found)
    return [pending for pending in waiting if pending.path in chosen]


def orphans(runs: Iterable[Run], everybody: Sequence[Run]) -> list[Path]:
    """Return the files beside the approved output of runs that belong to nobody."""
    folders = dict.fromkeys(run.expected for run in runs)
    known = {
        path for run in everybody for part in PARTS for path in (run.approved(part), Pending(run, part).path)
    }
    return sorted(
        path for folder in folders for path in folder.rglob("*") if not path.is_dir() and path not in known
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
