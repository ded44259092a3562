"""Schemas that are wanted, planned registrations, and the provider that carries them out."""

from __future__ import annotations

import json
from typing import Any

from checked import packaged_rules
from registry_stand_in import RegistryStandIn

from streamt_ol.deploy.providers.schema_registry.forms import schema_digest
from streamt_ol.deploy.providers.schema_registry.provider import RegistrySchemas
from streamt_ol.deploy.records import Action, Live, Surface, Wanted

ORDERS = "orders-value"


def record(*fields: Any, name: str = "Order", **more: Any) -> str:
    """Return a schema of Avro; a field is a name, which is one of text, or a whole field."""
    parts = [{"name": field, "type": "string"} if isinstance(field, str) else field for field in fields]
    return json.dumps({"type": "record", "name": name, "fields": parts, **more})


def optional(name: str) -> dict[str, Any]:
    return {"name": name, "type": ["null", "string"], "default": None}


V1, V2 = record("id"), record("id", optional("note"))
BROKEN = record("id", "amount")
"""Incompatible with V1: a reader finds no amount, and no default for it."""


def provider_of(url: str, seconds: float | None = 20, **settings: Any) -> RegistrySchemas:
    runtime = {"schema_registry": {"url": url, **settings}}
    return RegistrySchemas(runtime, packaged_rules(), seconds=seconds)


def surface(text: str | None, kind: str = "AVRO") -> Surface | None:
    if text is None:
        return None
    return {"type": kind, "schema": schema_digest(kind, text), "references": []}


def wanted(text: str, kind: str = "AVRO", *, subject: str = ORDERS, version: int | None = None) -> Wanted:
    return Wanted(subject, None, surface(text, kind), {"definition": text, "version": version})


def seen(registry: RegistryStandIn, one: Wanted) -> Live:
    """Return what is there, as a provider of its own sees it."""
    return provider_of(registry.url).observe([one])[one.physical_name]


def registration(after: str, before: str | None = None, kind: str = "AVRO", subject: str = ORDERS) -> Action:
    """Return the step that makes a schema the latest version of a subject."""
    return Action(
        position=0,
        resource_id=f"streamt://shop/default/schema/{subject}",
        kind="schema",
        action="register" if before is None else "update",
        physical_name=subject,
        before=surface(before, kind),
        after=surface(after, kind),
        payload={"definition": after, "version": None},
    )
