"""Sheets as Markdown, and as text for a terminal."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType
    from rich.text import Text

    from streamt_ol.review.tables.sheets import Cell, Line, Sheet

_SPECIAL = re.compile(r"[\\*_<>\[\]]")


def markdown(sheets: Sequence[Sheet], level: int = 1) -> str:
    """Return sheets in GitHub's Markdown, each under a heading of the level; ends with one newline."""
    return "\n".join("\n".join(_markdown(sheet, "#" * level)) + "\n" for sheet in sheets)


def _markdown(sheet: Sheet, mark: str) -> Iterator[str]:
    yield f"{mark} {_heading(sheet)}"
    yield ""
    if sheet.says:
        yield f"{sheet.says[0].upper()}{sheet.says[1:]}."
        yield ""
    for fact in sheet.facts:
        yield f"- {fact.name}: {_span(fact)}"
    if sheet.facts:
        yield ""
    yield f"| {' | '.join(sheet.columns)} |"
    yield f"|{'---|' * len(sheet.columns)}"
    for row in sheet.rows:
        cells = ("<br>".join(_markdown_line(line) for line in cell) for cell in row)
        yield f"| {' | '.join(cells)} |"
    if sheet.notes:
        yield ""
    for number, sentence in sheet.notes.items():
        yield f"- **{number}.** {sentence}"


def _heading(sheet: Sheet) -> str:
    return f"`{sheet.title}`" if sheet.says else sheet.title


def _markdown_line(line: Line) -> str:
    shown = _span(line).replace("|", "\\|")
    return f"{line.name}: {shown}" if line.name else shown


def _span(line: Line) -> str:
    """Return code as code; of prose, which may hold code itself, the other marks are escaped."""
    if line.prose or "`" in line.value:
        return _SPECIAL.sub(r"\\\g<0>", line.value)
    return f"`{line.value}`" if line.value else ""


def terminal(sheets: Sequence[Sheet], width: int, *, colour: bool) -> str:
    """Return sheets as text of at most `width` columns; without colour it is plain and ends no line blank."""
    from rich.console import Console  # only people who look at tables wait for it

    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        force_jupyter=False,
        _environ={},
    )
    for position, sheet in enumerate(sheets):
        parts = [*([""] * (position > 0)), *_terminal(sheet)]
        console.print(*parts, sep="\n")
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _terminal(sheet: Sheet) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(f"{sheet.title}: {sheet.says}" if sheet.says else sheet.title, style="bold")
    yield ""
    if sheet.facts:
        yield _grid((fact.name, fact.value) for fact in sheet.facts)
        yield ""
    yield _table(sheet)
    if sheet.notes:
        yield ""
        yield _grid(sheet.notes.items())


def _grid(lines: Iterable[tuple[str, str]]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for name, value in lines:
        grid.add_row(Text(name, style="dim"), Text(value))
    return grid


def _table(sheet: Sheet) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    dense = all(len(cell) == 1 for row in sheet.rows for cell in row)
    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0), leading=int(not dense)
    )
    for position, column in enumerate(sheet.columns):
        table.add_column(column, overflow="fold", no_wrap=position == 0)
    for row in sheet.rows:
        table.add_row(*(Text("\n").join(_terminal_lines(cell)) for cell in row))
    return table


def _terminal_lines(cell: Cell) -> Iterator[Text]:
    from rich.text import Text

    for line in cell:
        yield Text.assemble((f"{line.name}: ", "cyan"), line.value) if line.name else Text(line.value)
