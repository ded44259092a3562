"""Measures and prints tables.

    python -m benchmarks [--models N ...] [--repeats N] [--only PART ...] [--results FILE]

All of it takes about a quarter of an hour on two cores, and 3 GiB of memory for the floor of 50,000 models. Numbers
are honest only on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import machine, parts
from benchmarks.results import Results, save
from benchmarks.tables import all_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = ("exports", "stages", "client", "start-up", "comparisons")


def measured(sizes: Sequence[int], repeats: int, wanted: Sequence[str]) -> Results:
    """Return what the wanted parts measure; each is announced on stderr before it starts."""
    start = time.monotonic()
    parts.warm_up()
    results = Results(machine.described())
    typical = parts.typical(sizes)
    if "start-up" in wanted:
        _announce("start-up")
        results.started = parts.started(repeats)
    if "stages" in wanted:
        _announce("stages")
        results.stages = parts.stages(typical, repeats)
    if "client" in wanted:
        _announce("client")
        results.client = parts.client(typical, repeats)
    if "comparisons" in wanted:
        _announce("comparisons")
        results.compared = parts.compared(typical, repeats)
    if "exports" in wanted:
        for design in parts.designs(sizes):
            _announce(f"{design.models:,} models, {design.variation}")
            results.exported.append(parts.exported(design, repeats))
    results.minutes = round((time.monotonic() - start) / 60, 1)
    return results


def _announce(what: str) -> None:
    sys.stderr.write(f"{what}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the command line asks for, save it if asked, print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, nargs="+", default=parts.SIZES, metavar="N")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, metavar="PART")
    parser.add_argument("--results", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    results = measured(options.models, options.repeats, options.only)
    if options.results is not None:
        save(results, options.results)
    sys.stdout.write("\n".join(all_tables(results)))


if __name__ == "__main__":
    main()
