"""Connections to PostgreSQL: where a connection string leads, whatever else is set, and what may be between."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from cutting_proxy import cutting_proxy
from postgres_server import PostgresServer
from postgres_states import PostgresStore
from states import HARVEST, apply

from streamt_ol.deploy.state.errors import StateError


def writer_dsn(store: PostgresStore) -> str:
    assert store.writer is not None
    return store.dsn_of(store.writer)


def refusal(store: PostgresStore, dsn: str) -> StateError:
    with pytest.raises(StateError) as refused:
        store.open(variables=store.through(dsn)).observe()
    return refused.value


@pytest.mark.parametrize("around", [("", "\n"), (" ", ""), ("\t", "\r\n")])
def test_blanks_around_a_connection_string_say_nothing(
    postgres_store: PostgresStore, around: tuple[str, str]
) -> None:
    dsn = writer_dsn(postgres_store).join(around)

    assert postgres_store.open(variables=postgres_store.through(dsn)).observe().snapshot.serial == 0


def test_a_connection_string_that_is_no_text_is_told_as_malformed(postgres_store: PostgresStore) -> None:
    error = refusal(postgres_store, "postgresql://planted:\udcffplanted@127.0.0.1/planted")

    assert error.message == "the variable WRITER_DSN does not hold a connection string of PostgreSQL"


def test_a_variable_of_libpq_does_not_lead_elsewhere(
    postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGHOSTADDR", "192.0.2.1")
    through = postgres_store.through(writer_dsn(postgres_store))

    assert postgres_store.open(variables=through).observe().snapshot.serial == 0


def test_a_variable_of_libpq_does_not_lead_to_the_state(
    postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = str(postgres_store.server.port)
    monkeypatch.setenv("PGPORT", port)
    error = refusal(postgres_store, writer_dsn(postgres_store).replace(f":{port}/", "/"))

    assert error.code == "E420_STATE_BACKEND_UNAVAILABLE"  # from whatever has the port 5432, or nothing


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "pg_service.conf"
    monkeypatch.setenv("PGSERVICEFILE", str(path))
    return path


def service(store: PostgresStore, host: str) -> str:
    assert store.writer is not None
    database = store.dsn.rpartition("/")[2]
    return (
        f"[planted-state]\nhost={host}\nport={store.server.port}\ndbname={database}\n"
        f"user={store.writer.name}\npassword={store.writer.password}\n"
    )


def test_a_service_may_say_where_a_state_is(postgres_store: PostgresStore, services: Path) -> None:
    services.write_text(service(postgres_store, "127.0.0.1"), "utf-8")
    backend = postgres_store.open(variables=postgres_store.through("service=planted-state"))

    assert apply(backend, HARVEST).snapshot.serial == 1


def test_a_service_has_one_server_too(postgres_store: PostgresStore, services: Path) -> None:
    services.write_text(service(postgres_store, "127.0.0.1,127.0.0.1"), "utf-8")
    error = refusal(postgres_store, "service=planted-state")

    assert error.message == "the connection string in WRITER_DSN names several hosts: a state has one server"


def test_a_password_may_stand_in_the_file_of_passwords(postgres_store: PostgresStore, tmp_path: Path) -> None:
    writer, path = postgres_store.writer, tmp_path / "passwords"
    assert writer is not None
    path.write_text(f"127.0.0.1:*:*:{writer.name}:{writer.password}\n", "utf-8")
    path.chmod(0o600)
    bare = writer_dsn(postgres_store).replace(f":{writer.password}@", "@")
    through = postgres_store.through(f"{bare}?passfile={path}")

    assert postgres_store.open(variables=through).observe().snapshot.serial == 0


UNTOLD: Mapping[str, tuple[str, str]] = {
    "options": (
        "{dsn}?options=-cplanted_setting%3Dplanted-value",
        'no connection to the server that WRITER_DSN names: unrecognized configuration parameter "***"',
    ),
    "a service": (
        "service=planted-service",
        'no connection to the server that WRITER_DSN names: definition of service "***" not found',
    ),
    "a mode of TLS": (
        "{dsn}?sslmode=planted",
        'no TLS connection of the kind that WRITER_DSN asks for: invalid sslmode value: "***"',
    ),
}


@pytest.mark.parametrize(("dsn", "message"), UNTOLD.values(), ids=UNTOLD)
def test_no_part_of_a_connection_string_is_told(
    postgres_store: PostgresStore, dsn: str, message: str
) -> None:
    error = refusal(postgres_store, dsn.format(dsn=writer_dsn(postgres_store)))

    assert error.message == message
    assert error.suggestion
    assert "planted" not in error.suggestion


def test_a_connection_that_stands_still_is_not_ended(
    postgres_server: PostgresServer, state_database: str
) -> None:
    role = postgres_server.create_role()
    store = PostgresStore(postgres_server, state_database, role).prepared()
    for setting in ("idle_session_timeout = '2min'", "transaction_timeout = '2min'"):
        postgres_server.run(f'ALTER ROLE "{role.name}" SET {setting}')
    with closing(store.open().session()) as session:
        names = ("idle_session_timeout", "transaction_timeout")
        found = [session.rows("read", "SELECT current_setting(%s)", (name,))[0][0] for name in names]

    assert found == ["0", "0"]


def as_pooler(answer: bytes) -> bytes:
    """Return what a server answers with the process that a pooler makes up for its clients."""
    kind = answer.find(b"K\x00\x00\x00")  # BackendKeyData: its length, the process, a secret
    return answer if kind < 0 else answer[: kind + 5] + b"\x00\x00\x00\x07" + answer[kind + 9 :]


def test_a_pooler_in_between_is_refused(postgres_store: PostgresStore) -> None:
    with cutting_proxy(writer_dsn(postgres_store)) as proxy:
        assert postgres_store.open(variables=postgres_store.through(proxy.dsn)).observe().snapshot.serial == 0
        proxy.answered = as_pooler
        error = refusal(postgres_store, proxy.dsn)

    assert (error.code, error.suggestion) == (
        "E420_STATE_BACKEND_UNAVAILABLE",
        "name the server itself, not the pooler",
    )
    assert error.message == (
        "between the program and the server that WRITER_DSN names is a connection pooler: the lock of a state is "
        "the connection, which must be its own"
    )
