"""Commands of a project that shares its state in PostgreSQL, on a real server and a real broker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from applied import codes, kinds, to_log, told, topic, write_project
from brokers import Broker
from cutting_proxy import Cut, cutting_proxy
from golden_cases import source_path
from postgres_projects import SharedState, shared_state
from postgres_server import PostgresServer
from program import Done

JOBS = ("--emit-openlineage", "--openlineage-job-namespace", "jobs")


@pytest.fixture
def state(postgres_server: PostgresServer, tmp_path: Path) -> SharedState:
    """Return a state that is ready for use."""
    shared = shared_state(postgres_server)
    done = shared.init(shared.write(tmp_path / "init"))
    assert done.exit_status == 0, done.stdout
    return shared


@pytest.fixture
def prefix(broker: Broker) -> Iterator[str]:
    name = f"t-{os.urandom(6).hex()}"
    yield name
    admin = broker.admin()
    for gone in admin.delete_topics(
        [one for one in broker.topics() if one.startswith(name)] or ["-"]
    ).values():
        if gone.exception(30) is None:
            gone.result()


def apply(state: SharedState, folder: Path, *more: str | Path, **variables: str) -> Done:
    return state.streamt("apply", "-p", folder, *more, **variables)


def error(done: Done) -> dict[str, Any]:
    first: dict[str, Any] = told(done)["errors"][0]
    return first


# Making a store ready


def test_a_state_is_made_once_and_says_what_was_done(postgres_server: PostgresServer, tmp_path: Path) -> None:
    shared = shared_state(postgres_server)
    folder = shared.write(tmp_path / "p")
    before = [
        error(shared.streamt(*words, "-p", folder)) for words in (("state", "status"), ("plan",), ("apply",))
    ]
    unready = shared.streamt("state", "lock-status", "-p", folder)
    first, again = shared.init(folder), shared.init(folder)
    other = write_project(tmp_path / "other", deployment_state=shared.block, project={"name": "till"})
    till = "streamt-state://postgres/team/till/default"
    unregistered = shared.streamt("state", "lock-status", "-p", other)
    third = shared.init(other, address=till)

    assert [one["code"] for one in before] == ["E420_STATE_BACKEND_UNAVAILABLE"] * 3
    assert {one["message"] for one in before} == {f"there is no state store in the schema '{shared.schema}'"}
    assert {one["suggestion"] for one in before} == {
        "run `streamt state init` once, with a login that may create tables"
    }
    assert codes(unready) == ["E420_STATE_BACKEND_UNAVAILABLE"]
    store = shared.run("SELECT store_id FROM SCHEMA.store_metadata")
    common = {"schema": shared.schema, "store_id": store, "version": 2, "writer": shared.writer.name}
    assert [told(done)["data"] for done in (first, again, third)] == [
        {"address": shared.address, "outcome": "initialized", **common},
        {"address": shared.address, "outcome": "already_initialized", **common},
        {"address": till, "outcome": "address_registered", **common},
    ]
    assert told(unregistered)["data"] == {
        "address": till,
        "backend": "postgres",
        "lock": "unregistered",
        "process": None,
    }
    assert shared.status(folder)["serial"] == 0


def test_people_read_what_was_made(postgres_server: PostgresServer, tmp_path: Path) -> None:
    shared = shared_state(postgres_server)
    folder = shared.write(tmp_path / "p")
    done = shared.streamt("state", "init", "-p", folder, *shared.confirmations(), mode="text")
    store = shared.run("SELECT store_id FROM SCHEMA.store_metadata")

    assert (done.exit_status, done.stderr) == (0, "")
    assert done.stdout == (
        "The state store is made, and the address is registered.\n"
        f"address  {shared.address}\n"
        f"store    {store}, version 2, schema {shared.schema}\n"
        f"writer   {shared.writer.name}\n"
    )


@pytest.mark.parametrize(
    ("says", "location", "message"),
    [
        ({"schema": "public"}, "confirm_schema", "is not what the project says: {schema}"),
        (
            {"address": "streamt-state://postgres/team/shop/prod"},
            "confirm_address",
            "is not what the project says: streamt-state://postgres/team/shop/default",
        ),
        (
            {"database": "postgres"},
            "confirm_database",
            "is not the name of the database that STATE_DSN leads to",
        ),
    ],
)
def test_what_is_confirmed_otherwise_is_not_made(
    postgres_server: PostgresServer, tmp_path: Path, says: dict[str, str], location: str, message: str
) -> None:
    shared = shared_state(postgres_server)
    done = shared.init(shared.write(tmp_path / "p"), **says)

    assert done.exit_status == 1
    assert error(done)["code"] == "E503_ENVIRONMENT_ERROR"
    assert error(done)["location"] == location
    assert error(done)["message"] == message.format(schema=shared.schema)
    assert shared.run(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{shared.schema}'") == "0"


def test_local_state_needs_no_preparation(state: SharedState, tmp_path: Path) -> None:
    done = state.init(write_project(tmp_path / "p"))

    assert codes(done) == ["E421_REMOTE_STATE_REQUIRED"]


def test_a_state_without_a_writer_gets_one(postgres_server: PostgresServer, tmp_path: Path) -> None:
    shared = shared_state(postgres_server)
    alone = {**shared.block, "postgres": {"dsn_env": "STATE_DSN", "schema": shared.schema}}
    folder = shared.write(tmp_path / "p", deployment_state=alone)
    first = shared.init(folder)
    shared.write(folder)
    migrate = ("state", "migrate-postgres-v2", "-p", folder, *shared.confirmations())
    unready = shared.streamt("state", "status", "-p", folder)
    migrated, again = shared.streamt(*migrate), shared.streamt(*migrate)

    assert (told(first)["data"]["version"], told(first)["data"]["writer"]) == (1, None)
    assert codes(unready) == ["E420_STATE_BACKEND_UNAVAILABLE"]
    assert [told(done)["data"]["outcome"] for done in (migrated, again)] == ["migrated", "already_migrated"]
    assert shared.status(folder)["serial"] == 0


# The lock


def test_the_lock_is_told_without_taking_it(state: SharedState, tmp_path: Path) -> None:
    folder = state.write(tmp_path / "p")
    key = state.run("SELECT advisory_lock_key FROM SCHEMA.state_addresses")
    look = ("state", "lock-status", "-p", folder)
    free = state.streamt(*look, mode="text")
    with closing(
        psycopg.connect(state.variables["WRITER_DSN"], autocommit=True, application_name="ops")
    ) as other:
        other.execute(f"SELECT pg_advisory_lock({key})".encode())
        held = state.streamt(*look)
        refused = apply(state, folder, "--lock-timeout", "0.1")
        pid = other.info.backend_pid

    assert free.stdout == f"state  {state.address}\nlock   available: nobody holds it\n"
    process = told(held)["data"]["process"]
    assert (told(held)["data"]["lock"], process["backend_pid"], process["application"]) == (
        "busy",
        pid,
        "ops",
    )
    assert (held.exit_status, refused.exit_status) == (0, 1)
    assert error(refused)["code"] == "E422_STATE_LOCK_TIMEOUT"
    assert error(refused)["message"] == (
        f"'ops', connected since {process['started_at']}, server process {pid}, holds the lock of the state; "
        "it was not free within 0.1 s"
    )


def test_the_project_says_how_long_the_lock_is_waited_for(state: SharedState, tmp_path: Path) -> None:
    folder = state.write(tmp_path / "p", deployment_state={**state.block, "lock_timeout_seconds": 1})
    key = state.run("SELECT advisory_lock_key FROM SCHEMA.state_addresses")
    with closing(psycopg.connect(state.dsn, autocommit=True)) as other:
        other.execute(f"SELECT pg_advisory_lock({key})".encode())
        refused = apply(state, folder)

    assert error(refused)["message"].endswith("it was not free within 1 s")


def test_the_lock_of_local_state_is_told_too(tmp_path: Path, state: SharedState) -> None:
    folder = write_project(tmp_path / "p")
    done = state.streamt("state", "lock-status", "-p", folder)

    assert told(done)["data"] == {
        "address": "streamt-state://local/shop/default",
        "backend": "local",
        "lock": "available",
        "process": None,
    }
    assert not (folder / ".streamt").exists()


# Plan, apply, adopt, recover


def test_what_one_working_copy_applies_the_other_knows(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    one, two = (
        state.write(tmp_path / name, topic(f"{prefix}-a"), address=broker.address) for name in ("one", "two")
    )
    applied = apply(state, one)
    planned = told(state.streamt("plan", "-p", two))["data"]
    again = told(apply(state, two))["data"]

    assert applied.exit_status == 0
    data = told(applied)["data"]
    assert (data["committed"], data["state_serial"], "state_file" in data) == (True, 1, False)
    assert "warnings" not in told(applied)
    assert (planned["has_changes"], planned["state_serial"]) == (False, 1)
    assert again["summary"]["unchanged"] == 1
    assert state.names(two) == [f"{prefix}-a"]
    assert not (one / ".streamt").exists()
    assert not (two / ".streamt").exists()
    assert state.events() == [
        "intent",
        "progress_started",
        "progress_completed",
        "succeeded",
        "intent",
        "succeeded",
    ]


def test_a_saved_plan_is_applied_from_another_working_copy(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    one, two = (
        state.write(tmp_path / name, topic(f"{prefix}-a"), address=broker.address) for name in ("one", "two")
    )
    saved = tmp_path / "reviewed.json"
    assert state.streamt("plan", "-p", one, "--out", saved).exit_status == 0
    reference = json.loads(saved.read_text("utf-8"))["state"]
    applied = apply(state, two, "--plan", saved)
    stale = apply(state, one, "--plan", saved)

    assert reference == {
        "backend": "postgres",
        "store_id": state.run("SELECT store_id FROM SCHEMA.store_metadata"),
        "address": state.address,
        "serial": 0,
        "checksum": reference["checksum"],
    }
    assert (applied.exit_status, told(applied)["data"]["state_serial"]) == (0, 1)
    assert error(stale)["code"] == "E409_PLAN_STALE"
    assert "its state had the serial 0 and has 1 now" in error(stale)["message"]


def test_an_environment_that_takes_shared_state_only_takes_this_one(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    safe = {"prod": {"safety": {"require_remote_state": True}}}
    folder = state.write(tmp_path / "p", topic(f"{prefix}-a"), address=broker.address, environments=safe)
    prod = "streamt-state://postgres/team/shop/prod"
    assert state.init(folder, "-e", "prod", address=prod).exit_status == 0
    done = apply(state, folder, "-e", "prod", "--confirm")

    assert (done.exit_status, told(done)["data"]["state_serial"]) == (0, 1)


def test_an_adoption_is_shared(broker: Broker, state: SharedState, prefix: str, tmp_path: Path) -> None:
    name = broker.new_topic()
    folder = state.write(tmp_path / "p", topic(name, mode="adopted"), address=broker.address)
    done = state.streamt("adopt", f"topic:{name}", "-p", folder, "--confirm")

    assert done.exit_status == 0, done.stdout
    assert [one["ownership"] for one in state.status(folder)["resources"]] == ["adopted"]


def test_an_apply_that_fails_is_recovered_from_another_working_copy(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    bad = topic(f"{prefix}-b", config={"cleanup_policy": "nonsense"})
    one, two = (
        state.write(tmp_path / name, topic(f"{prefix}-a"), bad, address=broker.address)
        for name in ("one", "two")
    )
    failed = apply(state, one)
    blocked = apply(state, two)
    status = state.status(two)["operation_status"]
    file = tmp_path / "recovery.json"
    planned = state.streamt("state", "recovery-plan", "-p", two, "--resolution", "rolled_back", "--out", file)
    plan = json.loads(file.read_text("utf-8"))
    confirmed = [
        *("--confirm-operation-id", plan["blocked_operation_id"]),
        *("--confirm-resolution", plan["resolution"]),
        *("--confirm-evidence-checksum", plan["evidence_checksum"]),
    ]
    recover = ("state", "recover", "-p", two, "--plan", file, *confirmed)
    recovered, again = state.streamt(*recover), state.streamt(*recover)

    assert codes(failed) == ["E407_DEPLOY_ERROR"]
    assert codes(blocked) == ["E419_STATE_RECOVERY_REQUIRED"]
    assert (status["failure_code"], status["process"]) == ("runtime_action_failed", None)
    assert planned.exit_status == 0, planned.stdout
    assert [told(done)["data"]["already_recovered"] for done in (recovered, again)] == [False, True]
    assert state.events()[-2:] == ["recovery_intended", "recovery_resolved"]
    assert state.status(one)["operation_status"] == {"status": "clear"}


# Working copies at once


def test_of_copies_that_apply_at_once_one_wins_and_nothing_is_lost(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    copies = [
        state.write(tmp_path / f"host{number}", topic(f"{prefix}-{number}"), address=broker.address)
        for number in range(8)
    ]
    for turn in range(2):
        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda folder: apply(state, folder, "--lock-timeout", "120"), copies))

        assert [one.exit_status for one in done] == [0] * 8, [one.stdout for one in done]
        serials = sorted(told(one)["data"]["state_serial"] for one in done)
        assert serials == (list(range(1, 9)) if turn == 0 else [8] * 8)

    assert state.names(copies[0]) == sorted(f"{prefix}-{number}" for number in range(8))
    assert state.events().count("succeeded") == 16
    operations = [[], ["intent", "progress_started", "progress_completed", "succeeded"] * 8]
    assert state.events()[:32] == operations[1]  # one after the other, never one within another


def test_who_does_not_wait_is_refused_while_another_works(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    copies = [
        state.write(tmp_path / f"host{number}", topic(f"{prefix}-{number}"), address=broker.address)
        for number in range(8)
    ]
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda folder: apply(state, folder, "--lock-timeout", "0"), copies))

    won = [one for one in done if one.exit_status == 0]
    lost = [one for one in done if one.exit_status != 0]
    assert won
    assert {tuple(codes(one)) for one in lost} <= {("E422_STATE_LOCK_TIMEOUT",)}
    assert len(state.names(copies[0])) == len(won)


# Connections that break


BREAKS: dict[str, tuple[Cut, int, str, bool, list[str], str, int]] = {
    # cut, commit, code, committed, events, status, serial
    "begin, not sent": ("before", 1, "E423_STATE_LOCK_LOST", False, [], "clear", 0),
    "begin, written": ("after", 1, "E423_STATE_LOCK_LOST", False, [], "in_progress", 0),
    "started, written": ("after", 2, "E423_STATE_LOCK_LOST", False, ["START", "FAIL"], "in_progress", 0),
    "completed, not sent": ("before", 3, "E423_STATE_LOCK_LOST", False, ["START", "FAIL"], "in_progress", 0),
    "commit, not sent": ("before", 4, "E423_STATE_LOCK_LOST", False, ["START", "FAIL"], "in_progress", 0),
    "commit, in doubt": ("held", 4, "E425_STATE_UNKNOWN_OUTCOME", False, ["START", "FAIL"], "in_progress", 0),
    "commit, written": (
        "after",
        4,
        "E426_STATE_RELEASE_FAILED_AFTER_COMMIT",
        True,
        ["START", "COMPLETE"],
        "clear",
        1,
    ),
}


@pytest.mark.parametrize(
    ("cut", "at", "code", "committed", "sent", "status", "serial"), BREAKS.values(), ids=BREAKS
)
def test_a_connection_that_breaks_at_a_commit_is_told_as_what_it_left(
    broker: Broker,
    state: SharedState,
    prefix: str,
    tmp_path: Path,
    cut: Cut,
    at: int,
    code: str,
    committed: bool,  # noqa: FBT001 - a row of the table above
    sent: list[str],
    status: str,
    serial: int,
) -> None:
    folder = state.write(tmp_path / "p", topic(f"{prefix}-a"), address=broker.address)
    log = tmp_path / "log"
    with cutting_proxy(state.variables["WRITER_DSN"]) as proxy:
        proxy.cut, proxy.at = cut, at
        done = apply(state, folder, *JOBS, WRITER_DSN=proxy.dsn, **to_log(log))
        found = state.status(folder)

    assert (done.exit_status, codes(done)[0]) == (1, code)
    assert (kinds(log) if log.exists() else []) == sent
    assert told(done)["data"].get("committed", False) is committed
    assert (found["operation_status"]["status"], found["serial"]) == (status, serial)
    operation = state.run("SELECT operation_id FROM SCHEMA.operation_history LIMIT 1")
    assert error(done).get("operation_id") == (operation or error(done).get("operation_id"))
    assert (f"{prefix}-a" in broker.topics()) == (at > 2)
    shown = done.stdout + done.stderr
    assert state.writer.password not in shown
    assert str(proxy.target[1]) not in shown


def test_a_server_that_goes_away_in_an_apply_leaves_what_was_written(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    folder = state.write(tmp_path / "p", topic(f"{prefix}-a"), address=broker.address)
    with cutting_proxy(state.variables["WRITER_DSN"]) as proxy:
        proxy.cut, proxy.at, proxy.refusing = "before", 3, True
        done = apply(state, folder, WRITER_DSN=proxy.dsn)

    assert codes(done) == ["E425_STATE_UNKNOWN_OUTCOME"]
    operation = state.status(folder)["operation_status"]
    assert [one["status"] for one in operation["actions"]] == ["started"]
    assert f"{prefix}-a" in broker.topics()


# Refused, without a secret


def test_nothing_stands_in_for_a_state_that_is_not_reached(state: SharedState, tmp_path: Path) -> None:
    folder = state.write(tmp_path / "p", topic("orders"))
    variables = {
        **state.variables,
        "WRITER_DSN": "postgresql://planted:planted-secret@127.0.0.1:1/planted-db",
    }
    done = [
        state.streamt(*words, "-p", folder, variables=variables)
        for words in (
            ("plan",),
            ("apply",),
            ("state", "status"),
            ("state", "lock-status"),
            ("adopt", "topic:orders"),
            ("state", "recovery-plan", "--resolution", "observed", "--out", str(tmp_path / "out")),
        )
    ]

    assert [codes(one) for one in done[:4]] == [["E420_STATE_BACKEND_UNAVAILABLE"]] * 4
    assert [one.exit_status for one in done] == [1] * 6
    assert {error(one)["message"] for one in done[:4]} == {
        "no connection to the server that WRITER_DSN names: Connection refused"
    }
    assert error(done[0])["file"] == "stream_project.yml"
    assert all("planted" not in one.stdout + one.stderr for one in done)
    assert not (folder / ".streamt").exists()


def test_connection_strings_may_stand_in_a_dotenv_file(state: SharedState, tmp_path: Path) -> None:
    folder = state.write(tmp_path / "p")
    lines = [f'{name}="{text}"\n' for name, text in state.variables.items()]
    (folder / ".env").write_text("".join(lines), "utf-8")
    done = state.streamt("state", "status", "-p", folder, variables={})

    assert (done.exit_status, told(done)["data"]["serial"]) == (0, 0)


def test_a_driver_that_is_missing_is_named_with_what_installs_it(state: SharedState, tmp_path: Path) -> None:
    folder = state.write(tmp_path / "p")
    hiding = (
        "import sys; sys.modules['psycopg'] = None; from streamt_ol.cli.entry import main; main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", hiding, "state", "status", "-p", str(folder)],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(source_path()),
            **state.variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.splitlines()[0].endswith(
        "the state is kept in PostgreSQL, and the driver for it is not installed"
    )
    assert "pip install 'streamt-ol[postgres]'" in done.stderr
