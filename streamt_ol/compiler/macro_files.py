"""Reads the templates below the folder `macros/` of a project, and nothing outside it."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from streamt_ol.compiler.template_errors import MacroFileError, MacroNotFoundError
from streamt_ol.ground.errors import Place

if TYPE_CHECKING:
    from pathlib import Path

_ABSENT = "the macro does not exist"


def shown(name: str) -> str:
    """Return the path of a template as it is shown: `a/b.sql.j2` is `macros/a/b.sql.j2`."""
    return f"macros/{name}"


def read_macro(folder: Path | None, name: str) -> str:
    """Return the text of a template by its path below the folder; a byte order mark is skipped.

    Raises `MacroNotFoundError` where no such path exists or its name leads upwards, and `MacroFileError`,
    with the file as its place, where it is no regular file inside the folder, not readable or not UTF-8.
    """
    parts = name.split("/")
    if folder is None or not {"", ".", ".."}.isdisjoint(parts):
        raise MacroNotFoundError(_ABSENT)
    try:
        path = folder.joinpath(*parts).resolve(strict=True)
        if not path.is_relative_to(folder.resolve()):
            reason = "it is a link that leads out of the folder `macros/`"
        else:
            return _read_regular(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 (the byte at offset {error.start})"
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: no file can have this name
        raise MacroNotFoundError(_ABSENT) from None
    except OSError as error:
        reason = error.strerror or "unknown reason"
    except RuntimeError:  # before Python 3.13
        reason = os.strerror(errno.ELOOP)
    raise MacroFileError(f"the macro cannot be read: {reason}", place=Place(shown(name)))


def _read_regular(path: Path) -> bytes:
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return file.read()


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a named pipe that nobody writes to is opened too instead of hanging the program."""
    return os.open(path, flags | os.O_NONBLOCK)
