"""A folder in memory, where there is one: a disk takes most of the time of a test that syncs often."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMORY = Path("/dev/shm")  # noqa: S108 - folders in it are made by tempfile


@contextmanager
def folder_in_memory(otherwise: Path) -> Iterator[Path]:
    """Give a folder in memory, which is removed afterwards; else the other one."""
    if not os.access(MEMORY, os.W_OK):
        yield otherwise
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as made:
        yield Path(made)
