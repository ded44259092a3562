"""Names in one project: no two things may share one, and every dependency must name something."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.compiler.errors import (
    BlankNameError,
    CompileError,
    CycleError,
    DuplicateNameError,
    NameCollisionError,
    ReferenceFormError,
    UnknownModelError,
    UnknownSourceError,
)
from streamt_ol.compiler.records import Dependency

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamt_ol.compiler.templates import Call
    from streamt_ol.project.records import Model, Project, Reference


class Names(NamedTuple):
    """Positions of sources and models by name."""

    sources: Mapping[str, int]
    models: Mapping[str, int]


def collect_names(project: Project) -> Names:
    """Return the positions of all names; the first name that is used twice is an error."""
    sources = _unique("source", "sources", (source.name for source in project.sources))
    models = _unique("model", "models", (model.name for model in project.models))
    for name, position in models.items():
        if name in sources:
            raise NameCollisionError(
                f"'{name}' is a source (/sources/{sources[name]}) and a model",
                location=f"/models/{position}/name",
            )
        if not name.strip():
            raise BlankNameError("a model's name is blank", location=f"/models/{position}/name")
    return Names(sources, models)


def _unique(kind: str, section: str, names: Iterable[str]) -> dict[str, int]:
    positions: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in positions:
            raise DuplicateNameError(
                f"{kind} '{name}' is declared twice: first at /{section}/{positions[name]}",
                location=f"/{section}/{position}/name",
            )
        positions[name] = position
    return positions


def from_calls(calls: Iterable[Call], model: Model, position: int, names: Names) -> tuple[Dependency, ...]:
    """Return the dependencies that rendered SQL made: sources first, then models, repeats dropped."""
    location = f"/models/{position}/{'macro' if model.macro else 'sql'}"
    found: dict[tuple[str, str], Dependency] = {}
    for kind in ("source", "ref"):
        for call in calls:
            if call.kind == kind and (kind, call.name) not in found:
                try:
                    found[kind, call.name] = _resolve(call.kind, call.name, model, names, location)
                except CompileError as error:
                    error.line_within, error.column_within = _where(call, model)
                    raise
    return tuple(found.values())


def from_list(
    entries: Iterable[Reference], model: Model, position: int, names: Names
) -> tuple[Dependency, ...]:
    """Return the dependencies that a model's `from` declares, repeats dropped."""
    found: dict[tuple[str, str], Dependency] = {}
    for index, entry in enumerate(entries):
        location = f"/models/{position}/from/{index}"
        if (entry.source is None) == (entry.ref is None):
            raise ReferenceFormError(
                f"model '{model.name}': an entry of `from` names one source or one ref", location=location
            )
        name = entry.ref if entry.source is None else entry.source
        if not name or not name.strip():
            raise ReferenceFormError(f"model '{model.name}': a name in `from` is blank", location=location)
        kind = "source" if entry.source is not None else "ref"
        if (kind, name) not in found:
            found[kind, name] = _resolve(kind, name, model, names, f"{location}/{kind}")
    return tuple(found.values())


def _resolve(kind: str, name: str, model: Model, names: Names, location: str) -> Dependency:
    if kind == "source":
        if name not in names.sources:
            hint = f"'{name}' is a model: use ref" if name in names.models else None
            raise UnknownSourceError(
                f"model '{model.name}' reads source '{name}', which is not declared",
                location=location,
                suggestion=hint,
            )
        return Dependency("source", name, names.sources[name])
    if name == model.name:
        raise CycleError(f"model '{name}' reads itself", location=location)
    if name not in names.models:
        hint = f"'{name}' is a source: use source" if name in names.sources else None
        raise UnknownModelError(
            f"model '{model.name}' reads model '{name}', which is not declared",
            location=location,
            suggestion=hint,
        )
    return Dependency("ref", name, names.models[name])


def _where(call: Call, model: Model) -> tuple[int | None, int | None]:
    """Return where a call most likely stands in the SQL as written; rendering keeps no positions."""
    if model.sql is None:
        return None, None
    found = re.search(rf"{call.kind}\s*\(\s*([\"']){re.escape(call.name)}\1", model.sql)
    if found is None:
        return None, None
    before = model.sql[: found.start()]
    return before.count("\n"), found.start() - (before.rfind("\n") + 1)
