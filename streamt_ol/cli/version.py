"""What `--version` prints, and how it is printed before anything else is imported."""

from __future__ import annotations

import os
import sys

from streamt_ol import __version__

VERSION_LINE = f"streamt, version {__version__}\n".encode()


def print_version() -> bool:
    """Write the line to stdout; False where stdout does not take it, for the whole program to say why."""
    try:
        return sys.stdout is not None and os.write(sys.stdout.fileno(), VERSION_LINE) == len(VERSION_LINE)
    except OSError:
        return False
