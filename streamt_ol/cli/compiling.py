"""Compilation to files, step by step. Failures keep their own codes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamt_ol.cli.face import Face, diagnostics
from streamt_ol.cli.flink_scripts import FlinkScripts, flink_scripts
from streamt_ol.cli.loading import load
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.report import Result
from streamt_ol.compiler.artifact_files import write_artifacts
from streamt_ol.compiler.artifacts import build_artifacts
from streamt_ol.compiler.compiling import compile_project
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.deploy.flink_sql.needs import FLINK_SQL_NEEDS
from streamt_ol.governance.connector_settings import CONNECTOR_NEEDS, connector_warnings
from streamt_ol.ground.collector import collector_paused
from streamt_ol.ground.errors import StreamtError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from streamt_ol.compiler.artifacts import Artifact


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """What the command line and the environment ask for."""

    directory: Path
    environment: str | None
    process_environment: Mapping[str, str] = field(repr=False)
    folder: Path
    dry_run: bool


def compile_to_files(request: CompileRequest, face: Face) -> Result:
    """Return the result of a compilation; in text mode its summary is already on stdout.

    Raises what loading raises; a failure to compile is a result, with its place.
    """
    rules = face.load_rules(COMPILER_NEEDS, FLINK_SQL_NEEDS, CONNECTOR_NEEDS)
    with collector_paused(), shown_progress(quiet=face.quiet) as watch:
        project = load(
            request.directory, request.environment, request.process_environment, rules, face, watch
        ).project
        warnings = [*project.warnings, *connector_warnings(project, rules)]
        try:
            watch("Compiling models", 0, None)
            graph = compile_project(project, rules)
            artifacts = build_artifacts(graph, rules)
            scripts = flink_scripts(artifacts, graph, rules, watch)
            if not request.dry_run:
                environment = project.environment.name
                write_artifacts(request.folder, project.name, environment, artifacts, watch, scripts.texts)
        except StreamtError as error:
            errors = diagnostics(error, project.origins)
            return Result(face.command, errors=errors, warnings=warnings)
    data = _data(request, artifacts, scripts)
    for line in _summary(data):
        face.say(line)
    return Result(face.command, data=data, warnings=[*warnings, *scripts.warnings])


def _data(
    request: CompileRequest, artifacts: Mapping[str, Sequence[Artifact]], scripts: FlinkScripts
) -> dict[str, Any]:
    counts = {kind: len(of_kind) for kind, of_kind in artifacts.items()}
    return {
        "dry_run": request.dry_run,
        "artifacts": {kind: [one.redacted() for one in of_kind] for kind, of_kind in artifacts.items()},
        "flink_sql": scripts.told,
        "counts": {**counts, "total": sum(counts.values())},
        "output_dir": str(request.folder),
    }


def _summary(data: Mapping[str, Any]) -> list[str]:
    counts: Mapping[str, int] = data["counts"]
    width = max(len(kind) for kind in counts)
    written = "Nothing was written to" if data["dry_run"] else "Written to"
    return [
        *(f"{kind:<{width}}  {count:>6}" for kind, count in counts.items()),
        *_blocked(data["flink_sql"]),
        f"{written} {data['output_dir']}",
    ]


def _blocked(told: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which jobs have no SQL, and for what; where it stands is in their files and in JSON mode."""
    blocked = [job for job in told if not job["complete"]]
    if blocked:
        yield f"{len(blocked)} of {len(told)} Flink jobs cannot be submitted as they are declared:"
    for job in blocked:
        codes = dict.fromkeys(problem["code"] for problem in job["problems"] if problem["blocks"])
        yield f"  {job['job']}: {', '.join(codes)}"
