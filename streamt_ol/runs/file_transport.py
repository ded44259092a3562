"""The File transport: each event one line at the end of a local file, on the disk when `send` returns.

Sources: section 6.6 of the runtime facts, and its decisions R1 and R10.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Final

from streamt_ol.runs.config_errors import TRANSPORT, TransportFault, refusal
from streamt_ol.runs.deliveries import Deliveries, bound
from streamt_ol.runs.line_appending import LockHeldError, SyncError, append_line, locked

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.runs.settings import FileSettings

_LOCATION = f"{TRANSPORT}.log_file_path"
_FLAGS: Final = (
    os.O_APPEND
    | os.O_CREAT
    | os.O_RDWR  # the end of the file is looked at: somebody may have been killed while writing it
    | os.O_CLOEXEC
    | os.O_NOFOLLOW
    | os.O_NONBLOCK  # what has become a FIFO since the preflight must not hold the command
    | os.O_NOCTTY
)
_OWNER_ALONE = 0o600
_OUTCOMES: Final = {
    errno.ENOENT: "no_folder",
    errno.ENOTDIR: "no_folder",
    errno.EACCES: "refused",
    errno.EPERM: "refused",
    errno.EROFS: "refused",
    errno.EISDIR: "special",
    errno.ELOOP: "special",
    errno.ENXIO: "special",
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
}
"""What a failure of the system means; any other is `unwritten`."""


class FileTransport:
    """Appends to one file, which is opened, and perhaps created, for the first event."""

    def __init__(self, settings: FileSettings, rules: RuleSet) -> None:
        self._path = os.path.abspath(settings.path)  # noqa: PTH100 - not resolved: no link is followed
        fault = _preflight(self._path)
        if fault is not None:
            raise refusal(TransportFault(fault, _LOCATION), rules)
        self._deliveries = Deliveries(rules)
        self._lock_seconds = bound(rules, "lock_seconds")
        self._tail_bytes = bound(rules, "tail_bytes")
        self._descriptor: int | None = None
        self._closed = False

    def send(self, line: bytes) -> None:
        """Append one event; raises `DeliveryError`, and then nothing of it is left in the file."""
        outcome = self._append(line)
        if outcome is not None:
            raise self._deliveries.error(self._deliveries.ended(outcome))

    def close(self) -> None:
        """Close the file; raises `DeliveryError` once."""
        self._closed = True
        if not self._gives_back():
            raise self._deliveries.error(self._deliveries.ended("file_unclosed"))

    def _append(self, line: bytes) -> str | None:
        """Return why the line is not there; None where it is."""
        if self._closed:
            return "closed"
        try:
            if self._descriptor is None:
                self._descriptor = os.open(self._path, _FLAGS, _OWNER_ALONE)
            if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                return "special"
            with locked(self._descriptor, self._lock_seconds):
                append_line(self._descriptor, line, self._tail_bytes)
        except LockHeldError:
            return "busy"
        except SyncError:
            return "unsynced"
        except OSError as error:
            return _OUTCOMES.get(error.errno or 0, "unwritten")
        return None

    def _gives_back(self) -> bool:
        descriptor, self._descriptor = self._descriptor, None
        try:
            if descriptor is not None:
                os.close(descriptor)
        except OSError:
            return False
        return True


def _preflight(path: str) -> str | None:
    """Return why no log file can be at the path, as it looks now; nothing is opened or created (R1)."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        folder = os.path.dirname(path)  # noqa: PTH120 - see above
        if not os.path.isdir(folder):  # noqa: PTH112
            return "log_folder_missing"
        return None if os.access(folder, os.W_OK | os.X_OK, effective_ids=True) else "log_folder_refused"
    except NotADirectoryError:
        return "log_folder_missing"
    except OSError:
        return "log_folder_refused"
    return None if stat.S_ISREG(mode) else "log_file_special"
