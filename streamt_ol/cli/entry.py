"""Where the program starts. Exit statuses are those of `docs/commands.md`.

0 success, warnings included; 1 failure; 2 usage; 130 interrupted; 141 when the reader of stdout went away.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from streamt_ol.cli.statuses import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and leave with its exit status."""
    try:
        from streamt_ol.cli.running import run

        status = run(arguments)
    except KeyboardInterrupt:
        # While the program was still being imported: nothing is there yet that could show more.
        status = INTERRUPTED
    sys.exit(status)
