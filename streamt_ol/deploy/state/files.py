"""The files of a local state: read without ever blocking, written whole, open to their owner alone."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.state.errors import StateFileKindError, StateUnavailableError
from streamt_ol.ground.atomic_file import write_atomically
from streamt_ol.ground.errors import Place

if TYPE_CHECKING:
    from pathlib import Path

OWNER_ONLY: Final = 0o600
_KINDS: Final = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


class StateFile:
    """One file of a state: where it is, and what people call it."""

    def __init__(self, path: Path, shown: str) -> None:
        self.path = path
        self.shown = shown
        """The path as messages have it."""

    def read(self, largest: int, *, mode: int | None = None) -> bytes | None:
        """Return the bytes of the file, one more than `largest` at most; None where there is none.

        With a `mode` the file must have exactly these permissions. Raises `StateFileKindError`,
        `StateUnavailableError`. Nothing is opened that is no regular file.
        """
        try:
            self.require_regular(os.lstat(self.path).st_mode)
            # Should a named pipe or a link take its place now, this neither waits nor follows.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
            descriptor = os.open(self.path, flags)
            with os.fdopen(descriptor, "rb") as file:
                found = os.fstat(descriptor).st_mode
                self.require_regular(found)
                if mode is not None and stat.S_IMODE(found) != mode:
                    raise StateFileKindError(
                        f"{self.shown} must be open to its owner alone",
                        place=Place(self.shown),
                        suggestion=f"see who has changed it, then `chmod {mode:o} {self.shown}`",
                    )
                return file.read(largest + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self.refusal(error) from None

    def write(self, data: bytes) -> None:
        """Put the file in place as a whole; raises `OutputFileError`, of which one says that it is there."""
        write_atomically(self.path, data, mode=OWNER_ONLY)

    def require_regular(self, mode: int) -> None:
        """Raise `StateFileKindError` for anything else than a regular file."""
        if not stat.S_ISREG(mode):
            kind = _KINDS.get(stat.S_IFMT(mode), "a special file")
            raise StateFileKindError(f"{self.shown} is {kind}, not a regular file", place=Place(self.shown))

    def refusal(self, error: OSError) -> StateFileKindError | StateUnavailableError:
        """Return what a failure of the file system means."""
        place = Place(self.shown)
        if error.errno == errno.ELOOP:
            return StateFileKindError(f"{self.shown} is a symbolic link, not a regular file", place=place)
        reason = os.strerror(error.errno) if error.errno else "the system refuses it"
        return StateUnavailableError(f"{self.shown} cannot be used: {reason}", place=place)
