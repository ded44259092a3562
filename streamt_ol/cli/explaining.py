"""The export run to be explained: its tables watched, its events looked up by name or line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from streamt_ol.cli.documents import DocumentResult, print_document, shown
from streamt_ol.cli.exporting import Progress, Refused, make_export
from streamt_ol.cli.report import redacted
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.ground.collector import collector_paused
from streamt_ol.ground.errors import Diagnostic, StreamtError
from streamt_ol.lineage.needs import LINEAGE_NEEDS
from streamt_ol.review.explaining.explanation_text import explanation_lines
from streamt_ol.review.explaining.explanations import Explainer, Wanted, statements_of
from streamt_ol.review.tables.rule_files import RuleFiles
from streamt_ol.review.tables.table_pages import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.cli.exporting import ExportRequest
    from streamt_ol.cli.face import Face
    from streamt_ol.engine.tables import Question
    from streamt_ol.lineage.exporting import Export
    from streamt_ol.project.records import Project


class NameNotFoundError(StreamtError):
    """Nothing of this name, or no line of this number, is there to be explained."""

    code: ClassVar[str] = "E146_EXPLAINED_NOT_FOUND"


def explain_project(request: ExportRequest, asked: str | int, form: str, face: Face) -> DocumentResult:
    """Return the explanation of a name, or of the event on a line; it is already printed.

    A failed export is explained as far as it went. Raises NameNotFoundError.
    """
    questions: list[Question] = []
    rules = face.load_rules(COMPILER_NEEDS, LINEAGE_NEEDS, watch=questions.append)
    progress, errors = Progress(), list[Diagnostic]()
    export: Export | None = None
    try:
        with collector_paused():
            export = make_export(request, rules, face, progress)
    except Refused as refused:
        errors = refused.errors
    rules.watch(None)
    project = progress.project
    wanted = list(_wanted(asked, project, export)) if project is not None else []
    if not wanted and not errors:
        raise _not_found(asked, project, export)
    explainer = Explainer(questions, RuleFiles(rules), export)
    explained = [_placed(explainer.explain(one), project) for one in wanted]
    last = explainer.last_decision() if errors else None
    data: dict[str, Any] = {
        "asked": asked,
        "complete": not errors,
        "explained": explained,
        "warnings": [
            *(
                {**redacted(warning).as_dict(), "rows": []}
                for warning in (project.warnings if project else ())
            ),
            *explainer.warnings_about_everything(),
        ],
        "decided_up_to": last,
        "errors": [redacted(error).as_dict() for error in errors],
        "statements": statements_of(explained),
        "rules": str(rules.folder),
    }
    print_document(face, form, data, lambda: shown(explanation_lines(data)))
    return DocumentResult(face.command, data=data, errors=errors)


def _wanted(asked: str | int, project: Project, export: Export | None) -> Iterator[Wanted]:
    """Yield what is asked for: declarations of the name, else those of the events of the name or line."""
    declared = list(_declarations(project))
    named = [one for one in declared if one.name == asked]
    yield from named
    if named or export is None:
        return
    events = {
        index: described.facts.at
        for index, described in enumerate(export.described)
        if asked in (index + 1, described.name)
    }
    for one in declared:
        if one.at in events.values():
            lines = {index for index, at in events.items() if at == one.at}
            yield Wanted(one.kind, one.name, one.at, lines)


def _declarations(project: Project) -> Iterator[Wanted]:
    for position, source in enumerate(project.sources):
        yield Wanted("source", source.name, f"/sources/{position}")
    for position, model in enumerate(project.models):
        yield Wanted("model", model.name, f"/models/{position}")


def _placed(explained: dict[str, Any], project: Project | None) -> dict[str, Any]:
    """Return an explanation with the place of the declaration in the files of the project."""
    place = project.origins.place(explained["at"]) if project is not None else None
    return explained if place is None else {**explained, "file": place.file, "line": place.line}


def _not_found(asked: str | int, project: Project | None, export: Export | None) -> NameNotFoundError:
    if isinstance(asked, int):
        count = len(export.described) if export is not None else 0
        return NameNotFoundError(f"the export has no line {asked}, it has {count}", location="event")
    known: Sequence[str] = [one.name for one in _declarations(project)] if project is not None else []
    printed = [described.name for described in export.described] if export is not None else []
    return NameNotFoundError(
        f"the project has no source or model '{asked}', and the export no dataset or job of that name",
        location="name",
        suggestion=nearest(asked, [*known, *printed]),
    )
