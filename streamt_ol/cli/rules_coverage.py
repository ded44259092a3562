"""`streamt rules coverage`: which rows a golden suite fires."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt_ol.cli.documents import DocumentResult, format_option, print_document, shown
from streamt_ol.cli.options import rules_option
from streamt_ol.cli.report import Result
from streamt_ol.cli.statuses import USAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.cli.face import Face


@click.command("coverage")
@click.argument(
    "golden",
    nargs=-1,
    metavar="[GOLDEN_DIR]...",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@rules_option
@format_option()
@click.pass_obj
def coverage(face: Face, golden: tuple[Path, ...], form: str) -> None:
    """Say which rows the approved traces of golden cases fire; fail where a row never fires.

    GOLDEN_DIR is a folder of golden cases, `golden` by default. Its coverage.yml may name tests that fire
    rows instead.
    """
    raise SystemExit(face.run("rules coverage", lambda: _coverage(face, golden or (Path("golden"),), form)))


@dataclass(frozen=True, slots=True)
class _NotMeasured(Result):
    """What was to be read cannot be read, so nothing is known about any row."""

    @property
    def exit_status(self) -> int:
        return USAGE


def _coverage(face: Face, folders: Sequence[Path], form: str) -> Result:
    from streamt_ol.review.tables.coverage import TraceUnreadableError, coverage_lines, read_coverage
    from streamt_ol.review.tables.rule_files import RuleFiles

    files = RuleFiles(face.load_rules())
    try:
        measured = read_coverage(files, folders)
    except TraceUnreadableError as error:
        return _NotMeasured(face.command, errors=[error.diagnostic()])
    data = measured.document()
    print_document(face, form, data, lambda: shown(coverage_lines(data)))
    return DocumentResult(face.command, data=data, errors=list(measured.findings()))
