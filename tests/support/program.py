"""Running the program in a process of its own, as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from golden_cases import FROZEN, source_path


@dataclass(frozen=True)
class Done:
    """What a finished run left, as text; `raw` holds stdout as bytes."""

    exit_status: int
    stdout: str
    stderr: str
    raw: bytes


def run_streamt(
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    prefix: Sequence[str] = (),
    path: Sequence[str] = (),
) -> Done:
    """Run `streamt` with a bare environment: PATH, a fixed time, and what the caller adds."""
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "streamt_ol", *map(str, arguments)],
        cwd=cwd,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join([*path, *source_path()]),
            "SOURCE_DATE_EPOCH": FROZEN,
            **(environment or {}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    return Done(
        done.returncode,
        done.stdout.decode("utf-8"),
        done.stderr.decode("utf-8", "backslashreplace"),
        done.stdout,
    )


@contextmanager
def in_background(
    *arguments: str | Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `streamt` beside the test with PATH and what the caller adds; it is killed in the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "streamt_ol", *map(str, arguments)],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(source_path()),
            **(environment or {}),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(30)
