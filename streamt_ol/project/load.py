"""Loading a project: files to the frozen `Project`, and the variables that hold for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.ground.errors import Failures
from streamt_ol.ground.records import shown_without
from streamt_ol.ground.watching import nobody
from streamt_ol.project import build, spelling
from streamt_ol.project.discovery import discover
from streamt_ol.project.documents import Merged, Reader, merged
from streamt_ol.project.environments import Selection, select
from streamt_ol.project.errors import VariablesUnsetError
from streamt_ol.project.origins import FileOrigins
from streamt_ol.project.records import Project
from streamt_ol.project.schema import schemas
from streamt_ol.project.substitution import resolved
from streamt_ol.project.validation import MOST, environment_errors, placed, project_errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from streamt_ol.ground.watching import Watch
    from streamt_ol.ground.yaml_events import Backend
    from streamt_ol.project.spelling import Entry


class Loaded(NamedTuple):
    """A project and the environment variables that hold for it: the process environment over dotenv files."""

    project: Project
    variables: Mapping[str, str]

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "variables")


def load_project(
    directory: Path,
    *,
    environment: str | None,
    process_environment: Mapping[str, str],
    materializations: Sequence[str],
    yaml_backend: Backend = "auto",
    watch: Watch = nobody,
) -> Loaded:
    """Read and check the project in `directory`; the process environment is only read.

    `environment` is the value of `--env`; `materializations` are the values that `materialized` may have;
    `watch` is told the number of files.

    Raises `StreamtError` (codes E501, E502 and E503) for one failure and `Failures` for several of one pass,
    each with location and place.
    """
    layout = discover(directory)
    selection = select(layout, environment, process_environment)
    reader = Reader(directory, yaml_backend)
    main = merged(layout, reader, watch)
    if selection.file is None:
        file, content = layout.main, main.runtime
    else:
        file, content = selection.file, reader.mapping(selection.file, "")

    checks = schemas(materializations)
    failures = placed(project_errors(main.document, checks, main.origins), main.origins)
    beside = FileOrigins(directory, file)
    try:
        content = resolved(content, selection.variables)
    except VariablesUnsetError as unset:
        failures += placed([unset], beside)
    else:
        errors = environment_errors(selection.name, content, selection.variables, checks, beside)
        failures += placed(errors, beside)
    if failures:
        raise failures[0] if len(failures) == 1 else Failures(tuple(failures[:MOST]))
    origins = main.origins.with_elsewhere(dict.fromkeys(content, file))
    return Loaded(_project(main, content, selection, origins), selection.variables)


def _project(main: Merged, content: Entry, selection: Selection, origins: FileOrigins) -> Project:
    """Return the record made of a validated document and the validated content of the environment."""
    document = {**main.document}
    for section, respell in spelling.BY_SECTION.items():
        if section in document:
            document[section] = [respell(entry) for entry in document[section]]
    if content.get("deployment_state") is not None:
        document["deployment_state"] = content["deployment_state"]
    return Project(
        directory=main.origins.directory,
        name=document["project"]["name"],
        sources=tuple(build.source(entry) for entry in document.get("sources", ())),
        models=tuple(build.model(entry) for entry in document.get("models", ())),
        tests=tuple(document.get("tests", ())),
        exposures=tuple(document.get("exposures", ())),
        document=document,
        runtime=content["runtime"],
        environment=build.environment(selection.name, content),
        warnings=selection.warnings + main.warnings,
        origins=origins,
    )
