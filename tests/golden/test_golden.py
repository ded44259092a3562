"""Every golden run through the real command line. New output is pending until somebody accepts it.

Accept with `make golden-accept`, or for one case `pytest tests/golden -k NAME --snapshot-update`; the change to
`golden/` is then reviewed like any other.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_cases import GOLDEN, PARTS, Outcome, Run, execute, read_runs
from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension

RUNS = read_runs()


class GoldenFile(SingleFileSnapshotExtension):
    """Keeps each part of an outcome in `golden/CASE/expected/RUN.PART`."""

    file_extension = ""

    @classmethod
    def dirname(cls, *, test_location) -> str:
        # Asked about every test of the session; those that are no golden runs keep nothing.
        callspec = getattr(test_location.item, "callspec", None)
        return str(callspec.params["run"].expected if callspec and "run" in callspec.params else GOLDEN)

    @classmethod
    def get_snapshot_name(cls, *, test_location, index=0) -> str:
        return f"{test_location.snapshot_name}.{index}"

    @classmethod
    def get_file_basename(cls, *, test_location, index) -> str:
        return f"{test_location.item.callspec.params['run'].name}.{index}"

    @classmethod
    def get_location(cls, *, test_location, index) -> str:
        folder = Path(cls.dirname(test_location=test_location))
        return str(folder / cls.get_file_basename(test_location=test_location, index=index))

    @classmethod
    def matches_test_location(cls, *, test_location, snapshot_location: str) -> bool:
        run = test_location.item.callspec.params["run"]
        return Path(snapshot_location) in {run.approved(part) for part in PARTS}

    def discover_snapshots(self, *, test_location, ignore_extensions=None) -> SnapshotCollections:
        # Left-over files are found by test_golden_files, whatever part of the suite runs.
        return SnapshotCollections()


@pytest.fixture
def outcome(run: Run, tmp_path: Path) -> Outcome:
    return execute(run, tmp_path, environment={"PYTHONWARNINGS": "error"})


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.id)
def test_a_golden_run_prints_what_was_approved(run: Run, outcome: Outcome, snapshot) -> None:
    assert outcome.exit_status == run.exit_status, outcome.parts["diagnostics.txt"].decode()

    golden = snapshot.use_extension(GoldenFile)
    for part, printed in outcome.parts.items():
        # What prints nothing has no file: test_golden_files finds one that is left over.
        if printed or run.approved(part).exists():
            assert printed == golden(name=part)
