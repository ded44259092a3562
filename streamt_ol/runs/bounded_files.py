"""Files that a configuration names: regular ones of a bounded size, read without ever blocking."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class FileRefused(Exception):  # noqa: N818 - an answer with a reason, turned into an error by who asked
    """A file is not read; `fault` is a word of the domain `transport_fault`."""

    def __init__(self, fault: str, reason: str = "") -> None:
        super().__init__()
        self.fault = fault
        self.reason = reason
        """What the system says, without the path."""


def read_bounded(path: Path, limit: int) -> bytes:
    """Return the bytes of a regular file, symbolic links followed.

    `limit` is the greatest size in bytes. Raises FileRefused. A named pipe is not opened; should it take the
    place of the file in between, opening it does not wait for a writer.
    """
    try:
        _refuse_special(os.stat(path).st_mode)  # noqa: PTH116 - the path may be one that no Path can be
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
            _refuse_special(os.fstat(descriptor).st_mode)
            data = file.read(limit + 1)
    except FileNotFoundError:
        reason = None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the system refuses it"
    except ValueError:
        reason = "no file can have this name"
    else:
        if len(data) > limit:
            raise FileRefused("file_too_large")
        return data
    raise FileRefused("file_missing") if reason is None else FileRefused("file_unreadable", reason)


def _refuse_special(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise FileRefused("file_not_regular")
