"""Running the program as a user would: in a copy of the project, at a fixed time, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from streamt_ol.ground.errors import Failures
from streamt_ol.review.golden.cases import CASE_FILE, PARTS
from streamt_ol.review.golden.errors import GoldenRunError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamt_ol.review.golden.cases import Run

OFFLINE = Path(__file__).resolve().parent / "offline"
"""The folder whose `sitecustomize` refuses sockets."""
FROZEN = "1767323045"
"""2026-01-02T03:04:05Z: the time of every run that fixes no other."""

_PACKAGE_PARENT = Path(__file__).resolve().parents[3]
_LONGEST = 120
"""Seconds; a run that needs more hangs."""
_NOT_COPIED = (".git", ".venv")
"""Folders of a project that is a whole repository, which no run reads and which are large."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, and what it left under the names of `PARTS`."""

    exit_status: int
    parts: Mapping[str, bytes]


def execute_all(runs: Sequence[Run], rules: Path | None = None) -> list[Outcome]:
    """Return the outcome of every run, in the order of the runs; as many at a time as there are cores.

    `rules` is the folder of rule tables, None for the packaged ones. Raises `Failures` of `GoldenRunError`.
    """

    def attempt(run: Run) -> Outcome | GoldenRunError:
        with tempfile.TemporaryDirectory(prefix="streamt-golden-") as scratch:
            try:
                return execute(run, Path(scratch), rules=rules)
            except GoldenRunError as error:
                return error

    executor = ThreadPoolExecutor(os.cpu_count())
    try:
        attempts = list(executor.map(attempt, runs))
    finally:
        executor.shutdown(cancel_futures=True)  # an interruption waits for what has started only
    failures = tuple(attempt for attempt in attempts if isinstance(attempt, GoldenRunError))
    if failures:
        raise Failures(failures)
    return [attempt for attempt in attempts if isinstance(attempt, Outcome)]


def execute(
    run: Run,
    scratch: Path,
    *,
    rules: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Run the program in a fresh copy of the project; `scratch` is an empty folder for it.

    Raises `GoldenRunError`.
    """
    project = scratch / "project"
    lay_out(run, project)
    trace = scratch / "trace.jsonl"
    options = ["--trace", str(trace), *(() if rules is None else ("--rules", str(rules.resolve())))]
    try:
        done = subprocess.run(  # noqa: S603 - this program, with the arguments of a case
            [*_isolated_python(), "-m", "streamt_ol", *options, *run.arguments],
            cwd=project,
            env={
                "PATH": os.environ.get("PATH", os.defpath),
                "PYTHONPATH": os.pathsep.join(map(str, [OFFLINE, *program_path()])),
                "SOURCE_DATE_EPOCH": FROZEN,
                **run.environment,
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        _fail(run, f"the program did not end within {_LONGEST} s")
    written = trace.read_bytes() if trace.exists() else b""
    return Outcome(done.returncode, dict(zip(PARTS, (done.stdout, done.stderr, written), strict=True)))


def lay_out(run: Run, target: Path) -> None:
    """Copy the run's project to a new folder and make the run's changes there; raises `GoldenRunError`."""
    try:
        shutil.copytree(run.project, target, symlinks=True, ignore=_ignored(run))
        for change in run.changes:
            _make(change, run, target)
    except (OSError, UnicodeDecodeError) as error:
        # shutil.Error, one of them, lists causes instead of having one; a Unicode error has no strerror.
        cause = getattr(error, "strerror", None) or type(error).__name__
        named = getattr(error, "filename", None) or run.project
        _fail(run, f"the project cannot be laid out: {named}: {cause}")


def program_path() -> list[Path]:
    """Return what a new Python needs on its path to find this package: nothing where it is installed."""
    return [] if Path(sysconfig.get_path("purelib")) == _PACKAGE_PARENT else [_PACKAGE_PARENT]


def _isolated_python() -> list[str]:
    # -P keeps a `yaml.py` of the project from being imported; Python 3.10 has no such option.
    return [sys.executable, *(["-P"] if sys.version_info >= (3, 11) else [])]


def _ignored(run: Run) -> Callable[[str, list[str]], list[str]]:
    golden = run.folder.parent.resolve()

    def ignored(folder: str, names: list[str]) -> list[str]:
        here = Path(folder)
        return [name for name in names if name in _NOT_COPIED or (here / name).resolve() == golden]

    return ignored


def _make(change: Mapping[str, str], run: Run, target: Path) -> None:
    path = target / (change.get("delete") or change["file"])
    if not path.resolve().is_relative_to(target.resolve()):
        _fail(run, f"{path.relative_to(target)} lies outside of the project")
    if "delete" in change:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    elif "replace" in change:
        text = path.read_text("utf-8")
        if text.count(change["replace"]) != 1:
            _fail(run, f"{change['replace']!r} does not stand in {change['file']} exactly once")
        path.write_text(text.replace(change["replace"], change["with"]), "utf-8")
    else:
        before = path.read_text("utf-8") if "append" in change else ""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(before + change.get("append", change.get("write", "")), "utf-8")


def _fail(run: Run, message: str) -> NoReturn:
    raise GoldenRunError(f"{run.id}: {message}", location=str(run.folder / CASE_FILE))
