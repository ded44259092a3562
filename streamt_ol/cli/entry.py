"""Where the program starts. Exit statuses are those of `docs/commands.md`.

0 success, warnings included; 1 failure; 2 usage; 130 interrupted; 141 when the reader of stdout went away.
"""

from __future__ import annotations

import gc
import sys

from streamt_ol.cli.statuses import INTERRUPTED, SUCCESS
from streamt_ol.cli.version import print_version

_SELDOM = 50_000
"""After how many new objects garbage is looked for: importing and loading make as many and no garbage."""


def main(arguments: list[str] | None = None) -> None:
    """Run the program on its arguments (those of the process for None) and leave with its exit status."""
    try:
        if (sys.argv[1:] if arguments is None else arguments) == ["--version"] and print_version():
            status = SUCCESS
        else:
            gc.set_threshold(_SELDOM)
            from streamt_ol.cli.running import run

            status = run(arguments)
    except KeyboardInterrupt:
        # While the program was still being imported: nothing is there yet that could show more.
        status = INTERRUPTED
    gc.freeze()  # the memory goes back as a whole: nobody has to look for garbage in it once more
    sys.exit(status)
