"""`streamt docs`: the project described for other systems."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.options import namespace_options, project_options

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.cli.face import Face


@click.group(help="Describe the project in other systems' words.")
def docs() -> None:
    """Group the descriptions."""


@docs.command("openlineage")
@project_options
@namespace_options
@click.option("--output-file", help="Write the lines to this file, all or nothing, instead of stdout.")
@click.option("--event-time", help="RFC 3339 time of every event; else SOURCE_DATE_EPOCH, else now.")
@click.pass_obj
def openlineage(
    face: Face,
    /,
    project_dir: Path,
    environment: str | None,
    output_file: str | None,
    event_time: str | None,
    **namespaces: str | None,
) -> None:
    """Print the project as OpenLineage design metadata: one DatasetEvent or JobEvent per line.

    Nothing is contacted. Every event is checked against the pinned OpenLineage 1.53.0 schemas before the
    first byte is written.
    """
    from streamt_ol.cli.exporting import ExportRequest, export_project

    request = ExportRequest(
        directory=project_dir,
        environment=environment,
        process_environment=dict(os.environ),
        namespaces=namespaces,
        output_file=output_file,
        event_time=event_time,
        now=datetime.now(timezone.utc),
    )
    raise SystemExit(face.run("docs openlineage", lambda: export_project(request, face)))
