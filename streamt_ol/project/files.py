"""Reading what lies in a project folder: regular files only, so that nothing ever blocks."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from streamt_ol.ground.errors import Place
from streamt_ol.project.errors import FileUnreadableError

if TYPE_CHECKING:
    from pathlib import Path

YAML_ENDINGS = (".yml", ".yaml")


def shown(path: Path, directory: Path) -> str:
    """Return the path as messages name it: relative to the project, with `/`, always printable."""
    return path.relative_to(directory).as_posix().encode("utf-8", "backslashreplace").decode()


def names_in(folder: Path, directory: Path) -> list[str]:
    """Return the sorted names in a folder; none where there is no such folder.

    Raises `FileUnreadableError` where the folder may not be listed.
    """
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names are wanted, not paths
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unreadable(folder, directory, "", f"cannot be listed: {error.strerror}") from error


def yaml_files(folder: Path, directory: Path) -> tuple[Path, ...]:
    """Return the paths of `*.yml` sorted by name, then of `*.yaml` sorted by name; dot-files match too."""
    names = names_in(folder, directory)
    return tuple(folder / name for ending in YAML_ENDINGS for name in names if name.endswith(ending))


def read(path: Path, directory: Path, location: str, *, limit: int | None = None) -> bytes:
    """Return the bytes of a regular file, symbolic links followed.

    `limit` is the greatest size in bytes. Raises `FileUnreadableError` at `location` for anything else: a
    folder, a FIFO, a device, a dangling link, a file too large or without permission.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise _unreadable(path, directory, location, "is not a regular file")
        if limit is not None and status.st_size > limit:
            raise _unreadable(path, directory, location, f"is larger than {limit} bytes")
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, directory, location, f"cannot be read: {error.strerror}") from error


def _unreadable(path: Path, directory: Path, location: str, why: str) -> FileUnreadableError:
    name = shown(path, directory)
    return FileUnreadableError(f"{name} {why}", location=location, place=Place(name))
