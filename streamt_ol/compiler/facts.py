"""What the tables see of a model while it is compiled: finite facts and names, no SQL, no configuration."""

from __future__ import annotations

from typing import Literal, NamedTuple

Presence = Literal["absent", "present"]
Amount = Literal["none", "one", "many"]


class Declaration(NamedTuple):
    """Facts of the record `declaration` (rules/facts.yml)."""

    at: str
    name: str
    executor: str
    declared: str
    from_list: Presence
    sql: Presence
    shape: str
    virtual_block: bool


class Candidate(NamedTuple):
    """Facts of the record `candidate`."""

    at: str
    name: str
    materialized: str
    virtual_block: bool
    gateway_runtime: Presence


class Realized(NamedTuple):
    """Facts of the record `realized`."""

    at: str
    name: str
    effective: str
    sql: Presence
    inputs: Amount
    sink_block: bool
    topic_name: str
    virtual_name: str


def presence(value: object) -> Presence:
    """Return whether a value is there at all; an empty one is."""
    return "absent" if value is None else "present"


def amount(count: int) -> Amount:
    """Return a count as the tables know it."""
    return "none" if count == 0 else "one" if count == 1 else "many"
