"""State stores in PostgreSQL: how they are made, and what is none, is another's, or cannot be reached."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from postgres_server import PostgresServer, Role
from postgres_standby import standby
from postgres_states import NAMESPACE, OWNER, RULES, WRITER, PostgresStore, bounded
from services import free_port
from states import HARVEST, apply

from streamt_ol.deploy.state.errors import (
    StateConflictError,
    StateError,
    StateInvalidError,
    StateUnavailableError,
)
from streamt_ol.deploy.state.postgres.backend import PostgresBackend
from streamt_ol.deploy.state.postgres.migrating import TABLES

ADDRESS = f"streamt-state://postgres/{NAMESPACE}/orchard/dev"


@pytest.fixture
def empty(postgres_server: PostgresServer, state_database: str, state_writer: Role) -> PostgresStore:
    """Return a schema that is not there yet."""
    return PostgresStore(postgres_server, state_database, state_writer)


@pytest.fixture
def owned(postgres_server: PostgresServer, state_database: str) -> PostgresStore:
    """Return a store in which the owner of the tables writes."""
    store = PostgresStore(postgres_server, state_database, None)
    store.prepare()
    return store


def refusal(work: Callable[[], object]) -> StateError:
    with pytest.raises(StateError) as refused:
        work()
    return refused.value


# Made


def test_a_store_is_made_once_and_each_address_registered_once(empty: PostgresStore) -> None:
    first, again, other = empty.prepare(), empty.prepare(), empty.prepare("prod")

    assert [one.outcome for one in (first, again, other)] == [
        "initialized",
        "already_initialized",
        "address_registered",
    ]
    assert first.store_id == again.store_id == other.store_id == empty.open().store_id
    assert (first.version, first.writer) == (2, empty.writer and empty.writer.name)
    tables = (
        f"SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = '{empty.schema}'::regnamespace"
    )
    assert set(empty.run(tables).split()) == set(TABLES)
    assert empty.run("SELECT address_uri FROM SCHEMA.state_addresses ORDER BY 1").split() == [
        ADDRESS,
        f"streamt-state://postgres/{NAMESPACE}/orchard/prod",
    ]


def test_preparing_a_store_again_changes_nothing(empty: PostgresStore) -> None:
    empty.prepare()
    apply(empty.open(), HARVEST)
    rows = everything(empty)
    empty.prepare()

    assert everything(empty) == rows


def test_of_several_who_make_a_store_at_once_one_makes_it(empty: PostgresStore) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(
            pool.map(lambda environment: empty.prepare(environment).outcome, ["dev", "dev", "dev", "prod"])
        )

    assert sorted(outcomes) == [
        "address_registered",
        "already_initialized",
        "already_initialized",
        "initialized",
    ]
    assert empty.run("SELECT count(*) FROM SCHEMA.state_addresses") == "2"


def everything(store: PostgresStore) -> dict[str, str]:
    return {name: store.run(f"SELECT * FROM SCHEMA.{name} ORDER BY 1, 2, 3") for name in TABLES[:2]} | {
        name: store.run(f"SELECT * FROM SCHEMA.{name} ORDER BY 1, 2, 3, 4") for name in TABLES[2:]
    }


def test_namespaces_have_states_of_their_own(empty: PostgresStore) -> None:
    empty.prepare()
    empty.prepare(namespace="others")
    apply(empty.open(), HARVEST)

    assert empty.open(namespace="others").observe().snapshot.serial == 0
    assert empty.open(namespace="others").address == "streamt-state://postgres/others/orchard/dev"
    with empty.open().authority(0), empty.open(namespace="others").authority(0) as other:
        other.check()


def test_a_store_without_a_writer_is_written_by_its_owner(owned: PostgresStore) -> None:
    assert owned.prepare() == owned.prepare()._replace(outcome="already_initialized", version=1, writer=None)
    assert apply(owned.open(), HARVEST).snapshot.serial == 1


def test_a_store_gets_a_writer_and_keeps_what_it_has(
    owned: PostgresStore, postgres_server: PostgresServer, state_writer: Role
) -> None:
    before = apply(owned.open(), HARVEST)
    later = PostgresStore(postgres_server, owned.dsn, state_writer, schema=owned.schema)
    unready = [refusal(later.open().observe), refusal(later.prepare)]
    outcomes = [later.add_writer().outcome, later.add_writer().outcome]

    assert [error.code for error in unready] == ["E420_STATE_BACKEND_UNAVAILABLE"] * 2
    assert unready[0].message == (
        f"the role '{state_writer.name}' lacks rights that a state needs: USAGE on the schema"
    )
    assert unready[1].location == "/deployment_state/postgres/writer_role_env"
    assert (
        unready[1].suggestion == "have the owner of the tables run `streamt state migrate-postgres-v2` once"
    )
    assert outcomes == ["migrated", "already_migrated"]
    assert later.open().observe() == before
    assert apply(later.open(), None).snapshot == before.snapshot
    assert later.run(
        "SELECT schema_version, migration_name FROM SCHEMA.schema_migrations ORDER BY 1"
    ).split() == [
        "1|1_tables",
        "2|2_writer",
    ]
    error = refusal(owned.open().observe)
    assert error.message == (
        f"the login of OWNER_DSN is not the writer that the state store knows, the role '{state_writer.name}'"
    )


def test_a_writer_is_not_used_before_the_store_knows_one(owned: PostgresStore) -> None:
    settings = owned.settings(writer_variable=OWNER)
    error = refusal(PostgresBackend(settings, RULES).observe)

    assert (error.code, error.location) == (
        "E420_STATE_BACKEND_UNAVAILABLE",
        "/deployment_state/postgres/writer_dsn_env",
    )
    assert error.suggestion == "have the owner of the tables run `streamt state migrate-postgres-v2` once"


def test_a_store_keeps_its_writer(empty: PostgresStore, postgres_server: PostgresServer) -> None:
    empty.prepare()
    assert empty.writer is not None
    other = PostgresStore(postgres_server, empty.dsn, postgres_server.create_role(), schema=empty.schema)
    errors = [refusal(other.add_writer), refusal(other.prepare), refusal(lambda: other.prepare("prod"))]

    assert {type(error) for error in errors} == {StateConflictError}
    assert {(error.location, error.message) for error in errors} == {
        (
            "/deployment_state/postgres/writer_role_env",
            f"the state store has another writer already, the role '{empty.writer.name}'",
        )
    }
    assert isinstance(refusal(other.open().observe), StateUnavailableError)
    assert empty.run("SELECT environment FROM SCHEMA.state_addresses") == "dev"


UNUSABLE = {
    "absent": (None, "there is none of this name"),
    "no login": ("NOLOGIN", "it may not log in"),
    "superuser": ("LOGIN SUPERUSER", "it may do more than write"),
    "creating roles": ("LOGIN CREATEROLE", "it may do more than write"),
}


@pytest.mark.parametrize(("attributes", "reason"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_role_that_is_no_mere_writer_makes_no_store(
    postgres_server: PostgresServer, state_database: str, attributes: str | None, reason: str
) -> None:
    role = Role("nobody_at_all", "x") if attributes is None else postgres_server.create_role(attributes)
    store = PostgresStore(postgres_server, state_database, role)
    error = refusal(store.prepare)

    assert error.message == f"the role '{role.name}' cannot be the writer of the state: {reason}"
    assert store.run(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{store.schema}'") == "0"


NO_SCHEMAS = {
    "too long": ("x" * 64, "it has more than 63 bytes"),
    "the server's own": ("pg_state", 'unacceptable schema name "pg_state"'),
}


@pytest.mark.parametrize(("schema", "reason"), NO_SCHEMAS.values(), ids=NO_SCHEMAS)
def test_a_name_that_no_schema_may_have_is_told(
    postgres_server: PostgresServer, state_database: str, state_writer: Role, schema: str, reason: str
) -> None:
    error = refusal(PostgresStore(postgres_server, state_database, state_writer, schema=schema).prepare)

    assert error.message == f"PostgreSQL takes no schema of the name '{schema}': {reason}"
    assert error.suggestion == (
        "name another one (deployment_state.postgres.schema), without pg_ at its beginning and of at most 63 bytes"
    )


@pytest.mark.parametrize("schema", ["x" * 63, "Mixed_Case", "select", "_"])
def test_a_schema_has_the_name_that_the_project_says(
    postgres_server: PostgresServer, state_writer: Role, schema: str
) -> None:
    store = PostgresStore(postgres_server, postgres_server.new_database(), state_writer, schema=schema)
    store.prepare()

    assert apply(store.open(), HARVEST).snapshot.serial == 1
    assert store.server.run(
        "SELECT schemaname FROM pg_tables WHERE tablename = 'state_history'", store.dsn
    ) == (schema)


def test_who_owns_the_tables_is_not_their_writer(
    postgres_server: PostgresServer, state_database: str
) -> None:
    owner = postgres_server.create_role()
    postgres_server.run(f'GRANT CREATE ON DATABASE "{state_database.rpartition("/")[2]}" TO "{owner.name}"')
    store = PostgresStore(postgres_server, state_database, owner)
    store.variables[OWNER] = store.dsn_of(owner)

    assert refusal(store.prepare).message == (
        f"the role '{owner.name}' cannot be the writer of the state: it owns the tables, or may act as who does"
    )


def test_a_login_that_may_create_nothing_makes_no_store(
    postgres_server: PostgresServer, state_database: str
) -> None:
    store = PostgresStore(postgres_server, state_database, None)
    store.variables[OWNER] = store.dsn_of(postgres_server.create_role())
    error = refusal(store.prepare)

    database = state_database.rpartition("/")[2]
    assert error.code == "E420_STATE_BACKEND_UNAVAILABLE"
    assert error.message == "the login of OWNER_DSN may not do that: permission denied for database ***"
    assert database not in error.message


def test_an_address_with_odd_characters_is_one_of_its_own(empty: PostgresStore) -> None:
    odd = {"namespace": 'team "a"; DROP TABLE x; --\'%s{0}', "project": "été %(x)s"}
    empty.prepare(**odd)
    with empty.open(**odd).authority(0) as authority:
        authority.check()

    assert empty.open(**odd).observe().snapshot.project == "été %(x)s"


# None, or another's


def test_what_is_not_made_is_said_with_the_command_that_makes_it(empty: PostgresStore) -> None:
    missing = refusal(empty.open().observe)
    empty.prepare("prod")
    unregistered = refusal(empty.open().observe)

    assert (missing.code, missing.message) == (
        "E420_STATE_BACKEND_UNAVAILABLE",
        f"there is no state store in the schema '{empty.schema}'",
    )
    assert missing.suggestion == "run `streamt state init` once, with a login that may create tables"
    assert (unregistered.code, unregistered.message) == (
        "E420_STATE_BACKEND_UNAVAILABLE",
        f"{ADDRESS} is not registered in the state store of the schema '{empty.schema}'",
    )
    assert unregistered.suggestion == "`streamt state init` registers it"
    assert empty.open().lock_status().status == "unregistered"
    assert refusal(lambda: empty.open().authority(0).__enter__()).message == unregistered.message


NO_STORES = {
    "a table of another": (
        "DROP TABLE SCHEMA.operation_history",
        "is no state store of this program: it has no table operation_history",
    ),
    "two stores at once": (
        "DELETE FROM SCHEMA.store_metadata",
        "is no state store of this program: it does not say which store it is",
    ),
    "several owners": (
        "ALTER TABLE SCHEMA.state_history OWNER TO pg_monitor",
        "is no state store of this program: its tables have several owners",
    ),
    "another migration": (
        "UPDATE SCHEMA.schema_migrations SET migration_checksum = 'x' WHERE schema_version = 2",
        "was not made as this version makes it: its migrations are not the same: 2_writer",
    ),
    "a migration less": (
        "DELETE FROM SCHEMA.schema_migrations WHERE schema_version = 2",
        "was not made as this version makes it: its migrations are not the same: another number of them",
    ),
    "a newer version": (
        "UPDATE SCHEMA.store_metadata SET schema_version = 3",
        "has version 3, which this program does not know",
    ),
    "a column less": (
        "ALTER TABLE SCHEMA.store_metadata DROP COLUMN writer_role",
        'are not those of a state store of this program: column "writer_role" does not exist',
    ),
}


@pytest.mark.parametrize(("sql", "words"), NO_STORES.values(), ids=NO_STORES)
def test_what_is_no_store_of_this_version_is_not_used(
    postgres_store: PostgresStore, sql: str, words: str
) -> None:
    postgres_store.run(sql)
    errors = [refusal(postgres_store.open().observe), refusal(postgres_store.prepare)]

    assert [error.code for error in errors] == ["E411_STATE_INVALID"] * 2
    assert all(error.message.endswith(words) for error in errors)


CHANGED_ADDRESSES = {
    "address": ("address_uri = 'streamt-state://postgres/team/garden/dev'", "it has another address"),
    "key": ("advisory_lock_key = 1", "it has another key of its lock"),
}


@pytest.mark.parametrize(("change", "reason"), CHANGED_ADDRESSES.values(), ids=CHANGED_ADDRESSES)
def test_an_address_that_was_changed_is_not_used(
    postgres_store: PostgresStore, change: str, reason: str
) -> None:
    postgres_store.run(f"UPDATE SCHEMA.state_addresses SET {change} WHERE environment = 'dev'")
    error = refusal(postgres_store.open().observe)

    assert isinstance(error, StateInvalidError)
    assert (
        error.message == f"what the state store has of {ADDRESS} is not what this program registers: {reason}"
    )


def test_another_store_in_the_same_place_is_noticed(postgres_store: PostgresStore) -> None:
    backend = postgres_store.open()
    backend.observe()
    postgres_store.run(f"DROP SCHEMA {postgres_store.schema} CASCADE")
    postgres_store.prepared()
    error = refusal(backend.observe)

    assert (error.code, error.message) == (
        "E424_STATE_CONFLICT",
        "another state store answers now than before",
    )


# Rights


LACKING = {
    "schema": ("REVOKE USAGE ON SCHEMA {schema} FROM {role}", "USAGE on the schema"),
    "reading": ("REVOKE SELECT ON SCHEMA.state_history FROM {role}", "SELECT (environment) on state_history"),
    "writing": (
        "REVOKE UPDATE (control_json) ON SCHEMA.operation_control FROM {role}",
        "UPDATE (control_json) on operation_control",
    ),
    "history": (
        "REVOKE INSERT (event_kind) ON SCHEMA.operation_history FROM {role}",
        "INSERT (event_kind) on operation_history",
    ),
}
TOO_MUCH = {
    "deleting": ("GRANT DELETE ON SCHEMA.state_history TO {role}", "DELETE on state_history"),
    "everybody": ("GRANT DELETE ON SCHEMA.state_history TO PUBLIC", "DELETE on state_history"),
    "rewriting": (
        "GRANT UPDATE (control_json) ON SCHEMA.operation_history TO {role}",
        "UPDATE (control_json) on operation_history",
    ),
    "registering": (
        "GRANT INSERT (project) ON SCHEMA.state_addresses TO {role}",
        "INSERT (project) on state_addresses",
    ),
    "creating": ("GRANT CREATE ON SCHEMA {schema} TO {role}", "CREATE on the schema"),
}


@pytest.fixture
def lone_store(postgres_server: PostgresServer, state_database: str) -> PostgresStore:
    """Return a store with a writer of its own, whose rights may be changed."""
    return PostgresStore(postgres_server, state_database, postgres_server.create_role()).prepared()


def change_rights(store: PostgresStore, sql: str) -> str:
    assert store.writer is not None
    store.run(sql.format(schema=store.schema, role=store.writer.name))
    return store.writer.name


@pytest.mark.parametrize(("sql", "missing"), LACKING.values(), ids=LACKING)
def test_a_writer_that_lacks_a_right_is_told_which(lone_store: PostgresStore, sql: str, missing: str) -> None:
    role = change_rights(lone_store, sql)
    error = refusal(lone_store.open().observe)

    assert error.code == "E420_STATE_BACKEND_UNAVAILABLE"
    assert error.message.startswith(f"the role '{role}' lacks rights that a state needs: {missing}")


@pytest.mark.parametrize(("sql", "excess"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_a_writer_that_may_change_what_is_written_is_refused(
    lone_store: PostgresStore, sql: str, excess: str
) -> None:
    role = change_rights(lone_store, sql)
    error = refusal(lone_store.open().observe)

    assert error.code == "E420_STATE_BACKEND_UNAVAILABLE"
    assert error.message == f"the role '{role}' has rights that a writer of the state must not have: {excess}"


def test_a_writer_cannot_change_what_is_written(postgres_store: PostgresStore) -> None:
    assert postgres_store.writer is not None
    apply(postgres_store.open(), HARVEST)
    dsn = postgres_store.dsn_of(postgres_store.writer)
    told = []
    for sql in (
        "UPDATE SCHEMA.state_history SET state_json = ''",
        "DELETE FROM SCHEMA.operation_history",
        "TRUNCATE SCHEMA.state_history",
        "INSERT INTO SCHEMA.state_addresses VALUES ('a', 'b', 'c', 'd', 1)",
        "UPDATE SCHEMA.store_metadata SET schema_version = 1",
        "DELETE FROM SCHEMA.current_state",
    ):
        with pytest.raises(AssertionError) as refused:
            postgres_store.server.run(sql.replace("SCHEMA.", f"{postgres_store.schema}."), dsn)
        told.append("permission denied" in str(refused.value))

    assert told == [True] * 6


# Reached


def other_password(store: PostgresStore) -> str:
    assert store.writer is not None
    return store.dsn_of(Role(store.writer.name, "planted-wrong-password"))


def no_such_role(store: PostgresStore) -> str:
    return store.dsn_of(Role("planted_nobody", "planted-password"))


def no_login(store: PostgresStore) -> str:
    return store.dsn_of(store.server.create_role("NOLOGIN"))


def no_connection_left(store: PostgresStore) -> str:
    return store.dsn_of(store.server.create_role("LOGIN CONNECTION LIMIT 0"))


def no_such_database(store: PostgresStore) -> str:
    assert store.writer is not None
    return store.server.dsn("planted_database", store.writer)


def nobody_there(store: PostgresStore) -> str:
    return f"postgresql://planted_user:planted-password@127.0.0.1:{free_port()}/planted_database"


def with_tls(store: PostgresStore) -> str:
    assert store.writer is not None
    return f"{store.dsn_of(store.writer)}?sslmode=require"


UNREACHED: Mapping[str, tuple[Callable[[PostgresStore], str], str]] = {
    "wrong password": (
        other_password,
        'the server does not take the login of WRITER_DSN: password authentication failed for user "***"',
    ),
    "no such role": (
        no_such_role,
        'the server does not take the login of WRITER_DSN: password authentication failed for user "***"',
    ),
    "no login": (
        no_login,
        'the server does not take the login of WRITER_DSN: role "***" is not permitted to log in',
    ),
    "too many": (
        no_connection_left,
        'the server has no room left, and nothing was changed: too many connections for role "***"',
    ),
    "no such database": (no_such_database, "there is no database as WRITER_DSN names it"),
    "nobody there": (nobody_there, "no connection to the server that WRITER_DSN names: Connection refused"),
    "no TLS": (
        with_tls,
        "no TLS connection of the kind that WRITER_DSN asks for: server does not support SSL, but SSL was required",
    ),
    "not set": (
        lambda _: "",
        "the variable WRITER_DSN, which should hold the connection string of the state, is not set",
    ),
    "no connection string": (
        lambda _: "planted nonsense",
        "the variable WRITER_DSN does not hold a connection string of PostgreSQL",
    ),
    "another scheme": (
        lambda _: "mysql://planted-user:planted-password@planted-host/x",
        "the variable WRITER_DSN does not hold a connection string of PostgreSQL",
    ),
    "no host": (
        lambda _: "postgresql://planted-user:planted-password@/planted-database",
        "the connection string in WRITER_DSN does not name a host: nothing is guessed of where a state is",
    ),
    "no database": (
        lambda _: "postgresql://planted-user:planted-password@planted-host",
        "the connection string in WRITER_DSN does not name a database: nothing is guessed of where a state is",
    ),
    "nothing": (
        lambda _: "user=planted-user",
        "the connection string in WRITER_DSN does not name a host and a database: nothing is guessed of where a state is",
    ),
    "several hosts": (
        lambda _: "postgresql://planted-host,planted-other/planted-database",
        "the connection string in WRITER_DSN names several hosts: a state has one server",
    ),
    "no such host": (
        lambda _: "postgresql://planted-user@planted-host.invalid/planted-database",
        "no connection to the server that WRITER_DSN names: ",
    ),
}


@pytest.mark.parametrize(("dsn", "message"), UNREACHED.values(), ids=UNREACHED)
def test_a_server_that_is_not_reached_is_told_without_the_login(
    postgres_store: PostgresStore, dsn: Callable[[PostgresStore], str], message: str
) -> None:
    variables = {**postgres_store.variables, WRITER: dsn(postgres_store)}
    error = refusal(postgres_store.open(variables=variables).observe)

    assert error.code == "E420_STATE_BACKEND_UNAVAILABLE"
    assert error.location == "/deployment_state/postgres"
    assert error.message.startswith(message)
    assert message.endswith(": ") or error.message == message
    shown = error.message + (error.suggestion or "")
    assert "planted" not in shown
    assert postgres_store.writer is not None
    assert postgres_store.writer.password not in shown


def test_a_server_that_does_not_answer_is_waited_for_with_an_end(postgres_store: PostgresStore) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dsn = f"postgresql://planted:planted@127.0.0.1:{silent.getsockname()[1]}/planted"
        settings = postgres_store.settings(variables={**postgres_store.variables, WRITER: dsn})
        error = refusal(PostgresBackend(settings, bounded(connect_seconds=2)).observe)

    assert error.message == "the server that WRITER_DSN names did not answer in time"


def test_a_database_that_takes_no_changes_is_not_used(
    postgres_server: PostgresServer, state_writer: Role
) -> None:
    store = PostgresStore(postgres_server, postgres_server.new_database(), state_writer).prepared()
    name = store.dsn.rpartition("/")[2]
    postgres_server.run(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    errors = [refusal(store.open().observe), refusal(store.prepare)]

    assert [error.message for error in errors] == [
        "the database that WRITER_DSN names takes no changes at present",
        "the database that OWNER_DSN names takes no changes at present",
    ]


def test_a_database_in_another_encoding_takes_no_store(postgres_server: PostgresServer) -> None:
    postgres_server.run(
        "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    )
    error = refusal(PostgresStore(postgres_server, postgres_server.dsn("latin"), None).prepare)

    assert error.message == "the database is encoded as LATIN1, and a state needs UTF8"


def test_what_a_role_or_database_has_as_its_defaults_changes_nothing(
    postgres_server: PostgresServer, state_database: str
) -> None:
    role = postgres_server.create_role()
    store = PostgresStore(postgres_server, state_database, role).prepared()
    for setting in (
        "search_path = nowhere",
        "statement_timeout = 1",
        "lock_timeout = 1",
        "synchronous_commit = off",
        "default_transaction_isolation = 'read committed'",
        "client_encoding = 'LATIN1'",
        "TimeZone = 'Asia/Kathmandu'",
        "DateStyle = 'German'",
        "standard_conforming_strings = off",
    ):
        postgres_server.run(f'ALTER ROLE "{role.name}" SET {setting}')

    assert apply(store.open(), HARVEST) == store.open().observe()
    with closing(store.open().session()) as session:
        settings = session.rows(
            "read",
            "SELECT current_setting('search_path'), current_setting('statement_timeout'), "
            "current_setting('lock_timeout'), current_setting('synchronous_commit'), "
            "current_setting('client_encoding'), current_setting('idle_in_transaction_session_timeout')",
        )
    assert settings == [("pg_catalog", "30s", "30s", "on", "UTF8", "1min")]


def test_a_replica_is_not_used(postgres_store: PostgresStore, postgres_server: PostgresServer) -> None:
    apply(postgres_store.open(), HARVEST)
    with standby(postgres_server) as replica:
        database = postgres_store.dsn.rpartition("/")[2]
        variables = {
            OWNER: replica.dsn(database),
            WRITER: replica.dsn(database, postgres_store.writer),
        }
        errors = [
            refusal(postgres_store.open(variables={**postgres_store.variables, **variables}).observe),
            refusal(lambda: postgres_store.prepare(variables={**postgres_store.variables, **variables})),
        ]

    assert {error.code for error in errors} == {"E420_STATE_BACKEND_UNAVAILABLE"}
    assert [error.message for error in errors] == [
        f"the server that {name} names is a replica: a state is read and written where it is written first"
        for name in (WRITER, OWNER)
    ]
