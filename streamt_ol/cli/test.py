"""`streamt test`: the tests of the project, on real data."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.emission import emission_options
from streamt_ol.cli.options import project_options

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.cli.emission import Emission
    from streamt_ol.cli.face import Face


@click.command("test")
@project_options
@click.option("--model", "-m", help="Run only tests about exactly this model or source.")
@click.option(
    "--type",
    "kind",
    type=click.Choice(["schema", "sample", "continuous"]),
    help="Run only tests of this type.",
)
@click.option("--coverage", is_flag=True, help="Run nothing; tell which models have a test.")
@click.option("--deploy", is_flag=True, help="Reserved: nothing is deployed yet, tests run from here.")
@click.option("--show-values", is_flag=True, help="Show what messages hold that are not as asserted.")
@click.option("--junit", metavar="FILE", help="Write the results to this file as a JUnit report, too.")
@emission_options
@click.pass_obj
def test(
    face: Face,
    project_dir: Path,
    environment: str | None,
    model: str | None,
    kind: str | None,
    coverage: bool,  # noqa: FBT001 - click hands flags over by name
    deploy: bool,  # noqa: FBT001
    show_values: bool,  # noqa: FBT001
    junit: str | None,
    emission: Emission,
) -> None:
    """Run the tests of the project, one after the other.

    Sample tests read topics of runtime.kafka from their beginning, continuous tests ask Flink for the state
    of their job, schema tests look at the project alone. Whatever does not pass fails the command, also a
    test that could not be carried out or evaluated.
    """
    from streamt_ol.cli.testing import ChecksRequest, run_tests

    if coverage and (model is not None or kind is not None or junit is not None):
        raise click.UsageError("--coverage runs no tests: it excludes --model, --type and --junit")
    request = ChecksRequest(
        directory=project_dir,
        environment=environment,
        process_environment=dict(os.environ),
        model=model,
        kind=kind,
        coverage=coverage,
        deploy=deploy,
        show_values=show_values,
        junit=junit,
        emission=emission,
    )
    raise SystemExit(face.run("test", lambda: run_tests(request, face)))
