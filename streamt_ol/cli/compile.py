"""`streamt compile`: the project as artifacts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.options import project_options

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face


@click.command("compile")
@project_options
@click.option(
    "--output-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write to; generated/ in the project by default.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; only say what would be written.")
@click.pass_obj
def compile_(
    face: Face,
    project_dir: Path,
    environment: str | None,
    output_dir: Path | None,
    dry_run: bool,  # noqa: FBT001 - click hands flags over by name
) -> None:
    """Compile the project to artifacts: a manifest, and one file per artifact.

    Files of artifacts that are gone are removed. Nothing is contacted.
    """
    from streamt_ol.cli.compiling import CompileRequest, compile_to_files

    request = CompileRequest(
        directory=project_dir,
        environment=environment,
        process_environment=dict(os.environ),
        folder=output_dir or project_dir / "generated",
        dry_run=dry_run,
    )
    raise SystemExit(face.run("compile", lambda: compile_to_files(request, face)))
