"""`streamt events diff`: two exports compared by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from streamt_ol.cli.documents import format_option

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face


@click.command("diff")
@click.argument("old")
@click.argument("new")
@format_option("markdown")
@click.option(
    "--fail-on",
    type=click.Choice(["breaking", "notable", "cosmetic", "never"]),
    default="cosmetic",
    help="From which severity on changes give exit status 1; by default any change does.",
)
@click.pass_obj
def diff(face: Face, *, old: str, new: str, form: str, fail_on: str) -> None:
    """Show what the export NEW says otherwise than the export OLD: datasets, jobs, edges, fields, facets.

    OLD and NEW are files of DatasetEvents and JobEvents, one per line, in any order and of any producer; one
    may be - for standard input. The time of events never counts. The exit status is 0 if both say the same,
    1 if there are changes as severe as --fail-on, 2 if they could not be compared.
    """
    from streamt_ol.cli.events_diffing import STDIN, DiffRequest, diff_events

    if old == new == STDIN:
        raise click.UsageError("standard input can be read once only")
    request = DiffRequest(old, new, form, fail_on)
    raise SystemExit(face.run("events diff", lambda: diff_events(request, face)))
