"""`streamt golden`: example projects with approved output, checked and reviewed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face

golden_option = click.option(
    "--golden",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("golden"),
    help="The folder of the golden cases; ./golden by default.",
)
base_option = click.option(
    "--base", metavar="REV", help="The revision to compare with; by default where HEAD left the main branch."
)
cases_argument = click.argument("cases", nargs=-1, metavar="[CASE | CASE/RUN]...")
paths_argument = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))


@click.group(help="Check and review golden cases: example projects with approved output.")
def golden() -> None:
    """Group the commands about golden cases."""


@golden.command("check")
@golden_option
@base_option
@click.option("--no-base", is_flag=True, help="Compare with the approved output only, not with a revision.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="What is printed."
)
@cases_argument
@click.pass_obj
def check(
    face: Face,
    folder: Path,
    base: str | None,
    no_base: bool,  # noqa: FBT001 - click hands flags over by name
    form: str,
    cases: tuple[str, ...],
) -> None:
    """Run all cases, or those named, and fail where anything is not as approved. Nothing is written.

    Breaking changes since the base revision fail unless approvals.yml has an entry about them.
    """
    from streamt_ol.cli.golden_work import check_golden

    if base is not None and no_base:
        raise click.UsageError("--base and --no-base exclude each other")
    _run(face, "check", lambda: check_golden(face, folder, cases, base, form, with_base=not no_base))


@golden.command("run")
@golden_option
@cases_argument
@click.pass_obj
def run(face: Face, folder: Path, cases: tuple[str, ...]) -> None:
    """Run all cases, or those named, and leave what differs pending beside the approved output."""
    from streamt_ol.cli.golden_work import run_golden

    _run(face, "run", lambda: run_golden(face, folder, cases))


@golden.command("review")
@golden_option
@cases_argument
@click.pass_obj
def review(face: Face, folder: Path, cases: tuple[str, ...]) -> None:
    """Run all cases, or those named, and ask about each run that differs: accept, reject or skip."""
    from streamt_ol.cli.golden_review import review_golden

    _run(face, "review", lambda: review_golden(face, folder, cases))


@golden.command("accept")
@golden_option
@paths_argument
@click.pass_obj
def accept(face: Face, folder: Path, paths: tuple[Path, ...]) -> None:
    """Make pending output the approved one: that of files, of cases, or of the whole folder."""
    from streamt_ol.cli.golden_work import decide_golden

    _run(face, "accept", lambda: decide_golden(face, folder, paths, accepted=True))


@golden.command("reject")
@golden_option
@paths_argument
@click.pass_obj
def reject(face: Face, folder: Path, paths: tuple[Path, ...]) -> None:
    """Delete pending output: that of files, of cases, or of the whole folder."""
    from streamt_ol.cli.golden_work import decide_golden

    _run(face, "reject", lambda: decide_golden(face, folder, paths, accepted=False))


@golden.command("report")
@golden_option
@base_option
@click.option(
    "--format", "form", type=click.Choice(["markdown", "json"]), default="markdown", help="What is printed."
)
@click.pass_obj
def report(face: Face, folder: Path, base: str | None, form: str) -> None:
    """Print what changed since a revision, by meaning, for a pull request.

    What is pending counts as the new output, else what is approved. Nothing is run.
    """
    from streamt_ol.cli.golden_work import report_golden

    _run(face, "report", lambda: report_golden(face, folder, base, form))


def _run(face: Face, command: str, work: Any) -> None:
    from streamt_ol.cli.golden_work import could_not

    raise SystemExit(face.run(f"golden {command}", could_not(face, work)))
