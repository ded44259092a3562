"""Making a state store, registering addresses in it, and giving it a writer: by whoever owns the tables.

Each of these is one transaction, and each may be asked for again: what is there is not done twice. Source:
section 3.3 of the runtime facts.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import uuid4

from streamt_ol.deploy.state.postgres.connecting import connect
from streamt_ol.deploy.state.postgres.facts import Registration
from streamt_ol.deploy.state.postgres.images import first_control
from streamt_ol.deploy.state.postgres.migrating import (
    OWNER_WRITES,
    WRITER_WRITES,
    identifier,
    literal,
    migrations,
    within,
)
from streamt_ol.deploy.state.postgres.session import UnansweredCommitError
from streamt_ol.deploy.state.postgres.store import find_key, find_store, lock_key, require_server
from streamt_ol.deploy.state.postgres.troubles import Troubles
from streamt_ol.deploy.state.postgres.writing import one_at_a_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.deploy.state.errors import StateError
    from streamt_ol.deploy.state.postgres.session import Session
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings
    from streamt_ol.deploy.state.postgres.store import Store
    from streamt_ol.engine.ruleset import RuleSet

_METADATA: Final = "INSERT INTO {schema}.store_metadata (store_id, schema_version) VALUES (%s, %s)"
_VERSION: Final = "UPDATE {schema}.store_metadata SET schema_version = %s"
_STEP: Final = """
INSERT INTO {schema}.schema_migrations (schema_version, migration_name, migration_checksum)
VALUES (%s, %s, %s)
"""
_ADDRESS: Final = """
INSERT INTO {schema}.state_addresses (namespace, project, environment, address_uri, advisory_lock_key)
VALUES (%s, %s, %s, %s, %s)
"""
_CONTROL: Final = """
INSERT INTO {schema}.operation_control (namespace, project, environment, revision, status, control_json)
VALUES (%s, %s, %s, %s, %s, %s)
"""
_SCHEMA: Final = "SELECT count(*) FROM pg_namespace WHERE nspname = %s"
_LONGEST: Final = 63
"""Bytes of a name that a server keeps."""
_ROLE: Final = """
SELECT rolcanlogin, rolsuper OR rolcreaterole OR rolbypassrls OR rolreplication,
       pg_has_role(oid, %(owner)s, 'MEMBER')
