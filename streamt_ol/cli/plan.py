"""`streamt plan`: what an apply would do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.flink_options import flink_options
from streamt_ol.cli.options import project_options

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.planning.restores import Restores


@click.command("plan")
@project_options
@click.option("--out", metavar="FILE", help="Save the plan to this file, for `streamt apply --plan`.")
@click.option(
    "--offline", is_flag=True, help="Connect to nothing and read no state: everything counts as new."
)
@flink_options
@click.pass_obj
def plan(
    face: Face,
    project_dir: Path,
    environment: str | None,
    out: str | None,
    offline: bool,  # noqa: FBT001 - click hands flags over by name
    restores: Restores,
) -> None:
    """Show what an apply would do, and change nothing.

    What the project wants is compared with what the state says and what is there. A plan that cannot be
    applied is shown with what stands in its way, and is no failure. What the project does not declare any
    more is left alone.
    """
    from streamt_ol.cli.planning import PlanRequest, make_plan

    request = PlanRequest(
        directory=project_dir,
        environment=environment,
        process_environment=dict(os.environ),
        out=out,
        offline=offline,
        restores=restores,
    )
    raise SystemExit(face.run("plan", lambda: make_plan(request, face)))
