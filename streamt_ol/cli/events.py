"""`streamt events`: OpenLineage events checked, compared and sent, whoever wrote them."""

from __future__ import annotations

import click

from streamt_ol.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "check": ("streamt_ol.cli.events_check", "check", "Check OpenLineage JSON Lines offline."),
        "diff": ("streamt_ol.cli.events_diff", "diff", "Compare two exports by meaning."),
        "send": ("streamt_ol.cli.events_send", "send", "Send an export through the configured transport."),
    },
    help="Check, compare and send OpenLineage events.",
)
def events() -> None:
    """Group the commands about events."""
