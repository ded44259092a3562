"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

project_dir = click.option(
    "--project-dir",
    "-p",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The folder of stream_project.yml; the current folder by default.",
)
environment = click.option(
    "--env", "-e", "environment", help="The environment to use, where the project has several."
)


def project_options(command: Any) -> Any:
    """Add `--project-dir` and `--env` to a command."""
    return project_dir(environment(command))
