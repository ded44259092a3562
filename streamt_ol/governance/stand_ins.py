"""Stand-ins: what cannot be compiled is replaced by something empty, so that the rest can be looked at.

A stand-in has the position of what it stands for, so every location stays, and its name, so that references
to it hold. Only where the name itself is at fault it gets one that nothing refers to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from streamt_ol.ground.pointer import tokens
from streamt_ol.project.records import Model, Project, Raw, Source

_RETIRED = {"name": "\0", "prior_artifact": {"virtualTopic": "\0"}}
"""In place of a lifecycle removal: it removes what no project can declare."""


def with_stand_ins(project: Project, locations: Iterable[str]) -> Project:
    """Return the project with a stand-in for everything that a location points into."""
    sources, models = list(project.sources), list(project.models)
    exposures, tests = list(project.exposures), list(project.tests)
    document = project.document
    for location in locations:
        section, *path = tokens(location)
        fresh = f"\0{section}/{path[0]}" if path[1:] == ["name"] else None
        if section == "sources":
            sources[int(path[0])] = _source(sources[int(path[0])], fresh)
        elif section == "models":
            models[int(path[0])] = _model(models[int(path[0])], fresh)
        elif section == "exposures":
            exposures[int(path[0])] = _entry(exposures[int(path[0])], fresh)
        elif section == "tests":
            tests[int(path[0])] = _entry(tests[int(path[0])], fresh)
        else:
            document = _without(document, [section, *path])
    return project._replace(
        sources=tuple(sources),
        models=tuple(models),
        exposures=tuple(exposures),
        tests=tuple(tests),
        document=document,
    )


def _source(source: Source, fresh: str | None) -> Source:
    return source._replace(name=fresh or source.name)


def _model(model: Model, fresh: str | None) -> Model:
    return Model(
        name=fresh or model.name,
        description=None,
        owner=None,
        sql=None,
        from_=(),
        macro=None,
        params={},
        materialized=None,
        executor=None,
        topic_name=None,
        has_virtual_block=False,
        virtual_name=None,
        has_sink=False,
        columns=(),
        contract_columns=None,
        raw={},
    )


def _entry(entry: Raw, fresh: str | None) -> Raw:
    return {"name": fresh or entry["name"], "type": entry["type"]}


def _without(value: Any, path: list[str]) -> Any:
    """Return a plain value without the part at a path; an entry of a list keeps its position."""
    head, *rest = path
    if isinstance(value, Mapping):
        parts = value.items()
        return {
            key: _without(part, rest) if key == head else part for key, part in parts if key != head or rest
        }
    return [_RETIRED if position == int(head) else entry for position, entry in enumerate(value)]
