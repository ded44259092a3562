"""`streamt rules check`: everything that is wrong with the tables, at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from streamt_ol.cli.documents import format_option
from streamt_ol.cli.options import rules_option

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face


@click.command("check")
@rules_option
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note"]),
    default="warning",
    help="The least severe findings that make the check fail.",
)
@format_option()
@click.pass_obj
def check(face: Face, fail_on: str, form: str) -> None:
    """Find what is wrong with rule tables, decided for every combination of their inputs.

    Everything in every file is told at once, most with what helps: a missing row is printed ready to paste.
    """
    from streamt_ol.cli.rules_checking import check_tables

    raise SystemExit(face.run("rules check", lambda: check_tables(face, fail_on, form)))
