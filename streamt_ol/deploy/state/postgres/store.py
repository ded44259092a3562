"""A state store in a schema of PostgreSQL, as it is found: nothing of it is used before all of this is right.

Sources: sections 3.1 and 3.3 of the runtime facts.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from streamt_ol.deploy.state.postgres.migrating import (
    OWNER_WRITES,
    TABLES,
    WRITER_WRITES,
    identifier,
    migrations,
    within,
)
from streamt_ol.deploy.state.postgres.rights import listed, rights_in_question

if TYPE_CHECKING:
    from streamt_ol.deploy.state.postgres.session import Session
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings

_SERVER: Final = """
SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only'),
       current_setting('server_encoding'), current_user::text
"""
_FOUND: Final = """
SELECT c.relname, c.relkind::text, pg_catalog.pg_get_userbyid(c.relowner)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = ANY (%s)
"""
_MAY_LOOK: Final = "SELECT has_schema_privilege(%s, 'USAGE')"
_METADATA: Final = "SELECT store_id::text, schema_version FROM {schema}.store_metadata"
_WRITER: Final = "SELECT writer_role FROM {schema}.store_metadata"
_STEPS: Final = """
SELECT schema_version, migration_name, migration_checksum FROM {schema}.schema_migrations ORDER BY 1
"""
_ADDRESS: Final = """
SELECT address_uri, advisory_lock_key FROM {schema}.state_addresses
WHERE (namespace, project, environment) = (%s, %s, %s)
"""
_KEY_BYTES: Final = 8


class Store(NamedTuple):
    """A store that this program knows, and who asks."""

    store_id: str
    version: int
    owner: str
    """The role that owns the tables."""
    writer: str | None
    """The role that alone writes operations; None where the owner does."""
    role: str
    """The role of the session."""


def require_server(session: Session) -> str:
    """Return the role of a session, of a server that takes changes; raises `StateUnavailableError`."""
    ((replica, read_only, encoding, role),) = session.rows("open", _SERVER)
    if replica:
        raise session.troubles.of("replica", "open")
    if read_only == "on":
        raise session.troubles.of("reads_only", "open")
    if encoding != "UTF8":
        raise session.troubles.of("encoding", "open", encoding)
    return str(role)


def find_store(session: Session, settings: PostgresSettings) -> Store | None:
    """Return the store in the schema of the settings; None where there is none of its tables.

    Raises `StateInvalidError` for tables that are not those of a store, or of one this program does not know.
    """
    role = require_server(session)
    found = {
        name: (kind, owner)
        for name, kind, owner in session.rows("open", _FOUND, (settings.schema, list(TABLES)))
    }
    if not found:
        return None
    lacking = [name for name in TABLES if found.get(name, ("", ""))[0] != "r"]
    if lacking:
        raise session.troubles.of("store_foreign", "open", f"it has no table {lacking[0]}")
    owners = {owner for _kind, owner in found.values()}
    if len(owners) > 1:
        raise session.troubles.of("store_foreign", "open", "its tables have several owners")
    if session.rows("open", _MAY_LOOK, (settings.schema,)) != [(True,)]:
        raise session.troubles.of("rights_missing", "open", "USAGE on the schema", role=role)
    metadata = session.rows("open", within(settings.schema, _METADATA))
    if len(metadata) != 1:
        raise session.troubles.of("store_foreign", "open", "it does not say which store it is")
    ((store_id, version),) = metadata
    _require_steps(session, settings, version)
    writer = None
    if version >= WRITER_WRITES:
        ((writer,),) = session.rows("open", within(settings.schema, _WRITER))
    return Store(store_id, version, owners.pop(), writer, role)


def require_store(session: Session, settings: PostgresSettings) -> Store:
    """Return the store for a session that is to read and write operations of it, and nothing else."""
    store = find_store(session, settings)
    if store is None:
        raise session.troubles.of("store_missing", "open")
    if store.version == OWNER_WRITES and settings.writer_variable is not None:
        raise session.troubles.of("writer_unregistered", "open", key="writer_dsn_env")
    if store.writer is not None and store.role != store.writer:
        raise session.troubles.of("writer_other", "open", role=store.writer)
    missing, excess = rights_in_question(session, identifier(settings.schema))
    if missing:
        raise session.troubles.of("rights_missing", "open", listed(missing), role=store.role)
    if excess and store.writer is not None:
        raise session.troubles.of("rights_excess", "open", listed(excess), role=store.role)
    return store


def find_key(session: Session, settings: PostgresSettings, store: Store) -> int | None:
    """Return the key of the lock of the settings' address; None where it is not registered.

    Raises `StateInvalidError` where what is registered is not what this program would register.
    """
    where = (settings.namespace, settings.project, settings.environment)
    found = session.rows("open", within(settings.schema, _ADDRESS), where)
    if not found:
        return None
    key = lock_key(store.store_id, settings.address)
    if found[0] != (settings.address, key):
        what = "another address" if found[0][0] != settings.address else "another key of its lock"
        raise session.troubles.of("address_changed", "open", f"it has {what}")
    return key


def require_key(session: Session, settings: PostgresSettings, store: Store) -> int:
    """Return the key of the lock of the settings' address; raises `StateUnavailableError` without one."""
    key = find_key(session, settings, store)
    if key is None:
        raise session.troubles.of("address_unregistered", "open")
    return key


def lock_key(*names: str) -> int:
    """Return the key of a lock: 64 bits of the digest of what it is about, as a signed number."""
    digest = sha256("\n".join(names).encode()).digest()
    return int.from_bytes(digest[:_KEY_BYTES], "big", signed=True)


def _require_steps(session: Session, settings: PostgresSettings, version: int) -> None:
    """Refuse a store that was made by other steps than those of this program."""
    known = migrations()
    if version > len(known):
        raise session.troubles.of("store_newer", "open", str(version))
    expected = [(step.version, step.name, step.checksum) for step in known[:version]]
    found = session.rows("open", within(settings.schema, _STEPS))
    if found != expected:
        pairs = zip(expected, found, strict=False)
        wrong = next((want[1] for want, has in pairs if want != has), "another number of them")
        raise session.troubles.of("store_changed", "open", f"its migrations are not the same: {wrong}")
