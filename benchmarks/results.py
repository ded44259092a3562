"""What was measured: raw numbers of every run, as records and as JSON, one line for each."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import orjson

from benchmarks.processes import Cost, Runs
from benchmarks.projects import Design

if TYPE_CHECKING:
    from pathlib import Path

EXPORT = "export"
FLOOR = "floor"
PAUSED = "floor, collector paused"
NOTHING = "python -c pass"
VERSION = "streamt --version"
EXAMPLE = "streamt docs openlineage"
"""What ran, by the names that the runs have."""


@dataclass(frozen=True, slots=True)
class Exported:
    """Exports of one project beside its floor."""

    design: Design
    megabytes: float
    """Of YAML."""
    runs: Runs


@dataclass(frozen=True, slots=True)
class Stages:
    """The steps of exports of one project: the seconds of each, run by run."""

    design: Design
    steps: list[dict[str, float]]

    def microseconds(self, *steps: str) -> float:
        """Return the median of what these steps took together, in millionths of a second."""
        return 1e6 * statistics.median(sum(run[step] for step in steps) for run in self.steps)


@dataclass(frozen=True, slots=True)
class Client:
    """The client at the events of one project: what `benchmarks.client` prints, run by run."""

    design: Design
    measured: list[dict[str, Any]]
    """`datasets` and `jobs` are the numbers of their events, `left_out` those of facets without a class."""

    def per_event(self, *kinds: Literal["dataset", "job"]) -> float:
        """Return the median of the microseconds that one event of these kinds took."""
        each: list[float] = [
            sum(run[f"{kind}_seconds"] for kind in kinds) / sum(run[f"{kind}s"] for kind in kinds)
            for run in self.measured
        ]
        return 1e6 * statistics.median(each)


@dataclass(frozen=True, slots=True)
class Compared:
    """Comparisons of exports of one project with changed ones, beside the export itself."""

    design: Design
    runs: Runs


@dataclass(slots=True)
class Results:
    """One run of the benchmarks; what it was not asked for is not there."""

    machine: dict[str, str]
    minutes: float = 0
    """How long all of it took."""
    exported: list[Exported] = field(default_factory=list)
    stages: Stages | None = None
    client: Client | None = None
    started: Runs | None = None
    """Commands that have little to do, beside `NOTHING`."""
    compared: Compared | None = None

    def export(self, design: Design) -> Exported | None:
        """Return what was measured of a design."""
        return next((exported for exported in self.exported if exported.design == design), None)


def save(results: Results, file: Path) -> None:
    """Write the results: each record on a line of its own, so that a change of numbers is a change of few lines."""
    parts = [f'"{key}": {_text(value)}' for key, value in asdict(results).items()]
    file.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(_text, value)) + "\n]"
    return orjson.dumps(value, default=list).decode()  # of a `Cost`


def load(file: Path) -> Results:
    """Read results that `save` wrote."""
    document = orjson.loads(file.read_bytes())
    stages, client, started, compared = (document[key] for key in ("stages", "client", "started", "compared"))
    return Results(
        machine=document["machine"],
        minutes=document["minutes"],
        exported=[
            Exported(Design(**one["design"]), one["megabytes"], _runs(one["runs"]))
            for one in document["exported"]
        ],
        stages=stages and Stages(Design(**stages["design"]), stages["steps"]),
        client=client and Client(Design(**client["design"]), client["measured"]),
        started=started and _runs(started),
        compared=compared and Compared(Design(**compared["design"]), _runs(compared["runs"])),
    )


def _runs(document: dict[str, Any]) -> Runs:
    return Runs({name: [Cost(*cost) for cost in costs] for name, costs in document["costs"].items()})
