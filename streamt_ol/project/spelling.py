"""Other spellings that the language still reads, brought to the public one after validation."""

from __future__ import annotations

from typing import Any

Entry = dict[str, Any]

OLD_SPELLINGS = {"schema": "schema_", "from": "from_", "sink": "connector", "connector": "type"}
"""Public key to the other key under which a file may hold the same; `sink.connector` is `connector.type`."""


def source(entry: Entry) -> Entry:
    """Return a source with `schema` for `schema_`."""
    return _renamed(entry, "schema_", "schema")


def model(entry: Entry) -> Entry:
    """Return a model with `from` as a list, also for one name, and `sink` in place of `connector`."""
    entry = _renamed(entry, "from_", "from")
    if isinstance(entry.get("from"), str):
        entry = {**entry, "from": [{"ref": entry["from"]}]}
    if "connector" in entry:
        connector = entry["connector"]
        entry = {key: value for key, value in entry.items() if key != "connector"}
        if connector is not None:
            rest = {key: value for key, value in connector.items() if key != "type"}
            entry["sink"] = {"connector": connector["type"], **rest}
    return entry


def exposure(entry: Entry) -> Entry:
    """Return an exposure with `schema` for `schema_` in its contracts, and `owner` filled from `owners`."""
    contracts = entry.get("contracts")
    if contracts and "schema_" in contracts:
        entry = {**entry, "contracts": _renamed(contracts, "schema_", "schema")}
    if entry.get("owner") is None:
        names = (owner["name"] for owner in entry.get("owners") or () if "name" in owner)
        first = next(names, None)
        entry = entry if first is None else {**entry, "owner": first}
    return entry


def _renamed(entry: Entry, old: str, new: str) -> Entry:
    """Return the entry itself where the old key is absent; else a copy, keys in their order."""
    if old not in entry:
        return entry
    return {new if key == old else key: value for key, value in entry.items()}


BY_SECTION = {"sources": source, "models": model, "exposures": exposure}
"""The respelling of the entries of each section that has other spellings."""
