"""Writing an output file: the whole new content is in place, or the old file is untouched.

The bytes are staged beside the target as `.{name}.{16 hex digits}.tmp` (of a long name its beginning),
brought to the disk, and renamed over the target. Every failure, an interruption included, removes the
staging file; only a killed process leaves one behind. It is not removed by a later run, which could not
tell it from the staging file of a writer that is still at work: delete it by that pattern.

Missing parent directories are created, and stay when a later step fails. A symbolic link is refused rather
than followed or replaced; a linked parent directory is followed. An existing file keeps its permissions
and, where the system allows it, its owner and group; hard links, ACLs and extended attributes do not
survive the replacement. The target's directory must be readable: it is opened to be synced.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from streamt_ol.ground.errors import StreamtError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}

# With the 22 bytes around it a staging name stays under 143 bytes, the least limit in use (eCryptfs).
_NAME_CHARACTERS = 28


class OutputFileError(StreamtError):
    """The output file is refused, or could not be written."""

    code: ClassVar[str] = "E510_OUTPUT_FILE"

    def __init__(self, message: str, *, suggestion: str | None = None) -> None:
        super().__init__(message, location="output_file", suggestion=suggestion)


def preflight(path: Path | str) -> None:
    """Refuse a path that `write_atomically` would refuse, before any work is done for it.

    Pass the text as the user typed it: a `Path` has already lost a trailing slash. Nothing is opened,
    so nothing blocks, and nothing is created.

    Raises `OutputFileError` for an empty path, `-`, a path that ends in `/`, `.` or `..`, one that no file
    can have, a target that is not a regular file, and a parent that is not a directory.
    """
    text = os.fspath(path)
    if not text:
        raise OutputFileError("the output file has an empty path")
    if text == "-":
        raise OutputFileError(
            "`-` is not an output file",
            suggestion="leave the option out to write to stdout; write ./- for a file of that name",
        )
    folder, name = os.path.split(text)
    if name in ("", os.curdir, os.pardir):
        raise OutputFileError(f"{text} names a directory, not a file")
    try:
        with _told(text, "cannot be written"):
            _existing(text)
            for parent in (Path(folder), *Path(folder).parents):
                if parent.is_dir():
                    break
                if os.path.lexists(parent):
                    raise OutputFileError(f"{text} cannot be written: {parent} is not a directory")
    except ValueError as error:
        raise OutputFileError(f"{text} holds a character that no file name can have") from error


def write_atomically(path: Path | str, data: bytes | Iterable[bytes], *, mode: int | None = None) -> None:
    """Replace the file by the data, or create it.

    With a `mode` the new file has these permissions, and the owner and group of whoever writes it, whatever
    the old one had. Raises `OutputFileError` for all that `preflight` refuses and for every failure of the
    file system. The old file is then untouched, but for one case that the message names: the last step,
    syncing the directory, failed after the rename. The new content is then in place, yet a crash may undo
    it. Whatever the iterable raises passes through; the old file is untouched then as well.
    """
    preflight(path)
    text = os.fspath(path)
    folder, name = os.path.split(text)
    with _told(text, "was not written"):
        make_folder(Path(folder))
        descriptor = os.open(folder or os.curdir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with _told(text, "was not written"):
            _replace(text, name, (data,) if isinstance(data, bytes) else data, descriptor, mode)
        with _told(text, "was written, but may be lost when the machine crashes"):
            _sync_directory(descriptor)
    finally:
        with contextlib.suppress(OSError):  # nothing was written through it
            os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Create a folder and those above it, each brought to the disk; raises `OSError`."""
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            each.mkdir(exist_ok=True)  # another writer may be creating it too
            parent = os.open(each.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                _sync_directory(parent)
            finally:
                os.close(parent)


def _replace(path: str, name: str, chunks: Iterable[bytes], folder: int, mode: int | None) -> None:
    staging = f".{name[:_NAME_CHARACTERS]}.{os.urandom(8).hex()}.tmp"
    try:
        old = _existing(path, name, folder)
        _stage(staging, chunks, folder, old if mode is None else None, mode)
        _existing(path, name, folder)  # what stands there may have changed in the meantime
        os.replace(staging, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise  # the staging name is taken: that file is not ours to remove
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(staging, dir_fd=folder)
        raise


def _stage(
    staging: str, chunks: Iterable[bytes], folder: int, old: os.stat_result | None, mode: int | None
) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    # The umask narrows a new file; another is open to nobody else until it has the permissions that it gets.
    descriptor = os.open(staging, flags, 0o666 if old is None and mode is None else 0o600, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(chunks)
        file.flush()
        if mode is not None:
            os.fchmod(descriptor, mode)
        if old is not None:
            for user, group in ((-1, old.st_gid), (old.st_uid, -1)):
                with contextlib.suppress(PermissionError):
                    os.fchown(descriptor, user, group)
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        os.fsync(descriptor)


def _existing(path: str, name: str | None = None, folder: int | None = None) -> os.stat_result | None:
    """Return the state of the regular file to replace, None where there is none."""
    try:
        found = os.lstat(path if name is None else name, dir_fd=folder)
    except FileNotFoundError:
        return None
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        raise OutputFileError(f"{path} is {_KINDS.get(kind, 'a special file')}, not a regular file")
    return found


def _sync_directory(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # EINVAL: this file system has no such operation
            raise


@contextlib.contextmanager
def _told(path: str, outcome: str) -> Iterator[None]:
    """Turn a failure of the file system into one that says what became of the file."""
    try:
        yield
    except OSError as error:
        raise OutputFileError(f"{path} {outcome}: {error.strerror}") from error
