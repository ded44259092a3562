"""Ctrl-C while an answer is on its way: it is called off and taken, and the connection is fit to go on."""

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
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
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
    except Exception:
        if came:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt
