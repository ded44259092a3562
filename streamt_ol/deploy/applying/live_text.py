"""A resource as it is, for people and for programs, without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.planning.plan_text import Line
from streamt_ol.deploy.planning.plan_values import action_changes
from streamt_ol.deploy.planning.surfaces.registry import surfaces_of
from streamt_ol.deploy.records import Action

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.deploy.records import Live
    from streamt_ol.deploy.state.records import Record


def live_values(live: Live) -> dict[str, Any]:
    """Return what is there by the names of fields: `partitions`, `config.retention.ms`."""
    whole = Action(0, "", live.kind, "create", live.physical_name, None, live.surface)
    return {change["field"]: change["after"] for change in action_changes(whole)}


def live_lines(live: Live) -> Iterator[Line]:
    """Yield what is there as people read it."""
    yield Line(f"{live.kind} {live.physical_name}, as it is", "bold")
    values = live_values(live)
    width = max(map(len, values), default=0)
    shown = surfaces_of(live.kind).values_shown
    for name, value in values.items():
        yield Line(f"    {name:<{width}}  {value if shown else 'set (values are not shown)'}")
    yield Line("")


def given_up_lines(records: Mapping[str, Record]) -> Iterator[Line]:
    """Yield the records that an adoption takes out of the state or replaces, as people read them."""
    for resource_id, record in sorted(records.items()):
        told = f"{record.physical_name}, {record.ownership}, {record.backend}"
        yield Line(f"The state gives up its record of {resource_id}: {told}")
    if records:
        yield Line("")
