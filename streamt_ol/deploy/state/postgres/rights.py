"""What a role may do with the tables of a state store, beside what a writer needs: no less, and no more.

A writer that could change or delete what is written could make a history that never was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.state.postgres.migrating import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.state.postgres.session import Session

_ADDRESS: Final = ("namespace", "project", "environment")
_STATE: Final = ("revision", "state_serial", "state_checksum", "state_json")
_WRITES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "current_state": {"INSERT": (*_ADDRESS, *_STATE), "UPDATE": (*_STATE, "updated_at")},
    "operation_control": {"UPDATE": ("revision", "status", "control_json", "updated_at")},
    "state_history": {"INSERT": (*_ADDRESS, *_STATE, "operation_id")},
    "operation_history": {
        "INSERT": (*_ADDRESS, "operation_id", "event_index", "event_kind", "control_json"),
    },
}
"""The columns that a writer inserts and updates; it reads everything."""
_ON_COLUMNS: Final = """
SELECT c.relname, a.attname, p.name, pg_catalog.has_column_privilege(c.oid, a.attnum, p.name)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('REFERENCES')) AS p (name)
WHERE c.relnamespace = %(schema)s::regnamespace AND c.relname = ANY (%(tables)s)
ORDER BY 1, 3, 2
"""
_ON_TABLES: Final = """
SELECT c.relname, p.name
FROM pg_catalog.pg_class c CROSS JOIN (VALUES ('DELETE'), ('TRUNCATE'), ('TRIGGER')) AS p (name)
WHERE c.relnamespace = %(schema)s::regnamespace AND c.relname = ANY (%(tables)s)
AND pg_catalog.has_table_privilege(c.oid, p.name)
ORDER BY 1, 2
"""
_ON_SCHEMA: Final = """
SELECT pg_catalog.has_schema_privilege(%(schema)s::regnamespace, 'USAGE'),
       pg_catalog.has_schema_privilege(%(schema)s::regnamespace, 'CREATE')
"""
_MOST: Final = 4
"""Rights that a message names."""


def rights_in_question(session: Session, quoted_schema: str) -> tuple[list[str], list[str]]:
    """Return what the role of the session may not do and must, and what it may do and must not."""
    asked = {"schema": quoted_schema, "tables": list(TABLES)}
    ((may_use, may_create),) = session.rows("open", _ON_SCHEMA, asked)
    missing = [] if may_use else ["USAGE on the schema"]
    excess = ["CREATE on the schema"] if may_create else []
    for table, column, right, has in session.rows("open", _ON_COLUMNS, asked):
        needs = right == "SELECT" or column in _WRITES.get(table, {}).get(right, ())
        if needs != has:
            (missing if needs else excess).append(f"{right} ({column}) on {table}")
    excess += [f"{right} on {table}" for table, right in session.rows("open", _ON_TABLES, asked)]
    return missing, excess


def listed(rights: list[str]) -> str:
    """Return rights in words, the first of them."""
    more = len(rights) - _MOST
    return "; ".join(rights[:_MOST]) + (f"; and {more} more" if more > 0 else "")
