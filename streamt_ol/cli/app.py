"""The command tree and its global options. Commands import their rooms when they run, not before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from streamt_ol.cli.lazy import LazyGroup
from streamt_ol.cli.report import write_stdout
from streamt_ol.cli.version import VERSION_LINE

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face


def _tell_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001
    if wanted and not context.resilient_parsing:
        write_stdout(VERSION_LINE)
        context.exit()


@click.group(
    cls=LazyGroup,
    lazy={
        "rules": ("streamt_ol.cli.rules", "rules", "Check, show and explain the rule tables."),
        "explain": ("streamt_ol.cli.explain", "explain", "Say what a code means and what helps."),
        "events": ("streamt_ol.cli.events", "events", "Check, compare and send OpenLineage events."),
        "golden": ("streamt_ol.cli.golden", "golden", "Keep approved exports of example projects."),
        "docs": ("streamt_ol.cli.docs", "docs", "Describe the project in other systems' words."),
        "validate": ("streamt_ol.cli.validate", "validate", "Check the project against its own rules."),
        "test": ("streamt_ol.cli.test", "test", "Run the tests of the project."),
        "state": ("streamt_ol.cli.state", "state", "See what is owned, and recover what did not end."),
        "transport": ("streamt_ol.cli.transport", "transport", "Look at where run events would go."),
        "plan": ("streamt_ol.cli.plan", "plan", "Show what an apply would do."),
        "apply": ("streamt_ol.cli.apply", "apply", "Make what the project declares so."),
        "adopt": ("streamt_ol.cli.adopt", "adopt", "Take an existing resource under management."),
        "compile": ("streamt_ol.cli.compile", "compile_", "Compile the project to artifacts."),
    },
    context_settings={"help_option_names": ["--help", "-h"]},
)
@click.option(
    "--output", "-o", type=click.Choice(["text", "json"]), default="text", help="How results are shown."
)
@click.option("--quiet", "-q", is_flag=True, help="Show errors only.")
@click.option("--verbose", "-v", is_flag=True, help="Say on stderr what was chosen, and why.")
@click.option(
    "--rules",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use the rule tables of this directory instead of the packaged ones.",
)
@click.option(
    "--yaml-loader",
    type=click.Choice(["auto", "libyaml", "pure"]),
    default="auto",
    help="Which YAML parser reads the files; the result is the same.",
)
@click.option(
    "--trace",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write which row decided what to this file, one JSON object per line.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_tell_version,
    help="Show the version and exit.",
)
@click.pass_obj
def streamt(face: Face, /, **options: Any) -> None:
    """Correct lineage for declarative streaming projects, before anything is deployed."""
    for name, value in options.items():
        setattr(face, name, value)
