"""The choice of an environment, and the variables that hold in it (section 2 of the language)."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.ground.errors import Diagnostic
from streamt_ol.ground.records import shown_without
from streamt_ol.project.discovery import ENVIRONMENT_NAME, Layout, discover
from streamt_ol.project.dotenv_files import read_dotenv
from streamt_ol.project.errors import (
    EnvironmentNameError,
    EnvironmentNotChosenError,
    EnvironmentNotFoundError,
    EnvironmentUnexpectedError,
    NoEnvironmentsError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DEFAULT = "default"
"""Name of the environment of a project without an environments folder."""
_LOCATION = "environment"


class Selection(NamedTuple):
    """The chosen environment; `file` is None in a project without an environments folder."""

    name: str
    file: Path | None
    variables: Mapping[str, str]
    """The process environment over the dotenv files. May hold secrets."""
    warnings: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "variables")


def read_variables(
    directory: Path, environment: str | None, process_environment: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the effective environment variables of a project, without reading its YAML files.

    `environment` is the value of `--env`. Raises what finding the files, the choice of the environment and
    reading dotenv files raise.
    """
    return select(discover(directory), environment, process_environment).variables


def select(layout: Layout, requested: str | None, process_environment: Mapping[str, str]) -> Selection:
    """Return the environment asked for by `--env` if that is not empty, else by STREAMT_ENV.

    STREAMT_ENV may stand in `.env`. Raises the errors with code E503_ENVIRONMENT_ERROR, and
    `FileUnreadableError` for a dotenv file.
    """
    shared = read_dotenv(layout.directory, ".env", {}, process_environment)
    variable = {**shared, **process_environment}.get("STREAMT_ENV")
    if layout.environments is None:
        if requested:
            raise EnvironmentUnexpectedError(
                "the project has no environments folder, so no environment can be chosen",
                location=_LOCATION,
                suggestion="leave --env out, or add environments/NAME.yml",
            )
        ignored = Diagnostic("W000_WARNING", "STREAMT_ENV is ignored: the project has no environments folder")
        variables = MappingProxyType({**shared, **process_environment})
        return Selection(DEFAULT, None, variables, (ignored,) if variable else ())
    name = _chosen(requested or variable, layout.environments)
    own = read_dotenv(layout.directory, f".env.{name}", shared, process_environment)
    return Selection(name, layout.environments[name], MappingProxyType({**own, **process_environment}))


def _chosen(name: str | None, environments: Mapping[str, Path]) -> str:
    if not environments:
        raise NoEnvironmentsError(
            "the environments folder holds no environment file",
            location=_LOCATION,
            suggestion="add environments/NAME.yml, or remove the folder",
        )
    existing = f"existing environments: {', '.join(environments)}"
    if not name:
        raise EnvironmentNotChosenError(
            "the project has environments, and none is chosen",
            location=_LOCATION,
            suggestion=f"name one with --env or STREAMT_ENV; {existing}",
        )
    if not ENVIRONMENT_NAME.fullmatch(name):
        raise EnvironmentNameError(
            "the name of an environment has letters, digits and dashes only and does not start with a dash",
            location=_LOCATION,
            suggestion=existing,
        )
    if name not in environments:
        raise EnvironmentNotFoundError(
            f"there is no environment file environments/{name}.yml", location=_LOCATION, suggestion=existing
        )
    return name
