"""`streamt rules explain`: which row decided what about one source, model or event of a project."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.documents import format_option
from streamt_ol.cli.options import namespace_options, project_options, rules_option

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.cli.face import Face


@click.command("explain")
@click.argument("name", required=False)
@click.option("--event", type=click.IntRange(min=1), help="Explain the event on this line of the export.")
@project_options
@namespace_options
@rules_option
@format_option()
@click.pass_obj
def explain(
    face: Face,
    /,
    name: str | None,
    event: int | None,
    project_dir: Path,
    environment: str | None,
    form: str,
    **namespaces: str | None,
) -> None:
    """Say which row decided what about NAME: a source, a model, or a dataset or job as the export names it.

    The export is run and not printed. Every identity, facet, field, warning and omission is shown with the
    rows that decided it, where they stand, and the statements of the contract that they cite.
    """
    from streamt_ol.cli.explaining import explain_project
    from streamt_ol.cli.exporting import ExportRequest

    if (name is None) == (event is None):
        raise click.UsageError("give either NAME or --event")
    request = ExportRequest(
        directory=project_dir,
        environment=environment,
        process_environment=dict(os.environ),
        namespaces=namespaces,
        output_file=None,
        event_time=None,
        now=datetime.now(timezone.utc),
    )
    raise SystemExit(
        face.run("rules explain", lambda: explain_project(request, name or event or 0, form, face))
    )
