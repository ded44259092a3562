"""Puts the results into `docs/performance.md` and draws `docs/performance.svg`.

    python -m benchmarks.page [--check]

Tables of the page stand between comments that name them; all else of the page is written by hand. With `--check`
nothing is written, and the status is 1 if the page's tables are not those of the results.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from benchmarks.processes import ROOT
from benchmarks.results import load
from benchmarks.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.results import Results

RESULTS = ROOT / "benchmarks" / "results.json"
PAGE = ROOT / "docs" / "performance.md"
PLOT = PAGE.with_suffix(".svg")
BLOCK = re.compile(r"(<!-- measured: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: str, results: Results) -> str:
    """Return the page with the tables of the results."""
    return BLOCK.sub(lambda block: f"{block[1]}{TABLES[block[2]](results)}\n{block[3]}", page)


def main(arguments: Sequence[str]) -> int:
    """Write the page and the plot, or only check the page; return the exit status."""
    results, page = load(RESULTS), PAGE.read_text("utf-8")
    new = filled(page, results)
    if "--check" in arguments:
        if new != page:
            print(f"{PAGE.name} is stale: run `make performance`")
        return int(new != page)
    from benchmarks.plot import draw  # needs matplotlib, which a check does without

    PAGE.write_text(new, "utf-8")
    draw(results, PLOT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
