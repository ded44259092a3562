"""`streamt events send`: an export, delivered line by line through the configured transport."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face


@click.command("send")
@click.argument("file")
@click.option(
    "--from-line",
    type=click.IntRange(min=1),
    default=1,
    metavar="NUMBER",
    help="Send from this line on; the lines before it are not looked at.",
)
@click.pass_obj
def send(face: Face, *, file: str, from_line: int) -> None:
    """Send OpenLineage events, one JSON text per line, in their order.

    FILE is a path, or - for standard input. The transport is that of run events: OPENLINEAGE_CONFIG and the
    OPENLINEAGE__TRANSPORT__ variables say which. Every event is checked before it leaves, as `streamt events
    check` checks it by itself. The first line that is no valid event, or is not delivered, ends the work;
    what was delivered until then is said, and --from-line goes on from there.
    """
    from streamt_ol.cli.events_sending import SendRequest, send_events

    request = SendRequest(file, from_line, dict(os.environ))
    raise SystemExit(face.run("events send", lambda: send_events(request, face)))
