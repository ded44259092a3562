"""One step of a plan as the tables see it, and as people do: field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.deploy.planning.facts import PlannedChange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.deploy.planning.facts import Difference, Liveness, Recorded
    from streamt_ol.deploy.planning.kinds import Kind
    from streamt_ol.deploy.records import Live, Surface


class FieldChange(NamedTuple):
    """A field that an action changes; None for what is not there, or will not be."""

    field: str
    """`partitions`, or `config.NAME` for a setting."""
    before: Any
    after: Any


def liveness(there: Live | None) -> Liveness:
    """Return whether a resource is there, as far as anybody looked."""
    if there is None:
        return "unverified"
    return "absent" if there.surface is None else "present"


def field_changes(before: Surface | None, after: Surface | None) -> tuple[FieldChange, ...]:
    """Return the fields in which two surfaces differ, those of mappings one level down, by name."""
    old, new = dict(_fields(before or {})), dict(_fields(after or {}))
    names = [*new, *(name for name in old if name not in new)]
    return tuple(
        FieldChange(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)
    )


def _fields(surface: Surface) -> Iterator[tuple[str, Any]]:
    for name, value in surface.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", part) for key, part in sorted(value.items()))
        else:
            yield name, value


def change_facts(
    *,
    at: str,
    resource: str,
    kind: Kind,
    name: str,
    action: str,
    record: Recorded,
    there: Live | None,
    difference: Difference,
) -> PlannedChange:
    """Return what the tables see of every action, whatever its kind."""
    return PlannedChange(
        at=at,
        resource=resource,
        kind=kind.name,
        name=name,
        action=action,
        provider="absent" if kind.backend is None else "present",
        record=record,
        live=liveness(there),
        difference=difference,
        verdict="unasked" if there is None else there.verdict,
        verdict_reason="" if there is None else there.reason,
    )
