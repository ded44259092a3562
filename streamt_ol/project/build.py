"""From validated plain values to the records of a project; nothing here can fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.project.records import Column, Environment, Model, Reference, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.project.spelling import Entry

SAFETY = ("confirm_apply", "allow_destructive", "require_reviewed_plan", "require_remote_state")


def source(entry: Entry) -> Source:
    """Return the record of a source; empty `columns` fall back to the fields of its schema."""
    schema = entry.get("schema") or {}
    return Source(
        name=entry["name"],
        topic=entry["topic"],
        description=entry.get("description"),
        owner=entry.get("owner"),
        columns=_columns(entry.get("columns") or schema.get("fields") or ()),
        raw=entry,
    )


def model(entry: Entry) -> Model:
    """Return the record of a model."""
    topic = entry.get("topic")
    gateway = entry.get("gateway")
    virtual = gateway.get("virtual_topic") if gateway else None
    contract = entry.get("contract")
    return Model(
        name=entry["name"],
        description=entry.get("description"),
        owner=entry.get("owner"),
        sql=entry.get("sql") or None,
        from_=tuple(Reference(part.get("source"), part.get("ref")) for part in entry.get("from") or ()),
        macro=entry.get("macro") or None,
        params=entry.get("params") or {},
        materialized=entry.get("materialized"),
        executor=entry.get("executor"),
        topic_name=topic.get("name") if topic else None,
        has_virtual_block=virtual is not None,
        virtual_name=virtual.get("name") if virtual else None,
        has_sink=entry.get("sink") is not None,
        columns=_columns(entry.get("columns") or ()),
        contract_columns=None if contract is None else _columns(contract.get("columns") or ()),
        raw=entry,
    )


def environment(name: str, content: Entry) -> Environment:
    """Return the record of an environment from the content of its file; `{}` for the default one."""
    about = content.get("environment") or {}
    safety = content.get("safety") or {}
    protected = about.get("protected", False)
    defaults = {**dict.fromkeys(SAFETY, False), "confirm_apply": protected}
    return Environment(
        name=name,
        description=about.get("description", ""),
        protected=protected,
        safety={**defaults, **safety},
    )


def _columns(entries: Sequence[Entry]) -> tuple[Column, ...]:
    return tuple(Column(entry["name"], entry.get("type"), entry.get("description")) for entry in entries)
