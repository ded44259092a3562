"""`streamt events`: OpenLineage events checked and compared, whoever wrote them."""

from __future__ import annotations

import click

from streamt_ol.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "check": ("streamt_ol.cli.events_check", "check", "Check OpenLineage JSON Lines offline."),
        "diff": ("streamt_ol.cli.events_diff", "diff", "Compare two exports by meaning."),
    },
    help="Check and compare OpenLineage events.",
)
def events() -> None:
    """Group the commands about events."""
