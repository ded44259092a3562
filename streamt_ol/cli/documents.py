"""Commands whose result is a document: read by people, or printed as bare JSON with `--format json`."""

from __future__ import annotations

import io
import os
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from streamt_ol.cli.report import Result, json_document, printable, write_stdout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rich.console import RenderableType

    from streamt_ol.cli.face import Face

PLAIN_WIDTH = 100
"""Columns of output that no terminal shows, unless COLUMNS says otherwise."""


@dataclass(frozen=True, slots=True)
class DocumentResult(Result):
    """A result that shows its data also where it has errors: they are about what was looked at."""

    def envelope(self) -> dict[str, Any]:
        """Return the document of JSON mode, always with the data."""
        parts = Result.envelope(self)
        parts["data"] = self.data
        return parts


def format_option(*more: str) -> Callable[[Any], Any]:
    """Add `--format text|json`, and the formats given, to a command; its argument is `form`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", *more, "json"]),
        default="text",
        help="How the result is printed.",
    )


def print_document(face: Face, form: str, data: Mapping[str, Any], text: Callable[[], str]) -> None:
    """Print a document in the format asked for; in JSON mode nothing, because the envelope holds it."""
    if face.output == "text":
        write_stdout(json_document(data) if form == "json" else text().encode())


def shown(lines: Iterable[str]) -> str:
    """Return lines as text, the unprintable characters of each escaped."""
    return "".join(f"{printable(line)}\n" for line in lines)


def painted(parts: Iterable[RenderableType], *, soft_wrap: bool = False) -> str:
    """Return what rich makes of parts on paper as stdout has it; `soft_wrap` leaves long lines whole."""
    from rich.console import Console  # only people who look at results wait for it

    stream = io.StringIO()
    width, coloured = paper()
    console = Console(
        file=stream,
        width=width,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        no_color=not coloured,
        highlight=False,
        _environ={},
    )
    for part in parts:
        console.print(part, soft_wrap=soft_wrap)
    return stream.getvalue()


def paper() -> tuple[int, bool]:
    """Return how many columns stdout has, and whether it shows colours.

    COLUMNS wins over the terminal. What is no terminal is plain and `PLAIN_WIDTH` wide, so that the same
    tables are the same text everywhere; NO_COLOR with any value makes a terminal plain, too.
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    width = shutil.get_terminal_size((PLAIN_WIDTH, 0)).columns if terminal else _columns()
    return width, terminal and not os.environ.get("NO_COLOR")


def _columns() -> int:
    wanted = os.environ.get("COLUMNS", "")
    return int(wanted) if wanted.isdecimal() and int(wanted) > 0 else PLAIN_WIDTH
