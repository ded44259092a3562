"""The comparison of two exports, step by step: what is read, and how the difference is shown."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from streamt_ol.cli.documents import DocumentResult, print_document
from streamt_ol.cli.face import diagnostics
from streamt_ol.cli.statuses import FAILURE, SUCCESS, USAGE
from streamt_ol.ground.collector import collector_paused
from streamt_ol.ground.errors import Failures, Place, StreamtError
from streamt_ol.review.diffs import diff_markdown, diff_text
from streamt_ol.review.diffs.change_facts import DIFF_NEEDS, SEVERITIES
from streamt_ol.review.diffs.diff import diff_exports
from streamt_ol.review.diffs.exports import read_export
from streamt_ol.review.events.event_checking import EventsUnreadableError

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face
    from streamt_ol.cli.report import Result
    from streamt_ol.review.diffs.diff import Diff
    from streamt_ol.review.diffs.exports import Export

STDIN = "-"
_RENDERERS = {"text": diff_text.render, "markdown": diff_markdown.render}


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """What the command line asks for."""

    old: str
    new: str
    form: str
    fail_on: str


@dataclass(frozen=True, slots=True)
class _DiffResult(DocumentResult):
    """A result that tells exports that differ from exports that could not be compared."""

    status: int = SUCCESS

    @property
    def exit_status(self) -> int:
        """Return 0 without changes that count, 1 with such changes, 2 if nothing is known."""
        return self.status


def diff_events(request: DiffRequest, face: Face) -> Result:
    """Return the result of the comparison; its document is already on stdout, but for JSON mode."""
    with collector_paused():
        try:
            rules = face.load_rules(DIFF_NEEDS)
            diff = diff_exports(_read(request.old), _read(request.new), rules)
        except (StreamtError, Failures) as error:
            return _DiffResult(face.command, errors=diagnostics(error), status=USAGE)
        wanted = face.output == "json" or request.form == "json"
        data = diff.document() if wanted else {}
        print_document(face, request.form, data, lambda: _RENDERERS[request.form](diff))
    return _DiffResult(face.command, data=data, status=FAILURE if _counts(diff, request.fail_on) else SUCCESS)


def _read(file: str) -> Export:
    if file != STDIN:
        return read_export(Path(file))
    if sys.stdin is None:
        raise EventsUnreadableError("standard input is closed", location="file", place=Place(file))
    return read_export(cast("BinaryIO", sys.stdin.buffer))


def _counts(diff: Diff, fail_on: str) -> bool:
    """Return whether a change is severe enough to fail; nothing is for `never`."""
    return any(diff.at_least(severity) for severity in SEVERITIES if severity == fail_on)
