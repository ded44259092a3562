"""`streamt events check`: OpenLineage JSON Lines of any producer, checked offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from streamt_ol.cli.documents import format_option

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Refuse facets and versions whose schemas are not pinned.")
@click.option(
    "--one-sequence",
    is_flag=True,
    help="Take the files for one sequence, in the order given; else each is one by itself.",
)
@click.option(
    "--max",
    "limit",
    type=click.IntRange(min=0),
    default=100,
    metavar="NUMBER",
    help="Show at most so many findings, the most severe; all are counted.",
)
@format_option()
@click.pass_obj
def check(
    face: Face, *, files: tuple[str, ...], strict: bool, one_sequence: bool, limit: int, form: str
) -> None:
    """Check OpenLineage events, one JSON text per line: DatasetEvents, JobEvents and RunEvents.

    FILE is a path, or - for standard input. Every event is checked against the pinned OpenLineage 1.53.0
    schemas, and the sequence for repeated identities and runs that do not pair. Nothing is contacted.
    """
    from streamt_ol.cli.events_checking import CheckRequest, check_events

    if files.count("-") > 1:
        raise click.UsageError("standard input can be read once only")
    request = CheckRequest(files, strict, one_sequence, limit, form)
    raise SystemExit(face.run("events check", lambda: check_events(request, face)))
