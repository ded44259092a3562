"""The right to change a state in PostgreSQL: its lock, its rows, and that nobody else has touched either."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest
from postgres_states import PostgresStore, bounded
from services import until
from states import (
    ANOTHER,
    APPLES,
    HARVEST,
    OPERATION,
    PEARS,
    RECOVERY,
    apply,
    begin,
    carry_out,
    completed,
    failure,
    record,
    resolution,
    started,
)

from streamt_ol.deploy.state.errors import (
    LockLostError,
    LockTimeoutError,
    ReleaseUnverifiedError,
    StateConflictError,
    StateError,
    StateInvalidError,
    StateUnavailableError,
)
from streamt_ol.deploy.state.postgres.backend import PostgresBackend
from streamt_ol.deploy.state.records import Authority

ADDRESS = "streamt-state://postgres/team/orchard/dev"
BROKEN = "the lock of the state is lost: the connection that held it is broken"


def rows(store: PostgresStore, query: str) -> list[str]:
    return store.run(query).splitlines()


# What is written


def test_the_state_is_the_document_that_a_file_would_hold(postgres_store: PostgresStore) -> None:
    apply(postgres_store.open(), HARVEST)

    text = postgres_store.run("SELECT state_json FROM SCHEMA.current_state")
    assert json.loads(text)["resources"][APPLES]["physical_name"] == "apples.v1"
    assert text.startswith('{\n  "environment": "dev",\n  "project": "orchard",\n  "resources": {\n')
    assert rows(postgres_store, "SELECT revision, state_serial FROM SCHEMA.current_state") == ["1|1"]


def test_every_step_of_an_operation_is_an_event_of_the_history(postgres_store: PostgresStore) -> None:
    apply(postgres_store.open(), HARVEST)
    with postgres_store.open().authority(0) as authority:
        begin(authority, operation=ANOTHER)
        authority.clear_before_mutation()

    events = "SELECT event_index, event_kind, control_json::json ->> 'status' FROM SCHEMA.operation_history"
    assert rows(postgres_store, f"{events} WHERE operation_id = '{OPERATION}' ORDER BY 1") == [
        "0|intent|in_progress",
        "1|progress_started|in_progress",
        "2|progress_completed|in_progress",
        "3|progress_started|in_progress",
        "4|progress_completed|in_progress",
        "5|succeeded|clear",
    ]
    assert rows(postgres_store, f"{events} WHERE operation_id = '{ANOTHER}' ORDER BY 1") == [
        "0|intent|in_progress",
        "1|cleared_before_mutation|clear",
    ]
    assert rows(
        postgres_store, "SELECT revision, status FROM SCHEMA.operation_control WHERE environment = 'dev'"
    ) == ["8|clear"]


def test_every_state_that_there_was_is_in_the_history(postgres_store: PostgresStore) -> None:
    apply(postgres_store.open(), HARVEST)
    apply(postgres_store.open(), None, ANOTHER)
    apply(postgres_store.open(), {APPLES: record("apples.v1")}, ANOTHER)

    history = "SELECT revision, state_serial, operation_id FROM SCHEMA.state_history ORDER BY 1"
    assert rows(postgres_store, history) == [f"1|1|{OPERATION}", f"2|2|{ANOTHER}"]
    same = (
        "SELECT count(*) FROM SCHEMA.state_history h JOIN SCHEMA.current_state s USING (revision, state_json)"
    )
    assert rows(postgres_store, same) == ["1"]


def test_a_recovery_is_two_events_of_an_operation_of_its_own(postgres_store: PostgresStore) -> None:
    with postgres_store.open().authority(0) as authority:
        begin(authority, APPLES)
        authority.progress(started(0, APPLES))
        authority.require_recovery(failure())
    with postgres_store.open().authority(0) as authority:
        authority.resolve(HARVEST, resolution())

    query = (
        "SELECT operation_id, event_index, event_kind FROM SCHEMA.operation_history ORDER BY recorded_at, 2"
    )
    assert rows(postgres_store, query) == [
        f"{OPERATION}|0|intent",
        f"{OPERATION}|1|progress_started",
        f"{OPERATION}|2|recovery_required",
        f"{RECOVERY}|0|recovery_intended",
        f"{RECOVERY}|1|recovery_resolved",
    ]
    assert rows(postgres_store, "SELECT operation_id FROM SCHEMA.state_history") == [RECOVERY]


def test_an_operation_is_one_connection_and_reading_one_more(postgres_store: PostgresStore) -> None:
    with postgres_store.open().authority(0) as authority:
        carry_out(authority, APPLES)
        only_connection(postgres_store)
        authority.commit(HARVEST)

    until(lambda: connections(postgres_store) == [])


# The lock


def test_who_holds_the_lock_is_named_as_the_server_shows_it(postgres_store: PostgresStore) -> None:
    with postgres_store.open().authority(0):
        with pytest.raises(LockTimeoutError) as refused, postgres_store.open().authority(0.2):
            raise AssertionError
        pid, since = only_connection(
            postgres_store,
            "pid, to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
        ).split("|")
        status = postgres_store.open().lock_status()

    assert refused.value.message == (
        f"process {os.getpid()} on {socket.gethostname()}, connected since {since}, server process {pid}, "
        "holds the lock of the state; it was not free within 0.2 s"
    )
    assert (refused.value.code, refused.value.location) == ("E422_STATE_LOCK_TIMEOUT", "/deployment_state")
    assert status.status == "busy"
    assert status.process == {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "started_at": since,
        "running": True,
        "application": f"streamt-ol {os.getpid()}@{socket.gethostname()}",
        "backend_pid": int(pid),
    }
    assert postgres_store.open().lock_status() == ("available", None)


def test_another_program_that_holds_the_lock_is_named_too(postgres_store: PostgresStore) -> None:
    key = postgres_store.run("SELECT advisory_lock_key FROM SCHEMA.state_addresses WHERE environment = 'dev'")
    with closing(psycopg.connect(postgres_store.dsn, application_name="a tool", autocommit=True)) as other:
        other.execute(f"SELECT pg_advisory_lock({key})".encode())
        with pytest.raises(LockTimeoutError) as refused, postgres_store.open().authority(0):
            raise AssertionError
        pid = other.info.backend_pid

    # Of another role the server shows no more.
    assert refused.value.message == (
        f"'a tool', server process {pid}, holds the lock of the state; it was not free within 0 s"
    )


def test_looking_at_the_lock_takes_nothing_from_who_waits_for_it(postgres_store: PostgresStore) -> None:
    for _ in range(20):
        assert postgres_store.open().lock_status().status == "available"
        with postgres_store.open().authority(0) as authority:
            authority.check()


def connections(store: PostgresStore, shown: str = "pid") -> list[str]:
    """Return what the server shows of each connection of this process; for a moment it shows closed ones, too."""
    of_this = f"application_name LIKE 'streamt-ol {os.getpid()}@%'"
    return rows(store, f"SELECT {shown} FROM pg_stat_activity WHERE {of_this}")


def only_connection(store: PostgresStore, shown: str = "pid") -> str:
    until(lambda: len(connections(store)) == 1)
    (found,) = connections(store, shown)
    return found


def backend_pid(store: PostgresStore) -> str:
    return only_connection(store)


def terminated(store: PostgresStore) -> None:
    store.run(f"SELECT pg_terminate_backend({backend_pid(store)}, 5000)")


def begun(authority: Authority) -> None:
    begin(authority, APPLES)


def started_one(authority: Authority) -> None:
    begin(authority, APPLES)
    authority.progress(started(0, APPLES))


def all_done(authority: Authority) -> None:
    carry_out(authority, APPLES)


NEXT: dict[str, tuple[Callable[[Authority], object], Callable[[Authority], object], tuple[str, int]]] = {
    "before begin": (lambda _: None, lambda authority: begin(authority, APPLES), ("clear", 0)),
    "after begin": (begun, lambda authority: authority.progress(started(0, APPLES)), ("in_progress", 0)),
    "in an action": (
        started_one,
        lambda authority: authority.progress(completed(0, APPLES)),
        ("in_progress", 1),
    ),
    "before commit": (all_done, lambda authority: authority.commit(HARVEST), ("in_progress", 2)),
    "before a mark": (
        started_one,
        lambda authority: authority.require_recovery(failure()),
        ("in_progress", 1),
    ),
    "before a drop": (begun, lambda authority: authority.clear_before_mutation(), ("in_progress", 0)),
}


@pytest.mark.parametrize(("before", "step", "left"), NEXT.values(), ids=NEXT)
def test_a_connection_that_the_server_ends_takes_the_lock_with_it(
    postgres_store: PostgresStore,
    before: Callable[[Authority], object],
    step: Callable[[Authority], object],
    left: tuple[str, int],
) -> None:
    def work(authority: Authority) -> None:
        before(authority)
        terminated(postgres_store)
        step(authority)

    with pytest.raises(LockLostError) as refused, postgres_store.open().authority(0) as authority:
        work(authority)

    assert (refused.value.code, refused.value.message) == ("E423_STATE_LOCK_LOST", BROKEN)
    control = postgres_store.open().observe().control
    assert (control.status, len(control.progress)) == left
    with postgres_store.open().authority(0) as authority:
        authority.check()


def test_a_connection_that_ends_after_the_commit_fails_the_release(
    postgres_store: PostgresStore,
) -> None:
    def work(authority: Authority) -> None:
        carry_out(authority, APPLES)
        authority.commit(HARVEST)
        terminated(postgres_store)

    with pytest.raises(ReleaseUnverifiedError) as refused, postgres_store.open().authority(0) as authority:
        work(authority)

    assert refused.value.operation_id == OPERATION
    assert postgres_store.open().observe().snapshot.resources == HARVEST


def test_a_lock_that_was_given_back_behind_its_holder_is_lost(postgres_store: PostgresStore) -> None:
    def work(authority: Any) -> list[str]:
        begin(authority, APPLES)
        authority._session.rows("read", "SELECT pg_advisory_unlock_all()")  # noqa: SLF001 - as a pooler does
        return [refused_by(authority.check) for _ in range(2)]

    with pytest.raises(ReleaseUnverifiedError), postgres_store.open().authority(0) as authority:
        messages = work(authority)

    assert messages == ["the lock of the state is lost: the server does not hold it any more"] * 2
    assert postgres_store.open().observe().control.status == "in_progress"


def test_a_child_has_no_right_to_the_lock_of_its_parent(postgres_store: PostgresStore) -> None:
    with postgres_store.open().authority(0) as authority:
        reader, writer = os.pipe()
        if not os.fork():
            try:
                authority.check()
            except StateError as error:
                os.write(writer, error.message.encode())
            os._exit(0)
        os.close(writer)
        message = os.read(reader, 1000).decode()
        os.close(reader)
        os.wait()
        authority.check()

    assert message == "the lock of the state is lost: another process has taken it"


def refused_by(step: Callable[[], object]) -> str:
    with pytest.raises(LockLostError) as refused:
        step()
    return refused.value.message


# Others


def changed(store: PostgresStore, sql: str) -> StateError:
    """Change rows as their owner, then return why the state is not used."""
    store.run(sql)
    with pytest.raises(StateError) as refused:
        store.open().observe()
    return refused.value


STATE, CONTROL = "SCHEMA.current_state", "SCHEMA.operation_control"
TAMPERED = {
    "another state": (
        f"UPDATE {STATE} SET state_json = replace(state_json, 'apples.v1', 'apples.v2')",
        "the state is not the last one that was written",
    ),
    "another serial": (
        f"UPDATE {STATE} SET state_serial = 7",
        "the state is not the last one that was written",
    ),
    "an older state": (f"UPDATE {STATE} SET revision = 1", "the state is not the last one that was written"),
    "no state": (f"DELETE FROM {STATE}", "the state is not the last one that was written"),
    "a state more": (
        "INSERT INTO SCHEMA.state_history (namespace, project, environment, revision, state_serial, "
        "state_checksum, state_json) SELECT namespace, project, environment, 9, 9, '', '' FROM SCHEMA.current_state",
        "the state is not the last one that was written",
    ),
    "a control cleared": (
        f"UPDATE {CONTROL} SET status = 'clear' WHERE environment = 'dev'",
        "the column of the control is not that of its document",
    ),
    "an event less": (
        "DELETE FROM SCHEMA.operation_history WHERE event_kind = 'progress_completed'",
        "9 events were written, and the control counts 12",
    ),
    "another event": (
        "UPDATE SCHEMA.operation_history SET control_json = '' WHERE event_kind = 'progress_started' AND event_index = 1 AND operation_id = '22222222-2222-4222-8222-222222222222'",
        "the control is not the last event of its operation",
    ),
    "an operation made to go away": (
        f"UPDATE {CONTROL} SET status = 'clear', control_json = replace((SELECT control_json FROM {CONTROL} "
        "WHERE environment = 'prod'), '/prod', '/dev') WHERE environment = 'dev'",
        f"the operation {ANOTHER} did not end, and the control does not say so",
    ),
    "an operation more": (
        f"UPDATE {CONTROL} SET revision = revision + 1 WHERE environment = 'dev'; "
        "INSERT INTO SCHEMA.operation_history SELECT namespace, project, environment, "
        f"'{RECOVERY}', 0, event_kind, control_json FROM SCHEMA.operation_history "
        "WHERE event_kind = 'intent' LIMIT 1",
        f"the operation {RECOVERY} did not end, and the control does not say so",
    ),
    "no control": (f"DELETE FROM {CONTROL} WHERE environment = 'dev'", "it has no control"),
}


@pytest.mark.parametrize(("sql", "reason"), TAMPERED.values(), ids=TAMPERED)
def test_rows_that_contradict_their_history_are_not_used(
    postgres_store: PostgresStore, sql: str, reason: str
) -> None:
    apply(postgres_store.open(), HARVEST)
    apply(postgres_store.open(), {APPLES: record("apples.v1")})
    with postgres_store.open().authority(0) as authority:
        begin(authority, PEARS, operation=ANOTHER)
        authority.progress(started(0, PEARS, ANOTHER))
    error = changed(postgres_store, sql)

    assert (type(error), error.code) == (StateInvalidError, "E411_STATE_INVALID")
    assert error.message.endswith(f": {reason}")
    assert ADDRESS in error.message


def test_a_document_that_is_none_is_told_by_its_table(postgres_store: PostgresStore) -> None:
    apply(postgres_store.open(), HARVEST)
    postgres_store.run(
        "UPDATE SCHEMA.current_state SET state_json = '{}'; UPDATE SCHEMA.state_history SET state_json = '{}'"
    )
    with pytest.raises(StateInvalidError) as refused:
        postgres_store.open().observe()

    assert refused.value.place is not None
    assert refused.value.place.file == f"{postgres_store.schema}.current_state"


def test_what_is_written_without_the_lock_is_not_written_over(postgres_store: PostgresStore) -> None:
    with postgres_store.open().authority(0) as authority:
        begin(authority, APPLES)
        postgres_store.run(
            f"UPDATE {CONTROL} SET revision = 2 WHERE environment = 'dev'; "
            "INSERT INTO SCHEMA.operation_history SELECT namespace, project, environment, operation_id, 1, "
            "event_kind, control_json FROM SCHEMA.operation_history"
        )
        with pytest.raises(StateConflictError) as refused:
            authority.progress(started(0, APPLES))
        authority.check()

    assert (refused.value.code, refused.value.operation_id) == ("E424_STATE_CONFLICT", OPERATION)
    assert rows(postgres_store, f"SELECT revision FROM {CONTROL} WHERE environment = 'dev'") == ["2"]


@contextmanager
def row_held(store: PostgresStore) -> Iterator[None]:
    """Keep the rows of the control locked, as somebody does who knows nothing of this program."""
    with closing(psycopg.connect(store.dsn)) as other:
        other.execute(f"SELECT * FROM {store.schema}.operation_control FOR UPDATE".encode())
        yield


def test_a_row_that_somebody_keeps_is_waited_for_with_an_end(postgres_store: PostgresStore) -> None:
    with (
        postgres_store.open().authority(1) as authority,
        row_held(postgres_store),
        pytest.raises(StateUnavailableError) as refused,
    ):
        begin(authority, APPLES)

    assert refused.value.message == (
        "the server did not come to an end in time, and nothing was changed: "
        "canceling statement due to lock timeout"
    )
    assert postgres_store.open().observe().control.status == "clear"


def test_a_statement_has_an_end(postgres_store: PostgresStore) -> None:
    backend = PostgresBackend(postgres_store.settings(), bounded(statement_seconds=1))
    with backend.authority(30) as authority, row_held(postgres_store):
        with pytest.raises(StateUnavailableError) as refused:
            begin(authority, APPLES)
        authority.check()

    assert refused.value.message == (
        "the server did not come to an end in time, and nothing was changed: "
        "canceling statement due to statement timeout"
    )
    assert apply(postgres_store.open(), HARVEST).snapshot.serial == 1


def test_a_server_that_says_nothing_more_is_waited_for_with_an_end(postgres_store: PostgresStore) -> None:
    backend = PostgresBackend(postgres_store.settings(), bounded(answer_seconds=1, look_seconds=1))

    def work(authority: Authority) -> None:
        begin(authority, APPLES)
        with stopped(int(backend_pid(postgres_store))):
            authority.progress(started(0, APPLES))

    with pytest.raises(LockLostError) as refused, backend.authority(0) as authority:
        work(authority)

    assert refused.value.message == BROKEN


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Let a process of the server stand still, as on a machine that swaps."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_operations_of_several_addresses_do_not_disturb_each_other(postgres_store: PostgresStore) -> None:
    environments = [f"e{number}" for number in range(4)]
    for environment in environments:
        postgres_store.prepare(environment)
    problems: list[StateError] = []

    def work(environment: str) -> None:
        try:
            for _ in range(8):
                resource = f"streamt://orchard/{environment}/topic/apples"
                with postgres_store.open(environment).authority(0) as authority:
                    carry_out(authority, resource)
                    serial = authority.observe().snapshot.serial
                    authority.commit({resource: record(f"apples.v{serial}")})
        except StateError as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(environment,)) for environment in environments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert problems == []
    serials = {name: postgres_store.open(name).observe().snapshot.serial for name in environments}
    assert serials == dict.fromkeys(environments, 8)


def test_a_state_is_read_while_it_is_written(postgres_store: PostgresStore) -> None:
    seen: list[Any] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            observed = postgres_store.open().observe()
            seen.append((observed.snapshot.serial, observed.control.status))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(10):
        apply(postgres_store.open(), {APPLES: record(f"apples.v{number}")})
    done.set()
    reader.join()

    assert seen
    assert [serial for serial, _status in seen] == sorted(serial for serial, _status in seen)
    assert {status for _serial, status in seen} <= {"clear", "in_progress"}
