"""The cost of comparing two exports beside the cost of an export.

    python benchmarks/diff.py

prints, for a generated project of 10,000 models, the wall time and peak memory of the export, and of comparing it with
itself at another time, with one model changed, and with every model changed. Each command runs in a process of its
own; the medians are printed. Numbers are honest only on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from export import ROOT, project, run

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = [sys.executable, "-m", "streamt_ol"]
TIME = b'"eventTime":"2026-01-02T03:04:05'
CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "the same, later": lambda old: old.replace(TIME, b'"eventTime":"2026-02-02T03:04:05'),
    "one type changed": lambda old: old.replace(b'"type":"STRING"', b'"type":"INT"', 1),
    "every model changed": lambda old: old.replace(
        b'"ordinal_position":8,"type":"STRING"', b'"ordinal_position":8,"type":"INT"'
    ),
}
"""What the second export is made of."""


def measure(models: int, repeats: int) -> None:
    """Print the cost of the export, then of each comparison, and its share of the export."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "stream_project.yml").write_text(project(models), "utf-8")
        export = [*PROGRAM, "docs", "openlineage", "-p", scratch, "--job-namespace", "jobs"]
        export += ["--event-time", "2026-01-02T03:04:05Z"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        old = subprocess.run(export, check=True, capture_output=True, env=environment).stdout
        (folder / "old.jsonl").write_bytes(old)
        floor = median(export, repeats, f"export of {models:,} models", None)
        for name, change in CHANGES.items():
            (folder / "new.jsonl").write_bytes(change(old))
            compare = [*PROGRAM, "events", "diff", str(folder / "old.jsonl"), str(folder / "new.jsonl")]
            median([*compare, "--fail-on", "never"], repeats, name, floor)


def median(command: list[str], repeats: int, name: str, floor: float | None) -> float:
    """Run a command so often, print its row and return its median of seconds."""
    costs = [run(command) for _repeat in range(repeats)]
    seconds = statistics.median(cost.seconds for cost in costs)
    share = "" if floor is None else f"{seconds / floor:>8.2f}"
    print(f"{name:<32} {seconds:>8.2f} {max(cost.mebibytes for cost in costs):>9.0f} {share}")
    return seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"{'':<32}  seconds  peak MiB  of the export")
    measure(options.models, options.repeats)


if __name__ == "__main__":
    main()
