"""`streamt validate`: the project against the rules of the language and its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.options import project_options

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.cli.face import Face


@click.command("validate")
@project_options
@click.option("--all-envs", is_flag=True, help="Check every environment of the project.")
@click.option("--check-schemas", is_flag=True, help="Compare with a Schema Registry; not supported yet.")
@click.option("--model", "-m", help="Show only what concerns this model.")
@click.option("--strict", is_flag=True, help="Fail on warnings, too.")
@click.pass_obj
def validate(
    face: Face,
    project_dir: Path,
    environment: str | None,
    all_envs: bool,  # noqa: FBT001 - click hands flags over by name
    check_schemas: bool,  # noqa: FBT001
    model: str | None,
    strict: bool,  # noqa: FBT001
) -> None:
    """Check the project against the rules of the language and its own.

    Everything is checked and shown at once, in the order of the project. Nothing is contacted.
    """
    from streamt_ol.cli.validating import ValidationRequest, validate_project

    if all_envs and environment:
        raise click.UsageError("--all-envs and --env exclude each other")
    request = ValidationRequest(
        directory=project_dir,
        environment=environment,
        all_environments=all_envs,
        process_environment=dict(os.environ),
        check_schemas=check_schemas,
        model=model,
        strict=strict,
    )
    raise SystemExit(face.run("validate", lambda: validate_project(request, face)))
