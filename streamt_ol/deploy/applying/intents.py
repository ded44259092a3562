"""The intent of an operation: a random identity, the time at which it starts, and what it is about to do."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from streamt_ol.deploy.planning.redacting import surface_checksum
from streamt_ol.deploy.state.records import IntendedAction, Intent
from streamt_ol.deploy.state.state_file import state_checksum
from streamt_ol.lineage.event_times import utc_text

if TYPE_CHECKING:
    from datetime import datetime

    from streamt_ol.deploy.applying.records import Order

ACTOR = "local-cli"


def intent_of(order: Order, started_at: datetime) -> Intent:
    """Return a new intent for an order. Source: section 2.3 of the runtime facts."""
    snapshot = order.expected.snapshot
    return Intent(
        operation_id=str(uuid4()),
        kind=order.kind,
        started_at=utc_text(started_at),
        actor=ACTOR,
        prior_state_serial=snapshot.serial,
        prior_state_checksum=state_checksum(snapshot),
        reviewed_plan_checksum=order.reviewed_plan_checksum,
        actions=tuple(
            IntendedAction(
                action.position,
                action.resource_id,
                action.action,
                action.physical_name,
                surface_checksum(action.before),
                surface_checksum(action.after),
                action.cluster,
            )
            for action in order.actions
        ),
    )
