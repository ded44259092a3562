"""Who holds the lock of a state, as it stands in the lock file: for people, and to see that it is still ours.

The text is a courtesy: the lock itself is the system's, and whoever is killed leaves the text behind. So a
text is believed only as far as its process is still there.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any, Final, NamedTuple

from streamt_ol.deploy.state.documents import document, read_document
from streamt_ol.deploy.state.errors import StateInvalidError

LARGEST: Final = 4096
"""Bytes of a text."""
_LONGEST_HOST: Final = 255
_START_FIELD: Final = 19
"""Where /proc/PID/stat has the start of a process, counted behind its name."""
_ENDED: Final = ("Z", "X")
"""States of processes that have ended and whose parents have not asked yet."""


class Holder(NamedTuple):
    """A process that took the lock."""

    pid: int
    host: str
    started_at: str
    """When it took the lock: UTC, six fractional digits, `Z`."""
    process: str | None
    """What tells it from a later process with the same pid; None where the system does not say."""


def this_process(now: str) -> Holder:
    """Return the process that asks."""
    return Holder(os.getpid(), socket.gethostname()[:_LONGEST_HOST] or "unknown", now, _process(os.getpid()))


def encode_holder(holder: Holder) -> bytes:
    """Return the text of a lock file."""
    return document(holder._asdict())


def decode_holder(data: bytes) -> Holder | None:
    """Return the holder that a text names; None where it names none, or another program wrote it."""
    try:
        pid, host, started, process = read_document(data, "", LARGEST).members(*Holder._fields)
        return Holder(
            pid.number(),
            host.text(_LONGEST_HOST),
            started.time(),
            None if process.value is None else process.text(),
        )
    except StateInvalidError:
        return None


def is_running(holder: Holder) -> bool | None:
    """Return whether the process is still there; None on another machine, of which nothing is known."""
    if holder.host != socket.gethostname()[:_LONGEST_HOST]:
        return None
    if holder.pid < 1:
        return False
    try:
        os.kill(holder.pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # another user's, but there
    return holder.process is None or _process(holder.pid) == holder.process


def described(holder: Holder | None) -> str:
    """Return in words who holds a lock that is held."""
    if holder is None:
        return "another process, which has not said who it is,"
    if is_running(holder) is False:
        named = f"its file still names process {holder.pid}, which has ended"
        return f"a process that has not said who it is ({named})"
    return f"process {holder.pid} on {holder.host}, since {holder.started_at},"


def as_plain(holder: Holder) -> dict[str, Any]:
    """Return what may be shown of a holder."""
    return {
        "pid": holder.pid,
        "host": holder.host,
        "started_at": holder.started_at,
        "running": is_running(holder),
    }


def _process(pid: int) -> str | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return fields[_START_FIELD] if len(fields) > _START_FIELD and fields[0] not in _ENDED else None
