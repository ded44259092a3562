"""`streamt rules show`: the tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from streamt_ol.cli.documents import format_option, paper, print_document
from streamt_ol.cli.options import rules_option
from streamt_ol.cli.report import Result

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face
    from streamt_ol.review.tables.table_pages import Page


@click.command("show")
@click.argument("table", required=False)
@rules_option
@format_option("markdown")
@click.pass_obj
def show(face: Face, table: str | None, form: str) -> None:
    """Print a rule table or catalogue: what it is asked, its rows, what they say and cite.

    Without TABLE, list all tables and catalogues with what they decide.
    """
    raise SystemExit(face.run("rules show", lambda: _show(face, table, form)))


def _show(face: Face, table: str | None, form: str) -> Result:
    from streamt_ol.review.tables.rule_files import RuleFiles
    from streamt_ol.review.tables.table_pages import index_page, page

    files = RuleFiles(face.load_rules())
    data = index_page(files) if table is None else page(files, table)
    print_document(face, form, data, lambda: _text(data, form))
    return Result(face.command, data=data)


def _text(data: Page, form: str) -> str:
    from streamt_ol.review.tables.sheets import sheets
    from streamt_ol.review.tables.table_text import markdown, terminal

    if form == "markdown":
        return markdown(sheets(data))
    width, colour = paper()
    return terminal(sheets(data), width, colour=colour)
