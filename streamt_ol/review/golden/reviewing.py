"""A golden folder against an earlier revision: what changed, why, and whether that was approved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.ground.errors import Failures
from streamt_ol.review.golden.approvals import Approvals, Breaking, read_approvals
from streamt_ol.review.golden.cases import CASE_FILE, PARTS
from streamt_ol.review.golden.comparing import Comparison, compare
from streamt_ol.review.golden.errors import NotComparableError
from streamt_ol.review.golden.row_changes import RowChange, row_changes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.review.golden.approvals import Approval
    from streamt_ol.review.golden.cases import Run
    from streamt_ol.review.golden.revisions import Revision

RUN_REMOVED = "run-removed"
"""The id of the breaking change that an approved run is gone: nothing watches its events any more."""


class Cause(NamedTuple):
    """A changed row, and the changes of a run's events that it can have caused."""

    row: RowChange
    changes: Sequence[str]
    """The ids."""


@dataclass(frozen=True, slots=True)
class Review:
    """What became of the approved output of a revision."""

    base: Revision
    runs: int
    comparisons: Sequence[Comparison]
    """The runs that changed."""
    new: Sequence[str]
    """Runs that the revision does not have."""
    removed: Sequence[str]
    """Runs that only the revision has."""
    rows: Sequence[RowChange] | None
    """The rows that changed; None where the rule tables do not lie in the repository."""
    approvals: Approvals
    complete: bool
    """Whether all runs were looked at, so that an approval without a change is stale."""
    project_files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Case to the files of its projects, and `case.yml`, that changed."""

    @property
    def breaking(self) -> dict[Breaking, str]:
        """Return every breaking change with a sentence about it."""
        found = {
            Breaking(change.id, comparison.run): change.message
            for comparison in self.comparisons
            for change in comparison.breaking
        }
        gone = {Breaking(RUN_REMOVED, run): "the run is gone, with its events" for run in self.removed}
        return {**found, **gone}

    @property
    def unapproved(self) -> dict[Breaking, str]:
        """Return the breaking changes that nobody approved."""
        return {about: said for about, said in self.breaking.items() if self.approvals.of(about) is None}

    def unapproved_by_case(self) -> list[tuple[Breaking, str, list[str]]]:
        """Return each unapproved change of a case once: in its first run, a sentence, and all its runs."""
        found: dict[tuple[str, str], tuple[Breaking, str, list[str]]] = {}
        for breaking, said in self.unapproved.items():
            key = (breaking.change, breaking.case)
            found.setdefault(key, (breaking, said, []))[2].append(breaking.run)
        return list(found.values())

    @property
    def stale(self) -> list[Approval]:
        """Return the approvals that match no breaking change."""
        return self.approvals.stale(self.breaking) if self.complete else []

    def causes(self, comparison: Comparison) -> list[Cause]:
        """Return the changed rows that decided something in a run, before or after."""
        fired = comparison.fired()
        return [
            Cause(row, [change.id for change in comparison.changes if row.may_cause(change.path)])
            for row in self.rows or ()
            if row.id in fired
        ]


def review(
    golden: Path,
    runs: Sequence[Run],
    latest: Sequence[Mapping[str, bytes]],
    base: Revision,
    rules: RuleSet,
    *,
    complete: bool = True,
) -> Review:
    """Return how the latest output of the runs differs from what the revision approved.

    `complete` says that these are all the runs of the folder. Raises `BaseRevisionError`, `ApprovalsError`,
    and `Failures` of `NotComparableError`.
    """
    approved = _approved(golden, base)
    comparisons, failures = [], []
    for run, parts in zip(runs, latest, strict=True):
        before = approved.get(run.id)
        if before is None or before == parts:
            continue
        try:
            comparisons.append(compare(run.id, before, parts, rules))
        except NotComparableError as error:
            failures.append(error)
    if failures:
        raise Failures(tuple(failures))
    known = {run.id: run for run in runs}
    return Review(
        base=base,
        runs=len(runs),
        comparisons=comparisons,
        new=[run for run in known if run not in approved],
        removed=[run for run in approved if run not in known] if complete else [],
        rows=_rows(base, rules.folder),
        approvals=read_approvals(golden),
        complete=complete,
        project_files=_project_files(base, {each.case: known[each.run] for each in comparisons}),
    )


def _approved(golden: Path, base: Revision) -> dict[str, dict[str, bytes]]:
    """Return what the revision approved, by `CASE/RUN`."""
    folder = golden.resolve()
    found: dict[str, dict[str, bytes]] = {}
    for path, data in base.read(folder).items():
        run, _dot, part = path.name.partition(".")
        case = path.parent.parent
        if path.parent.name == "expected" and case.parent == folder and part in PARTS:
            found.setdefault(f"{case.name}/{run}", dict.fromkeys(PARTS, b""))[part] = data
    return found


def _rows(base: Revision, folder: Path) -> list[RowChange] | None:
    if not folder.resolve().is_relative_to(base.root):
        return None
    old = {path.name: data for path, data in base.read(folder).items() if _is_table(path, folder)}
    new = {
        path.name: path.read_bytes() for path in sorted(folder.resolve().iterdir()) if _is_table(path, folder)
    }
    return row_changes(old, new)


def _is_table(path: Path, folder: Path) -> bool:
    return path.parent == folder.resolve() and path.suffix == ".yml"


def _project_files(base: Revision, runs: Mapping[str, Run]) -> dict[str, list[str]]:
    found = {}
    for case, run in runs.items():
        changed = [*base.changed(run.folder / CASE_FILE), *base.changed(run.project)]
        expected = run.folder.parent.resolve() if run.folder.resolve().is_relative_to(run.project) else None
        found[case] = [
            str(path.relative_to(base.root))
            for path in dict.fromkeys(changed)
            if path.name == CASE_FILE or expected is None or not path.is_relative_to(expected)
        ]
    return found
