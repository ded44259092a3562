"""The cost of an export beside its floor: PyYAML's stock C loader reading the same file.

    make bench

prints, for generated projects of 1,000 and 10,000 models of eight columns in one file, the export's wall time and
peak memory, the wall time of the stock loader alone, and their ratio. Each command runs in a process of its own,
alternating with its floor; the medians are printed. Numbers are honest only on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STOCK = "import sys, yaml; yaml.load(open(sys.argv[1], 'rb'), Loader=yaml.CSafeLoader)"


@dataclass(frozen=True)
class Cost:
    """One process: seconds of wall time, MiB of peak memory."""

    seconds: float
    mebibytes: float


def project(models: int) -> str:
    """Return a project of a chain of models, each with SQL, a contract of eight columns and prose."""
    text = [
        "apiVersion: streamt.dev/v1alpha1\nproject: {name: generated}\nruntime:\n"
        "  kafka: {bootstrap_servers: 'broker.example:9092'}\nsources:\n"
        "  - name: raw\n    topic: generated.raw\n    columns: [{name: c0, type: STRING}]\nmodels:\n"
    ]
    for number in range(models):
        read = f'ref("model_{number - 1}")' if number else 'source("raw")'
        columns = "".join(
            f"        - name: c{column}\n          type: STRING\n          description: Column {column}\n"
            for column in range(8)
        )
        text.append(
            f"  - name: model_{number}\n    description: Model number {number} of a generated project\n"
            f"    owner: team-{number % 7}\n    materialized: topic\n    sql: |\n"
            f"      SELECT c0, c1, c2\n      FROM {{{{ {read} }}}}\n      WHERE c0 IS NOT NULL\n"
            f"    topic:\n      name: generated.{number}.v1\n      partitions: 6\n"
            f"    contract:\n      columns:\n{columns}"
        )
    return "".join(text)


def run(command: list[str]) -> Cost:
    """Run a command to its end and return its cost."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    _pid, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed")
    return Cost(seconds, usage.ru_maxrss / 1024)


def measure(models: int, repeats: int) -> None:
    """Print one row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stream_project.yml"
        file.write_text(project(models), "utf-8")
        export = [
            sys.executable,
            "-m",
            "streamt_ol",
            "docs",
            "openlineage",
            "-p",
            folder,
            "--job-namespace",
            "jobs",
        ]
        stock = [sys.executable, "-c", STOCK, str(file)]
        run(export)  # once uncounted: bytecode and file caches
        pairs = [(run(export), run(stock)) for _repeat in range(repeats)]
        size = file.stat().st_size / 1e6
    ours = statistics.median(pair[0].seconds for pair in pairs)
    floor = statistics.median(pair[1].seconds for pair in pairs)
    ratio = statistics.median(pair[0].seconds / pair[1].seconds for pair in pairs)
    peak = max(pair[0].mebibytes for pair in pairs)
    print(f"{models:>7,} {size:>8.1f} {ours:>10.2f} {peak:>10.0f} {floor:>15.2f} {ratio:>7.2f}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(" models  file MB   export s   peak MiB  stock loader s   ratio")
    for models in options.models:
        measure(models, options.repeats)


if __name__ == "__main__":
    main()
