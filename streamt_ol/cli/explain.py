"""`streamt explain`: what a diagnostic code means, and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from streamt_ol.cli.documents import format_option, print_document, shown
from streamt_ol.cli.report import Result

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face


@click.command("explain")
@click.argument("code", required=False)
@format_option()
@click.pass_obj
def explain(face: Face, code: str | None, form: str) -> None:
    """Say what CODE means, what it typically comes from, and what helps.

    CODE is a code, or the beginning of exactly one: W110. Without CODE, list all codes.
    """
    raise SystemExit(face.run("explain", lambda: _explain(face, code, form)))


def _explain(face: Face, code: str | None, form: str) -> Result:
    from streamt_ol.engine.ruleset import CODES, Needs
    from streamt_ol.review.tables.codes import all_codes, code_lines, explain_code
    from streamt_ol.review.tables.rule_files import RuleFiles

    read = Needs({}, {CODES: ["severity", "title", "meaning", "remedy"]}, {})
    rules = face.load_rules()
    rules.require(read)
    files = RuleFiles(rules)
    data = all_codes(files.rules) if code is None else explain_code(files, code)
    print_document(face, form, data, lambda: shown(code_lines(data)))
    return Result(face.command, data=data)
