"""Processes of the program that kill themselves at a step (`dying_apply.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from golden_cases import source_path

DRIVER = Path(__file__).with_name("dying_apply.py")


def die(
    step: str, *arguments: str | Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process that kills itself at a step; return what is left of it."""
    return subprocess.run(
        [sys.executable, DRIVER, step, *map(str, arguments)],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(source_path()),
            **(environment or {}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
