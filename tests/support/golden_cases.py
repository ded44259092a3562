"""Golden cases: reading `golden/*/case.yml`, laying out the project of a run, and running the program on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import orjson
import yaml

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "golden"
OFFLINE = Path(__file__).resolve().parent / "offline"
PARTS = ("events.jsonl", "diagnostics.txt", "trace.jsonl")
"""What a run leaves: stdout, stderr, and which row decided what."""
FROZEN = "1767323045"
"""2026-01-02T03:04:05Z: the time of every run that fixes no other."""


@dataclass(frozen=True)
class Run:
    """One run of the program on one project."""

    case: str
    name: str
    project: Path
    changes: Sequence[Mapping[str, str]]
    arguments: Sequence[str]
    environment: Mapping[str, str]
    exit_status: int

    @property
    def id(self) -> str:
        return f"{self.case}/{self.name}"

    @property
    def expected(self) -> Path:
        return GOLDEN / self.case / "expected"


@dataclass(frozen=True)
class Outcome:
    """What a run printed and decided."""

    exit_status: int
    stdout: bytes
    stderr: bytes
    trace: bytes


def schema() -> dict[str, Any]:
    """Return the language of `case.yml`, from beside the cases: the wheel under test may be another."""
    return orjson.loads((ROOT / "schemas" / "golden" / "case.schema.json").read_bytes())


def read_runs() -> list[Run]:
    """Return the runs of every case, in the order of names and then as written."""
    return [run for folder in sorted(GOLDEN.iterdir()) if folder.is_dir() for run in _runs_of(folder)]


def _runs_of(folder: Path) -> Iterator[Run]:
    case = yaml.safe_load((folder / "case.yml").read_text("utf-8"))
    jsonschema.validate(case, schema())
    for run in case["runs"]:
        yield Run(
            case=folder.name,
            name=run["name"],
            project=(folder / case.get("project", "project")).resolve(),
            changes=run.get("changes", ()),
            arguments=run.get("arguments") or case["arguments"],
            environment={**case.get("environment", {}), **run.get("environment", {})},
            exit_status=run.get("exit", 0),
        )


def lay_out(run: Run, target: Path) -> None:
    """Copy the run's project to a folder and make the run's changes there."""
    shutil.copytree(run.project, target, symlinks=True)
    for change in run.changes:
        if "delete" in change:
            path = target / change["delete"]
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            continue
        path = target / change["file"]
        if "replace" in change:
            text = path.read_text("utf-8")
            assert text.count(change["replace"]) == 1, (
                f"{run.id}: {change['replace']!r} does not stand there once"
            )
            path.write_text(text.replace(change["replace"], change["with"]), "utf-8")
        else:
            before = path.read_text("utf-8") if "append" in change else ""
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(before + change.get("append", change.get("write", "")), "utf-8")


def execute(
    run: Run,
    scratch: Path,
    *,
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
) -> Outcome:
    """Run the program as a user would, in a fresh copy of the project, without a network and with a fixed time."""
    project = scratch / "project"
    lay_out(run, project)
    trace = scratch / "trace.jsonl"
    python = [sys.executable, "-P" if sys.version_info >= (3, 11) else "-s"]
    done = subprocess.run(
        [*prefix, *python, "-m", "streamt_ol", *options, "--trace", str(trace), *run.arguments],
        cwd=project,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join([str(OFFLINE), *source_path()]),
            "PYTHONWARNINGS": "error",
            "SOURCE_DATE_EPOCH": FROZEN,
            **run.environment,
            **(environment or {}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr, trace.read_bytes() if trace.exists() else b"")


def source_path() -> list[str]:
    """Return the checkout for the program's path, unless the installed package is what is under test."""
    return [] if "STREAMT_OL_INSTALLED" in os.environ else [str(ROOT)]
