"""The steps of one export: the command itself runs in this process, with a clock around each of its steps.

    python -m benchmarks.stages PROJECT REPORT

The lines go to stdout as ever; REPORT gets the seconds of each step as JSON. What comes before the first step is
start-up: imports, rule tables, schemas.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from benchmarks.projects import OPTIONS
from streamt_ol.cli import exporting
from streamt_ol.cli.running import run

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = {
    "load": "loading",
    "compile_project": "compiling",
    "export_graph": "mapping",
    "write_stdout": "writing",
}
"""Functions that `exporting` calls, to the step that each is; mapping has the checks and the serialization in it."""


def clocked(step: Callable[..., Any], name: str, seconds: dict[str, float]) -> Callable[..., Any]:
    """Return the function with a clock: it notes under `name` how long it took."""

    def timed(*arguments: Any, **named: Any) -> Any:
        start = time.perf_counter()
        result = step(*arguments, **named)
        seconds[name] = time.perf_counter() - start
        return result

    return timed


def main(project: str, report: str) -> None:
    """Export the project, leave with the status of the export, and on the way out write the report."""
    seconds: dict[str, float] = {}
    for function, name in STEPS.items():
        setattr(exporting, function, clocked(getattr(exporting, function), name, seconds))
    try:
        sys.exit(run(["docs", "openlineage", "--project-dir", project, *OPTIONS]))
    finally:
        Path(report).write_bytes(orjson.dumps(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
