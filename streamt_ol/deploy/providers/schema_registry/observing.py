"""What is there of the schemas that a project wants, and what the registry thinks of those that are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.providers.schema_registry.forms import surface_of
from streamt_ol.deploy.providers.schema_registry.subjects import Told
from streamt_ol.deploy.records import Live

if TYPE_CHECKING:
    from streamt_ol.deploy.providers.schema_registry.subjects import Subjects, Version
    from streamt_ol.deploy.records import Surface, Wanted

KIND = "schema"


def observed(one: Wanted, subjects: Subjects) -> Live:
    """Return the latest version of a subject, or the one that is wanted by its number, with a verdict.

    A schema that the registry takes for the wanted one is shown as that, in whatever words it keeps it.
    Raises RequestRefusedError.
    """
    latest = subjects.version(one.physical_name)
    live = Live(KIND, one.physical_name, None if latest is None else latest.surface)
    if one.surface is None or one.payload is None:
        return live
    schema = schema_as_written(one.surface, one.payload)
    number = one.payload["version"]
    if number is not None:
        return _at_version(live, one.surface, schema, number, latest, subjects)
    if latest is None or latest.surface == one.surface:
        return live
    return _judged(live, one.surface, schema, latest.number, subjects)


def schema_as_written(surface: Surface, payload: Surface) -> Surface:
    """Return a schema as it is sent: as somebody wrote it down."""
    return {"schema": payload["definition"], "schemaType": surface["type"]}


def _judged(live: Live, wanted: Surface, schema: Surface, latest: int, subjects: Subjects) -> Live:
    """Return what is there with the verdict of the registry about what is wanted instead."""
    found = subjects.found(live.physical_name, schema)
    if isinstance(found, Told):
        return live._replace(verdict=found.means, reason=found.reason)
    if found == latest:
        return live._replace(surface=wanted)
    if found is not None:
        reason = f"it is version {found}, and version {latest} is the latest"
        return live._replace(verdict="superseded", reason=reason)
    trouble = subjects.judged(live.physical_name, schema)
    if trouble is None:
        return live._replace(verdict="compatible")
    return live._replace(verdict=trouble.means, reason=trouble.reason)


def _at_version(
    live: Live, wanted: Surface, schema: Surface, number: int, latest: Version | None, subjects: Subjects
) -> Live:
    """Return what is there under a number that the project names."""
    named = latest
    if latest is not None and latest.number != number:
        named = subjects.version(live.physical_name, number)
    if latest is None:
        reason = f"version {number} is named, and there is none"
        return live._replace(verdict="version_missing", reason=reason)
    if named is None:
        reason = f"version {number} is named, and the latest is version {latest.number}"
        # Something is there, and it is not what was asked for, whatever the latest version is.
        return live._replace(surface=surface_of("", None), verdict="version_missing", reason=reason)
    live = live._replace(surface=named.surface)
    if named.surface == wanted:
        return live
    if subjects.found(live.physical_name, schema) == number:
        return live._replace(surface=wanted)
    return live._replace(verdict="version_differs", reason=f"version {number} is another schema")
