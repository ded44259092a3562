"""The lock of a local state: one file, locked by one process at a time, which writes into it who it is.

The system releases it when its holder dies (`flock`); the file stays behind. What is written into it also
fences: should the lock be lost without a word, as some network file systems do, the next holder overwrites
the text, and the one before sees it. Source: section 3.2 and decision R11 of the runtime facts.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from time import sleep
from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.state.errors import LockLostError, LockTimeoutError, ReleaseUnverifiedError
from streamt_ol.deploy.state.files import OWNER_ONLY
from streamt_ol.deploy.state.holders import (
    LARGEST,
    decode_holder,
    described,
    encode_holder,
    is_running,
    this_process,
)
from streamt_ol.ground.errors import Place
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError

if TYPE_CHECKING:
    from streamt_ol.deploy.state.files import StateFile
    from streamt_ol.deploy.state.holders import Holder

_PAUSE: Final = 0.05
"""Seconds between two looks at a lock: the system offers no wait with a bound."""
_MOMENT: Final = 0.25
"""Seconds that the text of a lock may be late."""
_FLAGS: Final = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class FileLock:
    """A lock that is held, until it is released or lost."""

    def __init__(self, file: StateFile, descriptor: int, text: bytes) -> None:
        self._file = file
        self._descriptor = descriptor
        self._text = text
        self._owner = os.getpid()
        self.is_held = True
        """False once it is released."""

    def check(self) -> None:
        """Raise `LockLostError` when the lock is not held any more, or the file is not the one it is on."""
        try:
            reason = self._loss()
        except OSError as error:
            reason = f"its file cannot be looked at: {error.strerror}"
        if reason:
            raise LockLostError(f"the lock of the state is lost: {reason}", place=Place(self._file.shown))

    def release(self) -> None:
        """Give the lock back; raises `ReleaseUnverifiedError` when nobody can say whether that is done."""
        if not self.is_held:
            return
        try:
            reason = self._loss()
            if not reason:
                with contextlib.suppress(OSError):  # a text that stays is one of a process that has ended
                    os.ftruncate(self._descriptor, 0)
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        except OSError as error:
            reason = error.strerror or "the system refuses it"
        finally:
            self.is_held = False
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
        if reason:
            raise ReleaseUnverifiedError(
                f"the lock of the state could not be given back for certain: {reason}",
                place=Place(self._file.shown),
            )

    def _loss(self) -> str:
        """Return why the lock is not ours; empty when it is."""
        if not self.is_held:
            return "it was given back"
        if os.getpid() != self._owner:
            return "another process has taken it"
        if not _is_same(self._file, self._descriptor):
            return "its file was removed or replaced"
        if os.pread(self._descriptor, LARGEST, 0) != self._text:
            return "another process has written into its file"
        if _is_free(self._file) or not _locks(self._descriptor):
            return "the system does not hold it any more"
        return ""


def acquire(file: StateFile, seconds: float, now: str) -> FileLock:
    """Return the lock once it is free; its folder must be there.

    `seconds` is how long to wait at most; 0 does not wait. Raises `LockTimeoutError`, which names the holder,
    `StateFileKindError`, `StateUnavailableError`.
    """
    deadline = Deadline(seconds)
    while True:
        try:
            lock = _attempt(file, now)
        except OSError as error:
            raise file.refusal(error) from None
        if lock is not None:
            return lock
        try:
            sleep(min(_PAUSE, deadline.left()))
        except DeadlinePassedError:
            break
    raise _timeout(file, seconds)


def is_free(file: StateFile) -> bool:
    """Return whether nobody holds the lock, which is shared for a moment: who else looks does not see that.

    Raises `StateFileKindError`, `StateUnavailableError`.
    """
    try:
        file.require_regular(os.lstat(file.path).st_mode)
        return _is_free(file, fcntl.LOCK_SH)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise file.refusal(error) from None


def _attempt(file: StateFile, now: str) -> FileLock | None:
    """Return the lock if it is free now."""
    with contextlib.suppress(FileNotFoundError):
        file.require_regular(os.lstat(file.path).st_mode)
    descriptor = os.open(file.path, _FLAGS | os.O_CREAT, OWNER_ONLY)
    try:
        file.require_regular(os.fstat(descriptor).st_mode)
        if _locks(descriptor) and _is_same(file, descriptor):
            text = encode_holder(this_process(now))
            if os.pwrite(descriptor, text, 0) != len(text):
                raise OSError(errno.EIO, os.strerror(errno.EIO))  # noqa: TRY301 - as the system would
            os.ftruncate(descriptor, len(text))
            os.fchmod(descriptor, OWNER_ONLY)
            return FileLock(file, descriptor, text)
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _timeout(file: StateFile, seconds: float) -> LockTimeoutError:
    return LockTimeoutError(
        f"{described(_holder(file))} holds the lock of the state; it was not free within {seconds:g} s",
        place=Place(file.shown),
        suggestion="try again when that has ended; the lock ends with its process, nothing has to be removed",
    )


def _holder(file: StateFile) -> Holder | None:
    """Return who holds the lock; whoever has just taken it is given a moment to write that."""
    deadline = Deadline(_MOMENT)
    while True:
        holder = decode_holder(file.read(LARGEST) or b"")
        if holder is not None and is_running(holder) is not False:
            return holder
        try:
            sleep(min(_PAUSE, deadline.left()))
        except DeadlinePassedError:
            return holder


def _locks(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_free(file: StateFile, kind: int = fcntl.LOCK_EX) -> bool:
    """Return whether anybody else could take the lock now."""
    descriptor = os.open(file.path, _FLAGS)
    try:
        return _locks(descriptor, kind)
    finally:
        os.close(descriptor)


def _is_same(file: StateFile, descriptor: int) -> bool:
    """Return whether the path still leads to the open file."""
    try:
        found = os.lstat(file.path)
    except FileNotFoundError:
        return False
    ours = os.fstat(descriptor)
    return (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)
