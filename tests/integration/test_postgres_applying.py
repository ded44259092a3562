"""An apply with run events whose state is in PostgreSQL: what is written when each event is sent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from applied import JOBS, codes, events, kinds, to_log, told, topic
from brokers import Broker, noida_broker, until
from postgres_projects import SharedState, shared_state
from postgres_server import PostgresServer
from program import Done, in_background

from streamt_ol.cli.entry import main


@pytest.fixture
def state(postgres_server: PostgresServer, tmp_path: Path) -> SharedState:
    """Return a state that is ready for use."""
    shared = shared_state(postgres_server)
    assert shared.init(shared.write(tmp_path / "init")).exit_status == 0
    return shared


@pytest.fixture
def prefix(broker: Broker) -> Iterator[str]:
    name = f"t-{os.urandom(6).hex()}"
    yield name
    there = [one for one in broker.topics() if one.startswith(name)]
    admin = broker.admin()
    for gone in admin.delete_topics(there).values() if there else ():
        gone.result(30)


@contextmanager
def asking(ask: Callable[[], str]) -> Iterator[tuple[dict[str, str], list[tuple[str, str]]]]:
    """Run a server for events that asks a question at each; give the variables for it, and the answers."""
    heard: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            heard.append((body["eventType"], ask()))
            self.send_response(201)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            """Tell nobody."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield (
                {
                    "OPENLINEAGE__TRANSPORT__TYPE": "http",
                    "OPENLINEAGE__TRANSPORT__URL": f"http://127.0.0.1:{server.server_address[1]}",
                    "OPENLINEAGE__TRANSPORT__ENDPOINT": "api/v1/lineage",
                },
                heard,
            )
        finally:
            server.shutdown()
            thread.join(10)


WRITTEN = """
SELECT c.status, json_array_length(c.control_json::json -> 'progress'), coalesce(max(s.state_serial), 0),
       count(DISTINCT l.pid)
FROM SCHEMA.operation_control c LEFT JOIN SCHEMA.current_state s USING (namespace, project, environment)
JOIN SCHEMA.state_addresses a USING (namespace, project, environment)
LEFT JOIN pg_locks l ON l.locktype = 'advisory' AND l.granted
AND (l.classid::bigint << 32 | l.objid::bigint) = a.advisory_lock_key
GROUP BY 1, 2
"""
"""Status, words of progress, serial, and how many hold the lock."""


def apply(state: SharedState, folder: Path, *more: str | Path, **variables: str) -> Done:
    return state.streamt("apply", "-p", folder, *more, **variables)


