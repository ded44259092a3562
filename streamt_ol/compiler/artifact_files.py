"""Compiled artifacts as files: `manifest.json`, and one file per artifact in a folder per kind.

The manifest lists names, owners and files; it holds no content, so no secrets. The files of the artifacts may
hold some: only their owner can read them. Nothing is removed but what the manifest before listed.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from streamt_ol.ground.atomic_file import OutputFileError, preflight, write_atomically
from streamt_ol.ground.errors import StreamtError
from streamt_ol.ground.watching import nobody

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.ground.watching import Watch

MANIFEST = "manifest.json"
FORMAT = "streamt.manifest"
VERSION = 1

_OWNER_ONLY = 0o600


class ForeignManifestError(StreamtError):
    """The folder has a `manifest.json` that compile did not write."""

    code: ClassVar[str] = "E137_OUTPUT_DIR_FOREIGN"


def artifact_file(kind: str, name: str) -> str:
    """Return the path of an artifact's file inside the output folder.

    The name is percent-encoded but for letters, digits and `-._~`, so no name leaves the folder of its kind.
    """
    folder = quote(kind.replace(".", "_"), safe="") or "_"
    return f"{folder}/{quote(name, safe='')}.json"


def manifest(project: str, environment: str, artifacts: Mapping[str, Sequence[Artifact]]) -> dict[str, Any]:
    """Return what is compiled, by kind: the same for the same project, whenever it is compiled."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "project": project,
        "environment": environment,
        "artifacts": {
            kind: [
                {
                    "name": artifact.name,
                    "owner": {"kind": artifact.owner_kind, "name": artifact.owner},
                    "file": artifact_file(kind, artifact.name),
                }
                for artifact in of_kind
            ]
            for kind, of_kind in artifacts.items()
        },
    }


def write_artifacts(
    folder: Path,
    project: str,
    environment: str,
    artifacts: Mapping[str, Sequence[Artifact]],
    watch: Watch = nobody,
) -> None:
    """Write the files of all artifacts, remove those of artifacts that are gone, then write the manifest.

    Each file is replaced as a whole, or stays. `watch` is told the number of files. Raises
    `ForeignManifestError` before anything is written, and `OutputFileError`.
    """
    earlier = _listed(folder)
    documents = {
        artifact_file(artifact.kind, artifact.name): artifact.document()
        for of_kind in artifacts.values()
        for artifact in of_kind
    }
    for number, (file, document) in enumerate(documents.items()):
        watch("Writing artifacts", number, len(documents))
        _reserve(folder / file)
        _write(folder / file, document)
    for gone in sorted(earlier - documents.keys()):
        _remove(folder / gone)
    _write(folder / MANIFEST, manifest(project, environment, artifacts))


def _listed(folder: Path) -> set[str]:
    """Return the files of the manifest that stands in the folder; their paths are made again, not read."""
    path = folder / MANIFEST
    preflight(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise OutputFileError(f"{path} cannot be read: {error.strerror}") from error
    try:
        found = json.loads(content)
        if found["format"] == FORMAT:
            kinds = found["artifacts"].items()
            return {artifact_file(kind, one["name"]) for kind, of_kind in kinds for one in of_kind}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass  # whatever it is, it is not ours
    raise ForeignManifestError(
        f"{path} is not a manifest of this program, so it is not replaced",
        location="output_dir",
        suggestion="choose another --output-dir, or move the file away",
    )


def _write(path: Path, document: Mapping[str, Any]) -> None:
    data = f"{json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)}\n".encode()
    if not _holds(path, data):
        write_atomically(path, data)


def _holds(path: Path, data: bytes) -> bool:
    """Return whether a file has this content already: a second compile touches nothing."""
    try:
        return path.read_bytes() == data
    except OSError:
        return False


def _reserve(path: Path) -> None:
    """Make the file its owner's before it has any content; replacing it keeps that."""
    preflight(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(path, flags, _OWNER_ONLY)
        try:
            os.fchmod(descriptor, _OWNER_ONLY)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise OutputFileError(f"{path} was not written: {error.strerror}") from error


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputFileError(f"{path} was not removed: {error.strerror}") from error
