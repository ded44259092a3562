"""Appending one line to a file that others append to: it is there whole, or not at all (R10).

Everything happens under an advisory lock on the whole file (`flock`), which the system releases when its
holder dies. A line is one `write` on a descriptor that appends, then it is brought to the disk. Where that
fails half way, because the disk is full or the work was interrupted, what was written is taken back.

Whoever is killed in the middle of a `write` cannot do that: the file then ends without a line feed, and the
next to append mends it. An event that lacks nothing but its line feed is given one; the beginning of an
event, which no reader could use, is cut off; any other text is left as it is, and ends with a line feed.
Nobody waits for programs that append without the lock, and nothing that they wrote is cut off after a
failure of our own.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import fcntl
import os
from time import sleep
from typing import TYPE_CHECKING, Final

import orjson

from streamt_ol.services.deadlines import Deadline, DeadlinePassedError

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAUSE = 0.005
"""Seconds between two looks at a lock: the system offers no wait with a bound."""
_CHUNK = 2**16
_CUT_SHORT: Final = "unexpected end of data"
"""What orjson says of the beginning of a JSON text, and of nothing else."""
_sync = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync


class LockHeldError(Exception):
    """Somebody else kept the lock for too long."""


class SyncError(Exception):
    """The line could not be brought to the disk."""


@contextlib.contextmanager
def locked(descriptor: int, seconds: float) -> Iterator[None]:
    """Hold the lock of a file; raises `LockHeldError` when it is not free within the seconds."""
    deadline = Deadline(seconds)
    try:
        while not _locks(descriptor):
            sleep(min(_PAUSE, deadline.left()))
    except DeadlinePassedError:
        raise LockHeldError from None
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def append_line(descriptor: int, line: bytes, longest_tail: int) -> None:
    """Append a line, which ends with a line feed, to a file whose lock is held.

    The descriptor reads, writes and appends. Of a file that does not end with a line feed at most
    `longest_tail` bytes are looked at. Raises `OSError`, or `SyncError`; the line is not there then.
    """
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n" and not _cut_off(descriptor, size, longest_tail):
        line = b"\n" + line
    _write_whole(descriptor, line)


def is_torn(tail: bytes) -> bool:
    """Return whether the end of a file is the beginning of an event, and not all of it."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(tail)  # a character may be torn, too
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return text.startswith("{") and error.msg.startswith(_CUT_SHORT)
    except UnicodeDecodeError:
        return False
    return False


def _locks(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _cut_off(descriptor: int, size: int, longest_tail: int) -> bool:
    """Cut the beginning of an event off the end of a file; return whether that was one."""
    most = min(size, longest_tail)
    tail = b""
    while b"\n" not in tail and len(tail) < most:
        length = min(most, max(_CHUNK, 2 * len(tail)))
        tail = os.pread(descriptor, length, size - length)
    begins = tail.rfind(b"\n") + 1
    if not begins and len(tail) < size:
        return False
    tail = tail[begins:]
    if not is_torn(tail) or os.fstat(descriptor).st_size != size:
        return False
    os.ftruncate(descriptor, size - len(tail))
    return True


def _write_whole(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[_written(descriptor, rest) :]
        _bring_to_disk(descriptor)
    except BaseException:
        _take_back(descriptor, len(data) - len(rest))
        raise


def _written(descriptor: int, data: memoryview) -> int:
    written = os.write(descriptor, data)
    if not written:  # for ever, perhaps
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    return written


def _bring_to_disk(descriptor: int) -> None:
    try:
        _sync(descriptor)
    except OSError:
        raise SyncError from None


def _take_back(descriptor: int, written: int) -> None:
    """Cut off what was written last, unless somebody without the lock has written behind it."""
    with contextlib.suppress(OSError):  # the next to append mends it
        end = os.lseek(descriptor, 0, os.SEEK_CUR)
        if written and end == os.fstat(descriptor).st_size:
            os.ftruncate(descriptor, end - written)
