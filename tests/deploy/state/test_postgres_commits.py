"""Commits that a server refuses, takes long for, or is interrupted in: deferred triggers stand for its reasons."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import closing
from typing import Any

import psycopg
import pytest
from brokers import until
from cutting_proxy import cutting_proxy
from postgres_server import PostgresServer, Role
from postgres_states import OWNER, PostgresStore, bounded
from states import (
    APPLES,
    HARVEST,
    OPERATION,
    apply,
    begin,
    carry_out,
    failure,
    started,
)

from streamt_ol.deploy.state.errors import (
    LockLostError,
    StateConflictError,
    StateError,
    StateUnavailableError,
    UnknownOutcomeError,
)
from streamt_ol.deploy.state.postgres.backend import PostgresBackend
from streamt_ol.deploy.state.records import Authority


def at_commit(store: PostgresStore, words: str) -> None:
    """Let every commit that writes a control do something first."""
    store.run(
        f"CREATE FUNCTION SCHEMA.at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {words}; RETURN NULL; END $$; "
        "CREATE CONSTRAINT TRIGGER at_commit AFTER UPDATE ON SCHEMA.operation_control "
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION SCHEMA.at_commit()"
    )


def refused_begin(backend: PostgresBackend) -> StateError:
    with backend.authority(0) as authority:
        with pytest.raises(StateError) as refused:
            begin(authority, APPLES)
        authority.check()
    return refused.value


REFUSALS = {
    "serialization": ("40001", StateConflictError, "somebody else wrote into the state at the same time"),
    "deadlock": ("40P01", StateConflictError, "somebody else wrote into the state at the same time"),
    "disk full": (
        "53100",
        StateUnavailableError,
        "the server has no room left, and nothing was changed: planned",
    ),
    "read only": (
        "25006",
        StateUnavailableError,
        "the database that WRITER_DSN names takes no changes at present",
    ),
    "forbidden": ("42501", StateUnavailableError, "the login of WRITER_DSN may not do that: planned"),
    "another": (
        "P0001",
        StateUnavailableError,
        "the server that WRITER_DSN names refuses a statement (P0001): planned",
    ),
}


@pytest.mark.parametrize(("state", "error", "words"), REFUSALS.values(), ids=REFUSALS)
def test_a_commit_that_is_refused_is_not_made_and_not_tried_again(
    postgres_store: PostgresStore, state: str, error: type[StateError], words: str
) -> None:
    postgres_store.run("CREATE SEQUENCE SCHEMA.tried; GRANT USAGE ON SCHEMA.tried TO PUBLIC")
    at_commit(
        postgres_store,
        f"PERFORM nextval('{postgres_store.schema}.tried'); RAISE EXCEPTION 'planned' USING ERRCODE = '{state}'",
    )
    refused = refused_begin(postgres_store.open())

    assert (type(refused), refused.operation_id) == (error, OPERATION)
    assert refused.message.startswith(words)
    assert postgres_store.run("SELECT last_value FROM SCHEMA.tried") == "1"
    assert postgres_store.open().observe().control.status == "clear"


def test_a_message_of_the_server_is_bounded_and_without_the_login(
    postgres_store: PostgresStore,
) -> None:
    assert postgres_store.writer is not None
    secret, name = postgres_store.writer.password, postgres_store.writer.name
    text = f"planned {secret} for {name}, password=other " + "x" * 1000
    at_commit(postgres_store, f"RAISE EXCEPTION '{text}'")
    message = refused_begin(postgres_store.open()).message

    assert secret not in message
    assert name not in message
    assert "other" not in message
    assert len(message) < 400


def test_a_commit_that_goes_on_without_its_client_is_waited_for(postgres_store: PostgresStore) -> None:
    at_commit(postgres_store, "PERFORM pg_sleep(5)")
    backend = PostgresBackend(postgres_store.settings(), bounded(answer_seconds=2))
    with pytest.raises(LockLostError) as refused, backend.authority(0) as authority:
        begin(authority, APPLES)

    assert refused.value.message.endswith("; this step of the operation is written")
    assert postgres_store.open().observe().control.status == "in_progress"


def test_a_commit_that_goes_on_for_too_long_is_not_known(postgres_store: PostgresStore) -> None:
    at_commit(postgres_store, "PERFORM pg_sleep(20)")
    backend = PostgresBackend(postgres_store.settings(), bounded(answer_seconds=1, look_seconds=1))
    with pytest.raises(UnknownOutcomeError), backend.authority(0) as authority:
        begin(authority, APPLES)
    ended = postgres_store.run(
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity "
        f"WHERE state = 'active' AND query = 'COMMIT' AND application_name LIKE 'streamt-ol {os.getpid()}@%'"
    )

    assert ended == "1"
    assert postgres_store.open().observe().control.status == "clear"


def interrupted_when_committing(store: PostgresStore) -> threading.Thread:
    """Send this process Ctrl-C once a commit is under way."""
    asked = (
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT' "
        f"AND application_name LIKE 'streamt-ol {os.getpid()}@%'"
    )

    def watch() -> None:
        until(lambda: store.run(asked) == "1")
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_ctrl_c_in_a_commit_leaves_an_operation_that_can_be_marked(postgres_store: PostgresStore) -> None:
    with postgres_store.open().authority(0) as authority:
        carry_out(authority, APPLES)
        at_commit(postgres_store, "IF new.status = 'clear' THEN PERFORM pg_sleep(20); END IF")
        watching = interrupted_when_committing(postgres_store)
        with pytest.raises(KeyboardInterrupt):
            authority.commit(HARVEST)
        watching.join()
        authority.check()
        authority.require_recovery(failure(0, "state_commit_uncertain"))

    observed = postgres_store.open().observe()
    assert (observed.control.status, observed.snapshot.serial) == ("recovery_required", 0)
    assert observed.control.recovery == failure(0, "state_commit_uncertain")


def test_ctrl_c_in_the_first_commit_leaves_nothing_to_drop(postgres_store: PostgresStore) -> None:
    at_commit(postgres_store, "PERFORM pg_sleep(20)")
    with postgres_store.open().authority(0) as authority:
        watching = interrupted_when_committing(postgres_store)
        with pytest.raises(KeyboardInterrupt):
            begin(authority, APPLES)
        watching.join()
        assert authority.observe().control.status == "clear"

    postgres_store.run("DROP TRIGGER at_commit ON SCHEMA.operation_control")
    assert apply(postgres_store.open(), HARVEST).snapshot.serial == 1


def test_a_step_after_ctrl_c_goes_on_from_what_is_written(postgres_store: PostgresStore) -> None:
    with postgres_store.open().authority(0) as authority:
        begin(authority, APPLES)
        at_commit(postgres_store, "PERFORM pg_sleep(20)")
        watching = interrupted_when_committing(postgres_store)
        with pytest.raises(KeyboardInterrupt):
            authority.progress(started(0, APPLES))
        watching.join()
        postgres_store.run("DROP TRIGGER at_commit ON SCHEMA.operation_control")
        drop(authority)

    assert postgres_store.open().observe().control.status == "clear"


def drop(authority: Authority) -> None:
    """Drop an operation: what was interrupted is not written, so nothing was started."""
    authority.clear_before_mutation()


def test_ctrl_c_before_a_commit_is_sent_leaves_no_transaction_open(
    postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = psycopg.Connection.execute

    def interrupted(connection: Any, query: Any, *more: Any) -> Any:
        if query == "COMMIT":
            raise KeyboardInterrupt
        return execute(connection, query, *more)

    with postgres_store.open().authority(0) as authority:
        with monkeypatch.context() as patched:
            patched.setattr(psycopg.Connection, "execute", interrupted)
            with pytest.raises(KeyboardInterrupt):
                begin(authority, APPLES)
        assert authority.observe().control.status == "clear"
        begin(authority, APPLES)
        authority.clear_before_mutation()


def test_a_connection_that_ends_in_a_step_ends_the_step(postgres_store: PostgresStore) -> None:
    postgres_store.run(
        "CREATE FUNCTION SCHEMA.at_once() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; "
        "CREATE TRIGGER at_once AFTER UPDATE ON SCHEMA.operation_control "
        "FOR EACH ROW EXECUTE FUNCTION SCHEMA.at_once()"
    )
    with pytest.raises(LockLostError) as refused, postgres_store.open().authority(0) as authority:
        begin(authority, APPLES)

    assert (refused.value.code, refused.value.operation_id) == ("E423_STATE_LOCK_LOST", OPERATION)
    assert refused.value.message == (
        "the connection that held the lock of the state broke before this step of the operation was written"
    )
    assert postgres_store.open().observe().control.status == "clear"


def test_a_connection_that_ends_while_a_step_compares_what_is_there_ends_the_step(
    postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = psycopg.Connection.execute

    def ended(connection: Any, query: Any, *more: Any) -> Any:
        if "FOR UPDATE" in str(query):
            postgres_store.run(f"SELECT pg_terminate_backend({connection.info.backend_pid})")
        return execute(connection, query, *more)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Connection, "execute", ended)
        with pytest.raises(LockLostError) as refused, postgres_store.open().authority(0) as authority:
            begin(authority, APPLES)

    assert (refused.value.code, refused.value.operation_id) == ("E423_STATE_LOCK_LOST", OPERATION)
    assert postgres_store.open().observe().control.status == "clear"


def test_a_connection_that_ends_while_it_reads_is_told(postgres_store: PostgresStore) -> None:
    with closing(postgres_store.open().session()) as session:
        with pytest.raises(StateUnavailableError) as refused:
            session.rows("read", "SELECT pg_terminate_backend(pg_backend_pid())")
        again = session.is_open

    assert refused.value.message == "the connection to the server that WRITER_DSN names broke"
    assert again is False


def test_a_store_whose_making_got_no_answer_is_asked_for_again(
    postgres_server: PostgresServer, state_database: str, state_writer: Role
) -> None:
    outcomes = []
    for cut in ("before", "after"):
        store = PostgresStore(postgres_server, state_database, state_writer)
        with cutting_proxy(store.dsn) as proxy:
            proxy.cut, proxy.at = cut, 1  # type: ignore[assignment]
            with pytest.raises(UnknownOutcomeError) as refused:
                store.prepare(variables={**store.variables, OWNER: proxy.dsn})
        assert refused.value.code == "E425_STATE_UNKNOWN_OUTCOME"
        outcomes.append(store.prepare().outcome)

    assert outcomes == ["initialized", "already_initialized"]
