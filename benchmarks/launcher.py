"""Runs one command and prints what it cost: wall seconds, CPU seconds, peak KiB, exit status.

    python -I -S launcher.py OUTPUT COMMAND [ARGUMENT...]

The command's stdout goes to the file OUTPUT. This is a process of its own, and a small one, because the kernel counts
into the peak of a process what its parent had when it started it.
"""

from __future__ import annotations

import os
import sys
import time


def main(output: str, *command: str) -> None:
    """Start the command, wait for its end, print the four numbers."""
    opened = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    start = time.perf_counter()
    process = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, opened, sys.stdout.fileno())]
    )
    _process, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    cpu = usage.ru_utime + usage.ru_stime
    sys.stdout.write(f"{seconds} {cpu} {usage.ru_maxrss} {os.waitstatus_to_exitcode(status)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
