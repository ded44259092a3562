"""The progress of work that takes longer than a second, on stderr, where that is a terminal.

It is drawn by a thread that waits for the second to pass, so that work which is done sooner neither shows
anything nor loads what draws.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from streamt_ol.ground.watching import nobody

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress

    from streamt_ol.ground.watching import Watch

SECONDS = 1.0
"""How long work may take before it is shown."""


@contextmanager
def shown_progress(*, quiet: bool = False) -> Iterator[Watch]:
    """Give what work is to be watched with; when it ends, however it ends, the terminal is left clean."""
    stderr = sys.stderr
    if quiet or stderr is None or not stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield nobody
        return
    bar = _Bar()
    try:
        yield bar.tell
    finally:
        bar.end()


class _Bar:
    """The last that was told, and the drawing of it once the second has passed."""

    def __init__(self) -> None:
        import signal
        import threading  # only a terminal waits for it

        self._told: tuple[str, int, int | None] = ("Working", 0, None)
        self._drawing: Progress | None = None
        self._ended = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(SECONDS, self._begin)
        self._timer.daemon = True
        # An interrupt that reached a thread that draws would leave the main thread waiting for its input.
        # Threads have the mask of those that start them.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
        try:
            self._timer.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def tell(self, what: str, done: int, total: int | None) -> None:
        """Show what is being done from now on."""
        self._told = (what, done, total)
        if self._drawing is not None:
            self._draw(self._drawing)

    def end(self) -> None:
        """Wipe what is drawn; nothing is drawn any more."""
        with self._lock:
            self._ended = True
        self._timer.cancel()
        if self._drawing is not None:
            self._drawing.stop()

    def _begin(self) -> None:
        from rich.console import Console  # takes longer than many commands
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[counted]}"),
            TimeElapsedColumn(),
        )
        with self._lock:
            if self._ended:
                return
            drawing = Progress(
                *columns,
                console=Console(stderr=True),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            drawing.add_task("", total=None, counted="")
            self._draw(drawing)
            drawing.start()
            self._drawing = drawing

    def _draw(self, drawing: Progress) -> None:
        what, done, total = self._told
        counted = "" if not done else f"{done:,}" if total is None else f"{done:,} of {total:,}"
        (task,) = drawing.task_ids
        drawing.update(task, description=what, completed=done, total=total, counted=counted)
