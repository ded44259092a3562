"""File operations of the system that are counted, and of which one, or every one from there on, goes wrong.

Nothing is imitated: each call reaches the system, unless it is the one that is to fail before it does.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

OPERATIONS = {
    os: (
        "open",
        "close",
        "fdopen",
        "fsync",
        "replace",
        "unlink",
        "mkdir",
        "stat",
        "lstat",
        "fstat",
        "fchmod",
        "ftruncate",
        "pread",
        "pwrite",
    ),
    fcntl: ("flock",),
}

Strike = Callable[[], BaseException]


class FileOperations:
    """Count operations while it is armed; `strike` is raised at the one with the number `at`, from 1."""

    def __init__(
        self, *, at: int = 0, strike: Strike | None = None, late: bool = False, lasting: bool = False
    ) -> None:
        self.names: list[str] = []
        """Every operation that was asked for."""
        self.done: list[str] = []
        """Every operation that was carried out."""
        self._at = at
        self._strike = strike
        self._late = late
        self._lasting = lasting
        self._armed = False

    def install(self, put: Callable[[Any, str, Any], None] = setattr) -> None:
        """Stand between the program and the system; `put` sets an attribute of a module."""
        for module, names in OPERATIONS.items():
            for name in names:
                real = getattr(module, name)
                put(module, name, self._opened(real) if name == "fdopen" else self._counted(name, real))

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Count, and strike, in between."""
        self._armed = True
        try:
            yield
        finally:
            self._armed = False

    def count(self, name: str, carry_out: Callable[[], Any]) -> Any:
        """Carry an operation out, or let it go wrong."""
        if not self._armed:
            return carry_out()
        self.names.append(name)
        number = len(self.names)
        struck = self._strike is not None and (number == self._at or (self._lasting and number > self._at))
        if struck and not self._late and name != "close":  # what is closed is closed, whatever is reported
            self.strike()
        result = carry_out()
        self.done.append(name)
        if struck:
            self.strike()
        return result

    def strike(self) -> None:
        assert self._strike is not None
        raise self._strike()

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def operation(*arguments: Any, **options: Any) -> Any:
            return self.count(name, lambda: real(*arguments, **options))

        return operation

    def _opened(self, real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments, **options: _File(self, real(*arguments, **options))


class _File(AbstractContextManager["_File"]):
    """An open file whose operations are counted; whatever happens, it is closed."""

    def __init__(self, operations: FileOperations, file: Any) -> None:
        self._operations = operations
        self._file = file

    def __exit__(self, *_problem: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        data: bytes = self._operations.count("read", lambda: self._file.read(size))
        return data

    def writelines(self, chunks: Any) -> None:
        self._operations.count("write", lambda: self._file.writelines(chunks))

    def flush(self) -> None:
        self._operations.count("flush", self._file.flush)


def input_output_error() -> OSError:
    return OSError(errno.EIO, os.strerror(errno.EIO))
