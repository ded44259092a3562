"""The runs that a golden folder asks for: `GOLDEN/CASE/case.yml`, as `schemas/golden/` describes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.review.golden.documents import read_document
from streamt_ol.review.golden.errors import GoldenCaseError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

PARTS = ("events.jsonl", "diagnostics.txt", "trace.jsonl")
"""What a run leaves: stdout, stderr, and which row decided what. What is empty has no file."""
EVENTS, DIAGNOSTICS, TRACE = PARTS
CASE_FILE = "case.yml"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the program on one project."""

    folder: Path
    """That of the case."""
    name: str
    project: Path
    changes: Sequence[Mapping[str, str]]
    """Made to a copy of the project before the run, in this order."""
    arguments: Sequence[str]
    environment: Mapping[str, str]
    exit_status: int

    @property
    def case(self) -> str:
        """Return the name of the case."""
        return self.folder.name

    @property
    def id(self) -> str:
        """Return `CASE/RUN`."""
        return f"{self.case}/{self.name}"

    @property
    def expected(self) -> Path:
        """Return the folder of the approved output."""
        return self.folder / "expected"

    def approved(self, part: str) -> Path:
        """Return the file of a part that somebody approved."""
        return self.expected / f"{self.name}.{part}"


def read_runs(golden: Path, names: Collection[str] = ()) -> list[Run]:
    """Return the runs of all cases, in the order of names and then as written.

    With names (`CASE` or `CASE/RUN`) only those. Raises `GoldenCaseError` for a folder that cannot be read, a
    case that does not follow its language, a run that stands twice, and a name that is nobody's.
    """
    try:
        folders = sorted(folder for folder in golden.iterdir() if folder.is_dir())
    except OSError as error:
        raise GoldenCaseError(f"{golden} cannot be read: {error.strerror}", location="golden") from error
    runs = [run for folder in folders for run in _runs_of(folder)]
    if not runs:
        raise GoldenCaseError(
            f"{golden} has no cases",
            location="golden",
            suggestion=f"name the folder of the cases with --golden; a case is a folder with a {CASE_FILE}",
        )
    known = {run.case for run in runs} | {run.id for run in runs}
    for name in names:
        if name not in known:
            raise GoldenCaseError(f"{golden} has neither a case nor a run {name!r}", location="golden")
    return [run for run in runs if not names or run.case in names or run.id in names]


def _runs_of(folder: Path) -> Iterator[Run]:
    path = folder / CASE_FILE
    case: Mapping[str, Any] = read_document(path, "case.schema.json", GoldenCaseError)
    seen: set[str] = set()
    for index, run in enumerate(case["runs"]):
        arguments = run.get("arguments") or case.get("arguments")
        if run["name"] in seen:
            raise GoldenCaseError(
                f"{path}: two runs are called {run['name']!r}", location=f"/runs/{index}/name"
            )
        if arguments is None:
            raise GoldenCaseError(
                f"{path}: neither the run {run['name']!r} nor the case has arguments",
                location=f"/runs/{index}",
            )
        seen.add(run["name"])
        yield Run(
            folder=folder,
            name=run["name"],
            project=(folder / case.get("project", "project")).resolve(),
            changes=run.get("changes", ()),
            arguments=arguments,
            environment={**case.get("environment", {}), **run.get("environment", {})},
            exit_status=run.get("exit", 0),
        )