FROM pg_roles WHERE rolname = %(role)s
"""


class Prepared(NamedTuple):
    """What was done for an address."""

    outcome: str
    """`initialized`, `address_registered` or `already_initialized`; `migrated` or `already_migrated`."""
    store_id: str
    version: int
    writer: str | None


class Preparing:
    """A connection of who owns the tables, or is to."""

    def __init__(self, settings: PostgresSettings, rules: RuleSet) -> None:
        self._settings = settings
        self._rules = rules
        self.troubles = Troubles(settings, settings.owner_variable, rules)
        self._session: Session = connect(
            settings.owner_variable, settings.variables, settings.seconds, self.troubles, rules
        )

    def close(self) -> None:
        """End the connection."""
        self._session.close()

    def database(self) -> str:
        """Return the name of the database that the connection leads to."""
        name: str = self._session.rows("open", "SELECT current_database()::text")[0][0]
        return name

    def prepare(self) -> Prepared:
        """Make the store where there is none, and register the address where it is not."""
        settings, session = self._settings, self._session
        role = self._wanted_writer()
        require_server(session)
        with self._defining():
            store = find_store(session, settings)
            key = None if store is None else find_key(session, settings, store)
            facts = Registration(
                "/deployment_state",
                "absent" if store is None else "present",
                "absent" if key is None else "present",
            )
            outcome = self._rules.table("postgres-registrations").decide(facts)["outcome"]
            if store is None:
                store = self._make(role)
            elif store.version == OWNER_WRITES and role is not None:
                raise self.troubles.of("writer_unregistered", "define", key="writer_role_env")
            elif role not in (None, store.writer):
                raise self._other_writer(store)
            if key is None:
                self._register(store)
        return Prepared(outcome, store.store_id, store.version, store.writer)

    def add_writer(self) -> Prepared:
        """Give a store of version 1 the writer that the settings name: then it has version 2."""
        settings, session = self._settings, self._session
        role = self._wanted_writer()
        if role is None:
            raise self.troubles.of("variable_unset", "settings", "the name of the writer's role")
        require_server(session)
        with self._defining():
            store = find_store(session, settings)
            if store is None:
                raise self.troubles.of("store_missing", "define")
            if store.writer not in (None, role):
                raise self._other_writer(store)
            outcome = "already_migrated" if store.writer else "migrated"
            if store.writer is None:
                self._grant(store, role)
        return Prepared(outcome, store.store_id, WRITER_WRITES, role)

    def _other_writer(self, store: Store) -> StateError:
        return self.troubles.of("writer_registered", "define", role=store.writer or "", key="writer_role_env")

    def _wanted_writer(self) -> str | None:
        variable = self._settings.role_variable
        if variable is None:
            return None
        role = self._settings.variables.get(variable, "").strip()
        if not role:
            raise self.troubles.of(
                "variable_unset", "settings", "the name of the writer's role", key="writer_role_env"
            )
        return role

    @contextlib.contextmanager
    def _defining(self) -> Iterator[None]:
        """Make or change tables, all or nothing, one at a time in a schema."""
        session = self._session
        try:
            with (
                one_at_a_time(session, lock_key("definitions", self._settings.schema)),
                session.writing("define"),
            ):
                yield
        except UnansweredCommitError:
            raise self.troubles.of("definition_unknown", "define") from None

    def _make(self, role: str | None) -> Store:
        settings, session = self._settings, self._session
        if len(settings.schema.encode()) > _LONGEST:
            raise self.troubles.of("schema_unusable", "define", f"it has more than {_LONGEST} bytes")
        if not session.rows("define", _SCHEMA, (settings.schema,))[0][0]:
            session.rows("define", within(settings.schema, "CREATE SCHEMA {schema}"))
        tables = migrations()[0]
        session.rows("define", within(settings.schema, tables.text))
        store_id = str(uuid4())
        session.rows("define", within(settings.schema, _METADATA), (store_id, tables.version))
        step = (tables.version, tables.name, tables.checksum)
        session.rows("define", within(settings.schema, _STEP), step)
        store = find_store(session, settings)
        if store is None:
            raise self.troubles.of("store_missing", "define")
        return store if role is None else self._grant(store, role)

    def _grant(self, store: Store, role: str) -> Store:
        settings, session = self._settings, self._session
        self._require_usable(store, role)
        step = migrations()[1]
        names = {"writer": identifier(role), "writer_text": literal(role)}
        session.rows("define", within(settings.schema, step.text, **names))
        session.rows("define", within(settings.schema, _VERSION), (step.version,))
        session.rows("define", within(settings.schema, _STEP), (step.version, step.name, step.checksum))
        return store._replace(version=step.version, writer=role)

    def _require_usable(self, store: Store, role: str) -> None:
        found = self._session.rows("define", _ROLE, {"role": role, "owner": store.owner})
        if not found:
            reason = "there is none of this name"
        elif not found[0][0]:
            reason = "it may not log in"
        elif found[0][1]:
            reason = "it may do more than write"
        elif found[0][2]:
            reason = "it owns the tables, or may act as who does"
        else:
            return
        raise self.troubles.of("writer_unusable", "define", reason, role=role)

    def _register(self, store: Store) -> None:
        settings, session = self._settings, self._session
        place = (settings.namespace, settings.project, settings.environment)
        key = lock_key(store.store_id, settings.address)
        session.rows("define", within(settings.schema, _ADDRESS), (*place, settings.address, key))
        control = first_control(settings)
        session.rows("define", within(settings.schema, _CONTROL), (*place, *control))
