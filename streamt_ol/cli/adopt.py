"""`streamt adopt`: one existing resource, taken under management."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.lock_option import lock_timeout
from streamt_ol.cli.options import project_options

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.cli.face import Face


@click.command("adopt")
@click.argument("resource", metavar="KIND:NAME")
@project_options
@click.option("--confirm", is_flag=True, help="Confirm that the resource is to be adopted.")
@click.option("--confirm-env", metavar="NAME", help="Confirm the environment by its name.")
@click.option("--dry-run", is_flag=True, help="Show the resource and what an apply would make of it.")
@lock_timeout
@click.pass_obj
def adopt(
    face: Face,
    resource: str,
    project_dir: Path,
    environment: str | None,
    confirm: bool,  # noqa: FBT001 - click hands flags over by name
    confirm_env: str | None,
    dry_run: bool,  # noqa: FBT001
    lock_seconds: float | None,
) -> None:
    """Take one existing resource, such as topic:orders, under management.

    The project declares it with `ownership: {mode: adopted}`. It is shown, and what the next apply would
    change of it; the adoption itself changes nothing but the state.
    """
    from streamt_ol.cli.adopting import AdoptRequest, adopt_resource

    request = AdoptRequest(
        directory=project_dir,
        environment=environment,
        process_environment=dict(os.environ),
        resource=resource,
        confirm=confirm,
        confirm_env=confirm_env,
        dry_run=dry_run,
        lock_seconds=lock_seconds,
    )
    raise SystemExit(face.run("adopt", lambda: adopt_resource(request, face)))
