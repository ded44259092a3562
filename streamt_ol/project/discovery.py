"""Which files make up a project (section 1 of the language)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.ground.errors import Place
from streamt_ol.project.errors import MainFileMissingError
from streamt_ol.project.files import names_in, shown, yaml_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MAIN_FILES = ("stream_project.yml", "stream_project.yaml")
SECTIONS = ("sources", "models", "tests", "exposures")
"""Root keys that may also be spread over the files of a folder of the same name."""
ENVIRONMENT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


class Layout(NamedTuple):
    """The files of one project folder; nothing is read yet."""

    directory: Path
    main: Path
    folders: Mapping[str, tuple[Path, ...]]
    """Files of each section folder, in the order in which their entries are appended."""
    sql_files: tuple[str, ...]
    """Names of `models/*.sql`, which are not read."""
    environments: Mapping[str, Path] | None
    """Environment files by name; None in a project without an environments folder."""


def discover(directory: Path) -> Layout:
    """Return the files of the project in `directory`; folders above it are not searched.

    Raises `MainFileMissingError`, or `FileUnreadableError` for a folder that may not be listed.
    """
    present = names_in(directory, directory)
    main = next((name for name in MAIN_FILES if name in present), None)
    if main is None:
        raise MainFileMissingError(
            f"the project folder holds neither {MAIN_FILES[0]} nor {MAIN_FILES[1]}",
            location="project_dir",
            place=Place(MAIN_FILES[0]),
            suggestion="name the folder of the project with --project-dir; folders above it are not searched",
        )
    models = directory / "models"
    return Layout(
        directory=directory,
        main=directory / main,
        folders={section: yaml_files(directory / section, directory) for section in SECTIONS},
        sql_files=tuple(
            shown(models / name, models) for name in names_in(models, directory) if name.endswith(".sql")
        ),
        environments=_environments(directory),
    )


def _environments(directory: Path) -> Mapping[str, Path] | None:
    folder = directory / "environments"
    if not folder.is_dir():
        return None
    # reversed: where both endings exist for a name, `.yml` comes last and is kept
    found = {path.stem: path for path in reversed(yaml_files(folder, directory))}
    return {name: found[name] for name in sorted(found) if ENVIRONMENT_NAME.fullmatch(name)}
