"""`streamt transport`: where run events would go."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.options import project_options

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.cli.face import Face


@click.group("transport")
def transport() -> None:
    """Look at the transport of run events."""


@transport.command("check")
@project_options
@click.pass_obj
def check(face: Face, project_dir: Path, environment: str | None) -> None:
    """Say where run events would go, and where each setting comes from.

    Reads what --emit-openlineage would read: the variables of the transport, the file that OPENLINEAGE_CONFIG
    names, and the dotenv files of the project, where the folder holds one. Nothing is sent, connected to or
    created.
    """
    from streamt_ol.cli.transport_checking import check_transport

    variables = dict(os.environ)
    raise SystemExit(
        face.run("transport check", lambda: check_transport(project_dir, environment, variables, face))
    )
