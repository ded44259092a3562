"""`streamt state`: what a project owns in an environment, and what is under way there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.options import project_options

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.cli.face import Face


@click.group("state")
def state() -> None:
    """Look at the state of the project, and recover what did not end."""


@state.command("status")
@project_options
@click.pass_obj
def status(face: Face, project_dir: Path, environment: str | None) -> None:
    """Say what the project owns, and whether an operation is under way or unfinished.

    Only reads: it takes no lock, contacts nothing and creates nothing, also while an operation is at work.
    """
    from streamt_ol.cli.state_status import tell_status

    variables = dict(os.environ)
    raise SystemExit(face.run("state status", lambda: tell_status(project_dir, environment, variables, face)))
