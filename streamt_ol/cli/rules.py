"""`streamt rules`: the rule tables checked, shown and explained."""

from __future__ import annotations

import click

from streamt_ol.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "check": ("streamt_ol.cli.rules_check", "check", "Find what is wrong with the tables."),
        "show": ("streamt_ol.cli.rules_show", "show", "Print tables for people."),
        "explain": ("streamt_ol.cli.rules_explain", "explain", "Say which row decided what about a project."),
        "coverage": ("streamt_ol.cli.rules_coverage", "coverage", "Say which rows a golden suite fires."),
    },
    help="Check, show and explain the rule tables.",
)
def rules() -> None:
    """Group the commands about tables."""
