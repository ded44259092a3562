"""The files of events that commands read: a path as it was typed, or `-` for standard input."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, BinaryIO, cast

from streamt_ol.ground.errors import Place
from streamt_ol.review.events.event_checking import EventsUnreadableError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

STDIN = "-"


def opened(file: str) -> AbstractContextManager[BinaryIO]:
    """Return a file opened for reading; standard input stays open. Raises `EventsUnreadableError`."""
    if file == STDIN:
        if sys.stdin is None:
            raise EventsUnreadableError("standard input is closed", place=Place(file))
        return contextlib.nullcontext(cast("BinaryIO", sys.stdin.buffer))
    try:
        return open(file, "rb")  # noqa: PTH123 - a path as given, which the caller closes
    except OSError as error:
        raise EventsUnreadableError(f"cannot be read: {error.strerror}", place=Place(file)) from error
