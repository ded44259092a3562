"""The check of events, step by step: which files are read, and how what was found is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.cli.documents import DocumentResult, print_document, shown
from streamt_ol.cli.events_input import opened
from streamt_ol.cli.face import diagnostics
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.statuses import FAILURE, SUCCESS, USAGE
from streamt_ol.ground.errors import Diagnostic, StreamtError
from streamt_ol.ground.pointer import pointer, tokens
from streamt_ol.ground.redaction import redact
from streamt_ol.lineage.schemas import OpenLineageSchemas
from streamt_ol.review.events.event_checking import EventsChecker, EventsUnreadableError
from streamt_ol.review.events.event_kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.cli.face import Face
    from streamt_ol.cli.report import Result
    from streamt_ol.ground.watching import Watch
    from streamt_ol.review.events.event_findings import Finding


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What the command line asks for."""

    files: Sequence[str]
    strict: bool
    one_sequence: bool
    limit: int
    form: str


@dataclass(frozen=True, slots=True)
class _CheckResult(DocumentResult):
    """A result that tells events that are wrong from events that could not be read."""

    status: int = SUCCESS

    @property
    def exit_status(self) -> int:
        """Return 0 without errors, 1 with errors in events, 2 if something could not be checked."""
        return self.status


def check_events(request: CheckRequest, face: Face) -> Result:
    """Return the result of the check; its document is already on stdout, but for JSON mode."""
    try:
        schemas = OpenLineageSchemas.packaged()
    except StreamtError as error:
        return _CheckResult(face.command, errors=diagnostics(error), status=USAGE)
    checker = EventsChecker(
        schemas, strict=request.strict, one_sequence=request.one_sequence, limit=request.limit
    )
    with shown_progress(quiet=face.quiet) as watch:
        unreadable = [error for file in request.files for error in _read(file, checker, watch)]
    checker.finish()
    data = _document(request, checker)
    print_document(face, request.form, data, lambda: _text(checker, quiet=face.quiet))
    # in text mode the document on stdout tells them
    told = checker.tally.shown() if face.output == "json" else []
    errors = [*unreadable, *(_diagnostic(finding) for finding in told if finding.severity == "error")]
    warnings = [_diagnostic(finding) for finding in told if finding.severity == "warning"]
    failed = FAILURE if checker.tally.counts()["error"] else SUCCESS
    status = USAGE if unreadable else failed
    return _CheckResult(face.command, data=data, errors=errors, warnings=warnings, status=status)


def _read(file: str, checker: EventsChecker, watch: Watch) -> list[Diagnostic]:
    """Check a file; return why it, or its rest, could not be read."""
    try:
        with opened(file) as stream:
            checker.read(stream, file, lambda lines: watch("Checking lines", lines, None))
    except EventsUnreadableError as error:
        return diagnostics(error)
    return []


def _document(request: CheckRequest, checker: EventsChecker) -> dict[str, Any]:
    tally = checker.tally
    findings = tally.shown()
    return {
        "files": list(request.files),
        "lines": checker.lines,
        "events": {kind: checker.kinds[kind] for kind in KINDS},
        "counts": {f"{severity}s": count for severity, count in tally.counts().items()},
        "codes": dict(sorted(tally.codes.items())),
        "findings": [
            {"severity": finding.severity, **_diagnostic(finding).as_dict()} for finding in findings
        ],
        "left_out": tally.codes.total() - len(findings),
    }


def _diagnostic(finding: Finding) -> Diagnostic:
    """Return a finding as it is shown: keys of events may look like secrets, each before it is escaped."""
    location = pointer(*map(redact, tokens(finding.location))) or None
    return Diagnostic(finding.code, redact(finding.message), location, finding.place)


def _text(checker: EventsChecker, *, quiet: bool) -> str:
    return shown(_lines(checker, quiet=quiet))


def _lines(checker: EventsChecker, *, quiet: bool) -> Iterator[str]:
    """Yield a line for each finding that is shown, in the form of diagnostics, then the summary."""
    tally = checker.tally
    findings = tally.shown()
    for finding in findings:
        if finding.severity == "error" or not quiet:
            told = _diagnostic(finding)
            at = f" at {told.location}" if told.location else ""
            yield f"{finding.severity.upper()}: {told.code}{at} ({told.place}): {told.message}"
    if quiet:
        return
    if tally.codes.total() > len(findings):
        yield f"Not shown: {tally.codes.total() - len(findings)} more findings; --max shows more"
    kinds = ", ".join(f"{checker.kinds[kind]} {kind}s" for kind in KINDS)
    counts = ", ".join(f"{count} {severity}s" for severity, count in tally.counts().items())
    yield f"Checked {checker.lines} lines with {kinds}: {counts}"
