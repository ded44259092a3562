"""The parts of a run: what is measured, on which projects, how often."""

from __future__ import annotations

import filecmp
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from benchmarks.processes import PROGRAM, ROOT, Command, in_turns, run
from benchmarks.projects import EVENT_TIME, OPTIONS, SHAPES, Design
from benchmarks.results import (
    EXAMPLE,
    EXPORT,
    FLOOR,
    NOTHING,
    PAUSED,
    VERSION,
    Client,
    Compared,
    Exported,
    Stages,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.processes import Runs

SIZES = (100, 1_000, 10_000, 50_000)
ONCE_FROM = 50_000
"""So many models or more are measured once: the stock loader alone takes about a minute."""

OFTEN_UP_TO = 1_000
"""So many models or fewer are measured three times as often: what else the machine does shows most in short runs."""

WIDE = Design(1_000, columns=200)
TYPICAL = 10_000
"""How many models the projects have at which single steps, the client and comparisons are measured."""

STARTS = 7
"""Runs that take a moment are repeated so many times as often."""

PAYMENTS = ROOT / "golden" / "payments" / "project"
MOMENT = EVENT_TIME.removesuffix("Z").encode()
CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "the same, later": lambda line: line.replace(MOMENT, b"2026-02-02T03:04:05"),
    "one type changed": lambda line: (
        line.replace(b'"STRING"', b'"INT"', 1) if b'"name":"generated.0.v1"' in line else line
    ),
    "every model changed": lambda line: line.replace(
        b'"ordinal_position":10,"type":"STRING"', b'"ordinal_position":10,"type":"INT"'
    ),
}
"""What happens to each line of an export before it is compared with itself."""


class DifferentBytesError(Exception):
    """The floor wrote other bytes than the export: it would be the floor of something else."""


def designs(sizes: Sequence[int]) -> Iterator[Design]:
    """Yield the projects that are exported: every shape, then other ways to write the layers, then a wide one."""
    for models in sizes:
        yield from (Design(models, shape) for shape in SHAPES)
        yield Design(models, files="each")
        yield Design(models, macros=True)
        if models == WIDE.models:
            yield WIDE


def typical(sizes: Sequence[int]) -> Design:
    """Return the project for what is not measured at every size."""
    return Design(min(max(sizes), TYPICAL))


def export(folder: Path, output: Path) -> Command:
    """Return the command that exports the project in a folder."""
    return Command([PROGRAM, "docs", "openlineage", "--project-dir", str(folder), *OPTIONS], output)


@contextmanager
def written(design: Design) -> Iterator[tuple[Path, Path]]:
    """Write a project to a folder that goes afterwards; give the folder and one for other files."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "project")
        folder.mkdir()
        design.write(folder)
        yield folder, Path(scratch)


def warm_up() -> None:
    """Run what is measured once, uncounted: afterwards bytecode is there, and libraries are in the file cache."""
    with written(Design(10, macros=True)) as (folder, scratch):
        events = scratch / "events.jsonl"
        run(export(folder, events))
        run(_floor(folder, events, scratch / "floor.jsonl"))
        run(Command([PROGRAM, "events", "diff", str(events), str(events)]))


def exported(design: Design, repeats: int) -> Exported:
    """Measure the export of a project in turns with its floor.

    Raises `DifferentBytesError` if the floor wrote other bytes than the export.
    """
    with written(design) as (folder, scratch):
        events, floor = scratch / "events.jsonl", scratch / "floor.jsonl"
        commands = {EXPORT: export(folder, events), FLOOR: _floor(folder, events, floor)}
        if design.shape == "layers" and not design.macros:
            commands[PAUSED] = _floor(folder, events, floor, "--collector-paused")
        runs = in_turns(commands, _repeats(design, repeats))
        if not filecmp.cmp(events, floor, shallow=False):
            raise DifferentBytesError(f"{design}: {events.stat().st_size}, {floor.stat().st_size} bytes")
        size = sum(file.stat().st_size for file in folder.rglob("*.yml"))
    return Exported(design, round(size / 1e6, 3), runs)


def _repeats(design: Design, repeats: int) -> int:
    if design.models >= ONCE_FROM:
        return 1
    return repeats if design.models > OFTEN_UP_TO or design == WIDE else 3 * repeats


def _floor(folder: Path, events: Path, output: Path, *options: str) -> Command:
    script = str(ROOT / "benchmarks" / "floor.py")
    return Command([sys.executable, script, str(folder), str(events), *options], output, deducts=True)


def stages(design: Design, repeats: int) -> Stages:
    """Measure the steps of an export."""
    steps = []
    with written(design) as (folder, scratch):
        report = scratch / "report.json"
        for _repeat in range(repeats):
            arguments = [sys.executable, "-m", "benchmarks.stages", str(folder), str(report)]
            run(Command(arguments, scratch / "events.jsonl"))
            steps.append(orjson.loads(report.read_bytes()))
    return Stages(design, steps)


def client(design: Design, repeats: int) -> Client:
    """Measure the client at the events of a project."""
    measured = []
    with written(design) as (folder, scratch):
        events, report = scratch / "events.jsonl", scratch / "report.json"
        run(export(folder, events))
        for _repeat in range(repeats):
            run(Command([sys.executable, "-m", "benchmarks.client", str(events)], report))
            measured.append(orjson.loads(report.read_bytes()))
    return Client(design, measured)


def started(repeats: int) -> Runs:
    """Measure commands that have next to nothing to do, in turns with a Python that has nothing to do."""
    commands = {
        NOTHING: Command([sys.executable, "-c", "pass"]),
        VERSION: Command([PROGRAM, "--version"]),
        EXAMPLE: export(PAYMENTS, Path(os.devnull)),
    }
    return in_turns(commands, STARTS * repeats)


def compared(design: Design, repeats: int) -> Compared:
    """Measure the comparison of an export with changed ones, in turns with the export."""
    with written(design) as (folder, scratch):
        old = scratch / "old.jsonl"
        run(export(folder, old))
        commands = {EXPORT: export(folder, scratch / "again.jsonl")}
        for number, (name, change) in enumerate(CHANGES.items()):
            new = scratch / f"new-{number}.jsonl"
            with old.open("rb") as lines, new.open("wb") as changed:
                changed.writelines(map(change, lines))
            arguments = [PROGRAM, "events", "diff", str(old), str(new), "--fail-on", "never"]
            commands[name] = Command(arguments)
        runs = in_turns(commands, repeats)
    return Compared(design, runs)
