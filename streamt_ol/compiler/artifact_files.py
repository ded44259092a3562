"""Compiled artifacts as files: `manifest.json`, and one file per artifact in a folder per kind.

Beside that of a Flink job is its SQL. The manifest lists names, owners and files; it holds no content, so no
secrets. The files of the artifacts may hold some: only their owner can read them. Nothing is removed but what
the manifest before listed.
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

FLINK_JOBS = "flink_jobs"
_OWNER_ONLY = 0o600


class ForeignManifestError(StreamtError):
    """The folder has a `manifest.json` that compile did not write."""

    code: ClassVar[str] = "E137_OUTPUT_DIR_FOREIGN"


def artifact_file(kind: str, name: str) -> str:
    """Return the path of an artifact's file inside the output folder.

    The name is percent-encoded but for letters, digits and `-._~`, so no name leaves the folder of its kind.
    """
    return _file(kind, name, "json")


def sql_file(job: str) -> str:
    """Return the path of the SQL of a Flink job inside the output folder."""
    return _file(FLINK_JOBS, job, "sql")


def _file(kind: str, name: str, ending: str) -> str:
    folder = quote(kind.replace(".", "_"), safe="") or "_"
    return f"{folder}/{quote(name, safe='')}.{ending}"


def manifest(
    project: str,
    environment: str,
    artifacts: Mapping[str, Sequence[Artifact]],
    sql: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what is compiled, by kind: the same for the same project, whenever it is compiled.

    `sql` has the SQL of Flink jobs by name; of the others the manifest names no file of SQL.
    """
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
                    **({"sql": sql_file(artifact.name)} if _has_sql(artifact, sql) else {}),
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
    sql: Mapping[str, str] | None = None,
) -> None:
    """Write the files of all artifacts, remove those of artifacts that are gone, then write the manifest.

    `sql` has the SQL of Flink jobs by name. Each file is replaced as a whole, or stays. `watch` is told the
    number of files. Raises `ForeignManifestError` before anything is written, and `OutputFileError`.
    """
    earlier = _listed(folder)
    contents: dict[str, bytes] = {}
    for artifact in (one for of_kind in artifacts.values() for one in of_kind):
        contents[artifact_file(artifact.kind, artifact.name)] = _as_json(artifact.document())
        if sql and _has_sql(artifact, sql):
            contents[sql_file(artifact.name)] = sql[artifact.name].encode()
    for number, (file, content) in enumerate(contents.items()):
        watch("Writing artifacts", number, len(contents))
        _reserve(folder / file)
        _write(folder / file, content)
    for gone in sorted(earlier - contents.keys()):
        _remove(folder / gone)
    _write(folder / MANIFEST, _as_json(manifest(project, environment, artifacts, sql)))


def _has_sql(artifact: Artifact, sql: Mapping[str, str] | None) -> bool:
    return artifact.kind == FLINK_JOBS and artifact.name in (sql or {})


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
            entries = [(kind, one) for kind, of_kind in found["artifacts"].items() for one in of_kind]
            return {
                *(artifact_file(kind, one["name"]) for kind, one in entries),
                *(sql_file(one["name"]) for kind, one in entries if kind == FLINK_JOBS and "sql" in one),
            }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass  # whatever it is, it is not ours
    raise ForeignManifestError(
        f"{path} is not a manifest of this program, so it is not replaced",
        location="output_dir",
        suggestion="choose another --output-dir, or move the file away",
    )


def _as_json(document: Mapping[str, Any]) -> bytes:
    return f"{json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)}\n".encode()


def _write(path: Path, data: bytes) -> None:
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
