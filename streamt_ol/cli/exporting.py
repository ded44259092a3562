"""The export, step by step: what is checked in which order, and which code each failure has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from streamt_ol.cli.face import Face, diagnostics
from streamt_ol.cli.loading import load
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.report import Result, write_stdout
from streamt_ol.compiler.compiling import compile_project
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.ground.atomic_file import preflight, write_atomically
from streamt_ol.ground.collector import collector_paused
from streamt_ol.ground.errors import Diagnostic, Failures, StreamtError
from streamt_ol.ground.resources import schemas_folder
from streamt_ol.lineage.event_times import event_time
from streamt_ol.lineage.exporting import Export, export_graph
from streamt_ol.lineage.namespaces import Candidates, select_given
from streamt_ol.lineage.needs import LINEAGE_NEEDS, require_pinned_facets
from streamt_ol.lineage.schemas import OpenLineageSchemas
from streamt_ol.lineage.standard import CORE_SCHEMA, RELEASE, STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.project.records import Origins, Project

LOAD_CODE = "E501_PARSE_ERROR"
EXPORT_CODE = "E506_OPENLINEAGE_INVALID"

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What the command line and the environment ask for."""

    directory: Path
    environment: str | None
    process_environment: Mapping[str, str] = field(repr=False)
    namespaces: Mapping[str, str | None]
    output_file: str | None
    event_time: str | None
    now: datetime


class Refused(Exception):  # noqa: N818 - a result on its way out, not an error of its own
    """A step of an export failed; the diagnostics are final."""

    def __init__(self, errors: list[Diagnostic]) -> None:
        super().__init__()
        self.errors = errors


@dataclass(slots=True)
class Progress:
    """What is known of an export so far, also if it fails."""

    project: Project | None = None
    warnings: list[Diagnostic] = field(default_factory=list)


def export_project(request: ExportRequest, face: Face) -> Result:
    """Return the result of the export; in text mode the lines are already on stdout, or in the file."""
    progress = Progress()
    rules = face.load_rules(COMPILER_NEEDS, LINEAGE_NEEDS)
    try:
        with collector_paused():
            export = make_export(request, rules, face, progress)
            data = _deliver(export, request, face)
    except Refused as refused:
        return Result(face.command, errors=refused.errors, warnings=progress.warnings)
    return Result(face.command, data=data, warnings=progress.warnings)


def make_export(request: ExportRequest, rules: RuleSet, face: Face, progress: Progress) -> Export:
    """Return the checked export; nothing is written.

    Raises `Refused` with the failures of the first step that fails, and what damaged schemas or rules raise.
    """
    output_file = request.output_file
    if output_file is not None:
        _step(EXPORT_CODE, None, lambda: preflight(output_file))
    schemas = OpenLineageSchemas.load(schemas_folder() / "openlineage" / RELEASE)
    require_pinned_facets(rules, schemas)
    with shown_progress(quiet=face.quiet) as watch:
        loaded = _step(
            LOAD_CODE,
            None,
            lambda: load(
                request.directory, request.environment, request.process_environment, rules, face, watch
            ),
        )
        progress.project = project = loaded.project
        origins = project.origins
        progress.warnings.extend(project.warnings)
        candidates = Candidates(request.namespaces, loaded.variables)
        given = _step(EXPORT_CODE, origins, lambda: select_given(candidates, rules))
        moment = _step(
            EXPORT_CODE,
            origins,
            lambda: event_time(request.event_time, loaded.variables.get("SOURCE_DATE_EPOCH"), request.now),
        )
        watch("Compiling models", 0, None)
        graph = _step(EXPORT_CODE, origins, lambda: compile_project(project, rules))
        watch("Checking events", 0, None)
        export = _step(
            EXPORT_CODE,
            origins,
            lambda: export_graph(graph, rules, schemas, given, candidates, moment, watch),
        )
    progress.warnings.extend(export.warnings)
    face.explain(f"environment: {project.environment.name}")
    for key, namespace in export.namespaces.items():
        face.explain(
            f"{key} namespace: {namespace} ({'given' if key in given else 'derived from the runtime'})"
        )
    return export


def _deliver(export: Export, request: ExportRequest, face: Face) -> dict[str, Any]:
    """Write the lines where they were asked for and return the data of the envelope."""
    counts = {"total": len(export.described), "datasets": export.datasets, "jobs": export.jobs}
    data: dict[str, Any] = {
        "standard": STANDARD,
        "release": RELEASE,
        "core_schema": CORE_SCHEMA,
        "events": [orjson.loads(line) for line in export.lines()] if face.output == "json" else [],
        "counts": counts,
    }
    output_file = request.output_file
    if output_file is not None:
        _step(EXPORT_CODE, None, lambda: write_atomically(output_file, export.chunks))
        data["output_file"] = output_file
        of = f"{counts['datasets']} datasets, {counts['jobs']} jobs"
        face.say(f"Wrote {counts['total']} events ({of}) to {output_file}")
    elif face.output == "text":
        _step(EXPORT_CODE, None, lambda: write_stdout(*export.chunks))
    return data


def _step(code: str, origins: Origins | None, work: Callable[[], Made]) -> Made:
    try:
        return work()
    except (StreamtError, Failures) as error:
        raise Refused(diagnostics(error, origins, code)) from None
