"""What the state says of resources after a plan is carried out.

Source: section 2.4 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.state.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamt_ol.deploy.planning.records import Plan
    from streamt_ol.deploy.records import Desired


def next_resources(prior: Mapping[str, Record], desired: Iterable[Desired], plan: Plan) -> dict[str, Record]:
    """Return the resources: what the plan acts on or leaves as it is wanted, and what the state knew before.

    What nobody has decided about is not claimed. What the plan deletes is forgotten, and so is what was to be
    removed and is gone already. What the project no longer declares stays.
    """
    claimed = {action.resource_id for action in plan.actions if action.after is not None} | {*plan.unchanged}
    deleted = {action.resource_id for action in plan.actions if action.after is None}
    gone = deleted | {*plan.forgotten}
    kept = {resource_id: record for resource_id, record in prior.items() if resource_id not in gone}
    return kept | {one.resource_id: recorded(one) for one in desired if one.resource_id in claimed}


def recorded(one: Desired) -> Record:
    """Return what the state says of a resource that the project owns."""
    return Record(one.physical_name, one.ownership, one.checksum, one.backend)
