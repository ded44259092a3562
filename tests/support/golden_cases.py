"""The golden cases of this checkout, and the path on which the program under test is found."""

from __future__ import annotations

import os
from pathlib import Path

from streamt_ol.review.golden.cases import PARTS, Run
from streamt_ol.review.golden.cases import read_runs as read_runs_of
from streamt_ol.review.golden.running import FROZEN, OFFLINE, Outcome, execute

__all__ = [
    "FROZEN",
    "GOLDEN",
    "OFFLINE",
    "PARTS",
    "ROOT",
    "Outcome",
    "Run",
    "execute",
    "read_runs",
    "source_path",
]

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "golden"


def read_runs() -> list[Run]:
    """Return the runs of every case, in the order of names and then as written."""
    return read_runs_of(GOLDEN)


def source_path() -> list[str]:
    """Return the checkout for the program's path, unless the installed package is what is under test."""
    return [] if "STREAMT_OL_INSTALLED" in os.environ else [str(ROOT)]
