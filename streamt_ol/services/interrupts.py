"""Ctrl-C while something has to come to its end first: an answer under way, or the last words of a run."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


@contextmanager
def put_off(call_off: Callable[[], None]) -> Iterator[None]:
    """Have one interruption call the question off and wait for the end; another one does not wait.

    Raises KeyboardInterrupt at the end, also instead of another exception. Python hands interruptions to the
    main thread alone, so elsewhere nothing is to be done, and who treats them otherwise goes on doing so.
    """
    if not _is_main() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    came = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal came
        if came:
            signal.default_int_handler(number, frame)
        came = True
        call_off()

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if came:  # whatever the answer to what was called off is, also that it was
            raise KeyboardInterrupt


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let no interruption in; one that comes is dropped, because what is going on is ending anyway.

    Elsewhere than in the main thread nothing is to be done.
    """
    if not _is_main():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()
