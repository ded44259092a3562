"""`streamt apply`: what the project declares, made so."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.emission import emission_options
from streamt_ol.cli.flink_options import flink_options
from streamt_ol.cli.lock_option import lock_timeout
from streamt_ol.cli.options import project_options

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.cli.emission import Emission
    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.planning.restores import Restores


@click.command("apply")
@project_options
@click.option("--target", "-t", metavar="MODEL", help="Apply only this model and all models it reads.")
@click.option("--select", "-s", metavar="tag:NAME", help="Apply only models with this tag and all they read.")
@click.option("--confirm", is_flag=True, help="Confirm that the environment is to be changed.")
@click.option("--confirm-env", metavar="NAME", help="Confirm it by this name, which must be its.")
@click.option("--force", is_flag=True, help="Delete what the plan deletes where the environment forbids it.")
@click.option("--dry-run", is_flag=True, help="Pass every gate, show the plan, and change nothing.")
@click.option("--plan", "plan_file", metavar="FILE", help="Apply this plan of `streamt plan --out`.")
@flink_options
@lock_timeout
@emission_options
@click.pass_obj
def apply(
    face: Face,
    project_dir: Path,
    environment: str | None,
    target: str | None,
    select: str | None,
    confirm: bool,  # noqa: FBT001 - click hands flags over by name
    confirm_env: str | None,
    force: bool,  # noqa: FBT001
    dry_run: bool,  # noqa: FBT001
    plan_file: str | None,
    restores: Restores,
    lock_seconds: float | None,
    emission: Emission,
) -> None:
    """Make what the project declares so, as one operation that is written down step by step.

    What is carried out is what was planned: where something else is there than the plan was made with, its
    action fails. An operation that does not end is recovered explicitly, and nothing else begins before.
    """
    from streamt_ol.cli.application import ApplyRequest
    from streamt_ol.cli.applying import apply_project

    request = ApplyRequest(
        directory=project_dir,
        environment=environment,
        process_environment=dict(os.environ),
        target=target,
        select=select,
        confirm=confirm,
        confirm_env=confirm_env,
        force=force,
        dry_run=dry_run,
        plan_file=plan_file,
        restores=restores,
        lock_seconds=lock_seconds,
        emission=emission,
    )
    raise SystemExit(face.run("apply", lambda: apply_project(request, face)))
