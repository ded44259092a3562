"""What lies in `golden/`: cases that follow their schema, and approved files that belong to a run."""

from __future__ import annotations

from golden_cases import PARTS, read_runs

RUNS = read_runs()


def test_every_approved_file_belongs_to_a_run() -> None:
    known = {run.expected / f"{run.name}.{part}" for run in RUNS for part in PARTS}
    kept = {path for run in RUNS for path in run.expected.rglob("*") if path.is_file()}

    assert kept - known == set()


def test_run_names_are_unique_within_a_case() -> None:
    assert len({run.id for run in RUNS}) == len(RUNS)
