"""Files as they were at a revision, read through git. Nothing is fetched and nothing is written."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streamt_ol.review.golden.errors import BaseRevisionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAIN_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
"""Where the main branch is looked for; the first that exists is taken."""

_MISLEADING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")
"""Variables that a git hook sets and that would move the question to another folder."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the repository that a folder lies in."""

    root: Path
    """The top of the working tree."""
    name: str
    """As it was asked for, or how it was found."""
    commit: str

    def __str__(self) -> str:
        """Return the name and the abbreviated commit."""
        return f"{self.name} ({self.commit[:12]})"

    def read(self, folder: Path) -> dict[Path, bytes]:
        """Return the files below a folder of the working tree as they were, by the path they have there.

        Empty for a folder that was not there, and for one outside of the working tree. Links and
        submodules are left out. Raises `BaseRevisionError`.
        """
        within = self._within(folder)
        if within is None:
            return {}
        listing = _git(self.root, "ls-tree", "-r", "-z", "--full-tree", self.commit, "--", within)
        blobs: dict[Path, str] = {}
        for entry in _entries(listing):
            (mode, _kind, blob), path = entry.partition("\t")[0].split(), entry.partition("\t")[2]
            if mode.startswith("100"):
                blobs[self.root / path] = blob
        return dict(zip(blobs, self._contents(list(blobs.values())), strict=True))

    def changed(self, folder: Path) -> list[Path]:
        """Return the files below a folder that are not as they were, new and deleted ones included, sorted.

        Raises `BaseRevisionError`.
        """
        within = self._within(folder)
        if within is None:
            return []
        differing = _git(self.root, "diff", "--name-only", "--no-renames", "-z", self.commit, "--", within)
        unknown = _git(self.root, "ls-files", "--others", "--exclude-standard", "-z", "--", within)
        return sorted({self.root / path for listing in (differing, unknown) for path in _entries(listing)})

    def _within(self, folder: Path) -> str | None:
        resolved = folder.resolve()
        return resolved.relative_to(self.root).as_posix() if resolved.is_relative_to(self.root) else None

    def _contents(self, blobs: Sequence[str]) -> Iterator[bytes]:
        answer = _git(self.root, "cat-file", "--batch", data="".join(f"{blob}\n" for blob in blobs).encode())
        position = 0
        for blob in blobs:
            end = answer.index(b"\n", position)
            name, kind, *size = answer[position:end].decode().split()
            if name != blob or kind != "blob":
                raise BaseRevisionError(f"object {blob} cannot be read from {self}", location="base")
            position = end + 1 + int(size[0]) + 1
            yield answer[end + 1 : position - 1]


def revision(folder: Path, name: str) -> Revision:
    """Return the commit that a name means in the repository of a folder; raises `BaseRevisionError`."""
    root = _root(folder)
    commit = _commit(root, name)
    if commit is None:
        raise BaseRevisionError(
            f"{name!r} is no commit here",
            location="base",
            suggestion="fetch it first; a shallow clone has the newest commits only",
        )
    return Revision(root, name, commit)


def branching_point(folder: Path) -> Revision:
    """Return where the checked out commit left the main branch; raises `BaseRevisionError`."""
    root = _root(folder)
    main = next((name for name in MAIN_BRANCHES if _commit(root, name) is not None), None)
    if main is None:
        raise BaseRevisionError(
            f"no main branch is known here: none of {', '.join(MAIN_BRANCHES)} exists",
            location="base",
            suggestion="name the revision to compare with by --base",
        )
    found = _run(root, "merge-base", "HEAD", main)
    if found.returncode != 0:
        raise BaseRevisionError(
            f"HEAD and {main} have no commit in common",
            location="base",
            suggestion="fetch the whole history (a shallow clone lacks it), or name a revision by --base",
        )
    return Revision(root, f"the point where HEAD left {main}", found.stdout.decode().strip())


def _root(folder: Path) -> Path:
    top = _git(folder, "rev-parse", "--show-toplevel")
    return Path(os.fsdecode(top.removesuffix(b"\n"))).resolve()


def _commit(root: Path, name: str) -> str | None:
    # --end-of-options: a name that looks like an option is a name.
    found = _run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return found.stdout.decode().strip() if found.returncode == 0 else None


def _entries(listing: bytes) -> Iterator[str]:
    return (os.fsdecode(entry) for entry in listing.split(b"\0") if entry)


def _git(folder: Path, *arguments: str, data: bytes = b"") -> bytes:
    done = _run(folder, *arguments, data=data)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise BaseRevisionError(f"git {arguments[0]} failed: {said}", location="base")
    return done.stdout


def _run(folder: Path, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in _MISLEADING}
    try:
        return subprocess.run(  # noqa: S603 - git, with arguments of this module and a name after a guard
            ["git", "--literal-pathspecs", *arguments],  # noqa: S607 - the git that the user has
            cwd=folder,
            env={**environment, "LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"},
            input=data,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise BaseRevisionError(
            f"git cannot be run: {error.strerror}",
            location="base",
            suggestion="install git, or compare with the approved output only",
        ) from error