def test_an_event_is_sent_when_what_it_says_is_written(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    folder = state.write(tmp_path / "p", topic(f"{prefix}-a"), address=broker.address)
    with asking(lambda: state.run(WRITTEN)) as (variables, heard):
        done = apply(state, folder, *JOBS, **variables)

    assert done.exit_status == 0, done.stdout
    assert heard == [("START", "in_progress|0|0|1"), ("COMPLETE", "clear|0|1|1")]


def test_a_failure_is_sent_when_its_marker_is_written(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    bad = topic(f"{prefix}-b", config={"cleanup_policy": "planted-nonsense"})
    folder = state.write(tmp_path / "p", topic(f"{prefix}-a"), bad, address=broker.address)
    with asking(lambda: state.run(WRITTEN)) as (variables, heard):
        done = apply(state, folder, *JOBS, **variables)

    assert (done.exit_status, codes(done)) == (1, ["E407_DEPLOY_ERROR"])
    assert heard == [("START", "in_progress|0|0|1"), ("FAIL", "recovery_required|4|0|1")]
    assert state.status(folder)["operation_status"]["failure_code"] == "runtime_action_failed"


def test_the_run_is_the_operation_and_says_nothing_of_its_place(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    folder = state.write(tmp_path / "p", topic(f"{prefix}-a"), address=broker.address)
    done = apply(state, folder, *JOBS, **to_log(log))
    again = apply(state, folder, *JOBS, **to_log(log))

    sent = events(log)
    assert kinds(log) == ["START", "COMPLETE"] * 2
    intents = json.loads(
        state.run(
            "SELECT json_agg(control_json::json -> 'intent' ORDER BY recorded_at) "
            "FROM SCHEMA.operation_history WHERE event_kind = 'intent'"
        )
    )
    assert [intent["operation_id"] for intent in intents] == [
        told(one)["data"]["operation_id"] for one in (done, again)
    ]
    assert [event["run"]["runId"] for event in sent] == [
        intent["operation_id"] for intent in intents for _ in range(2)
    ]
    assert [event["eventTime"] for event in sent[::2]] == [intent["started_at"] for intent in intents]
    text = log.read_text("utf-8")
    for part in (prefix, "postgres", state.schema, state.database, state.writer.name, "team", str(folder)):
        assert part not in text


INVALID = {
    "OPENLINEAGE_DISABLED": "perhaps",
    "OPENLINEAGE_URL": "http://user:planted-password@lineage.example",
    "OPENLINEAGE_CONFIG": "nowhere.yml",
}


def test_without_the_flag_nothing_of_run_events_is_looked_at(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    folder = state.write(tmp_path / "p", topic(f"{prefix}-a"), address=broker.address)
    done = apply(state, folder, **INVALID)

    assert (done.exit_status, told(done)["data"]["state_serial"]) == (0, 1)
    assert "planted" not in done.stdout + done.stderr


def test_what_ends_before_the_intent_leaves_nothing_and_sends_nothing(
    broker: Broker, state: SharedState, prefix: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    folder = state.write(tmp_path / "p", topic(f"{prefix}-a"), address=broker.address)
    (tmp_path / "no.plan").write_text("{}", "utf-8")
    unsound = state.write(tmp_path / "q", topic(f"{prefix}-a"), topic(f"{prefix}-a"), address=broker.address)
    done = [
        apply(state, folder, *JOBS, "--dry-run", **to_log(log)),
        apply(state, folder, *JOBS, "--plan", tmp_path / "no.plan", **to_log(log)),
        apply(state, folder, *JOBS, "--target", "nobody", **to_log(log)),
        apply(state, folder, "--emit-openlineage", **to_log(log)),
        apply(state, folder, *JOBS, **INVALID),
        apply(state, unsound, *JOBS, **to_log(log)),
    ]

    assert [one.exit_status for one in done] == [0, 1, 1, 1, 1, 1]
    assert [code for one in done[1:5] for code in codes(one)] == [
        "E408_PLAN_FILE_INVALID",
        "E501_PARSE_ERROR",
        "E506_OPENLINEAGE_INVALID",
        "E506_OPENLINEAGE_INVALID",
    ]
    assert not log.exists()
    assert state.events() == []
    assert f"{prefix}-a" not in broker.topics()


def applying(state: SharedState, folder: Path, log: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Run an apply with events in JSON mode in the background."""
    asked = ("--output", "json", "apply", "-p", folder, *JOBS)
    return in_background(*asked, environment={**state.variables, **to_log(log)})


STARTED = "SELECT count(*) FROM SCHEMA.operation_history WHERE event_kind = 'progress_started'"


def interfered(
    state: SharedState, tmp_path: Path, interfere: Callable[[subprocess.Popen[bytes]], object]
) -> tuple[int, dict[str, Any], Path, Path]:
    """Do something while an action waits for its broker; return status, envelope, log and project."""
    log, folder = tmp_path / "log", tmp_path / "p"
    (tmp_path / "broker").mkdir()
    with noida_broker(tmp_path / "broker") as own:
        state.write(folder, *(topic(f"t{number}") for number in range(40)), address=own.address)
        with applying(state, folder, log) as process:
            until(lambda: state.run(STARTED) != "0")
            own.process.send_signal(signal.SIGSTOP)
            interfere(process)
            own.process.send_signal(signal.SIGCONT)
            stdout, _stderr = process.communicate(timeout=60)
    return process.returncode, json.loads(stdout), log, folder


def test_ctrl_c_in_an_action_aborts_after_the_marker(state: SharedState, tmp_path: Path) -> None:
    status, envelope, log, folder = interfered(
        state, tmp_path, lambda process: process.send_signal(signal.SIGINT)
    )

    assert (status, [one["code"] for one in envelope["errors"]]) == (130, ["E591_INTERRUPTED"])
    operation = state.status(folder)["operation_status"]
    assert (operation["status"], operation["failure_code"]) == ("recovery_required", "operation_interrupted")
    assert operation["operation_id"] == envelope["errors"][0]["operation_id"]
    assert kinds(log) == ["START", "ABORT"]
    assert state.events()[-1] == "recovery_required"


def test_a_lock_that_is_lost_in_an_action_leaves_it_in_progress(state: SharedState, tmp_path: Path) -> None:
    end = (
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        f"WHERE usename = '{state.writer.name}' AND application_name LIKE 'streamt-ol %'"
    )
    status, envelope, log, folder = interfered(state, tmp_path, lambda _process: state.run(end))

    assert (status, [one["code"] for one in envelope["errors"]]) == (1, ["E423_STATE_LOCK_LOST"])
    assert envelope["data"]["operation_status"] == "in_progress"
    operation = state.status(folder)["operation_status"]
    assert (operation["status"], operation["process"]) == ("in_progress", None)
    assert operation["operation_id"] == envelope["errors"][0]["operation_id"]
    assert operation["next_step"].startswith("`streamt state recovery-plan --resolution observed")
    assert kinds(log) == ["START", "FAIL"]


def test_an_operation_at_work_is_told_with_its_connection(
    state: SharedState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[Any] = []
    for name, value in state.variables.items():
        monkeypatch.setenv(name, value)

    def shown(mode: str) -> str:
        """Return what is told by this process: the apply waits ten seconds, and one more may take longer."""
        with pytest.raises(SystemExit) as ended:
            main(["--output", mode, "state", "status", "-p", str(tmp_path / "p")])
        assert ended.value.code == 0
        return capsys.readouterr().out

    def look(process: subprocess.Popen[bytes]) -> None:
        text = shown("text")
        seen.extend([process.pid, json.loads(shown("json"))["data"]["operation_status"], text])

    status, _envelope, _log, folder = interfered(state, tmp_path, look)

    pid, operation, text = seen
    assert status == 0
    assert (operation["process"]["pid"], operation["process"]["running"]) == (pid, True)
    assert operation["next_step"] == "wait for its process to end, then look again"
    assert f"process {pid} on {operation['process']['host']}, since" in text
    assert "is at work" in text
    assert state.status(folder)["resource_count"] == 40
