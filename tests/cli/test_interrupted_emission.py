"""An interruption by the user while START is on its way to a server that does not answer: a real SIGINT."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
from golden_cases import source_path

PROJECT = {
    "apiVersion": "streamt.dev/v1alpha1",
    "project": {"name": "shop"},
    "runtime": {"kafka": {"bootstrap_servers": "broker.example:9092"}},
    "sources": [{"name": "orders", "topic": "orders.v1", "columns": [{"name": "id", "type": "STRING"}]}],
    "tests": [{"name": "shape", "model": "orders", "type": "schema", "assertions": []}],
}
ACCEPTED = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
COMMAND = ("--output", "json", "test", "--emit-openlineage", "--openlineage-job-namespace", "jobs")
SECONDS = 60


def received(connection: socket.socket) -> dict[str, Any]:
    """Return the event that a connection brings, as soon as it is there as a whole."""
    connection.settimeout(SECONDS)
    data = b""
    while not data.endswith(b"}\n"):
        piece = connection.recv(65536)
        assert piece
        data += piece
    event: dict[str, Any] = orjson.loads(data.partition(b"\r\n\r\n")[2])
    return event


def test_a_command_that_is_interrupted_while_start_is_sent_aborts_its_run(tmp_path: Path) -> None:
    (tmp_path / "stream_project.yml").write_text(json.dumps(PROJECT), "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(SECONDS)
        transport = {"TYPE": "http", "URL": f"http://127.0.0.1:{server.getsockname()[1]}", "ENDPOINT": "api"}
        command = subprocess.Popen(
            [sys.executable, "-m", "streamt_ol", *COMMAND, "--project-dir", tmp_path],
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": os.pathsep.join(source_path()),
                **{f"OPENLINEAGE__TRANSPORT__{name}": value for name, value in transport.items()},
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            silent, _address = server.accept()
            with silent:
                start = received(silent)
                command.send_signal(signal.SIGINT)
                answered, _address = server.accept()
                with answered:
                    end = received(answered)
                    answered.sendall(ACCEPTED)
                stdout, _stderr = command.communicate(timeout=SECONDS)
        finally:
            command.kill()
            command.communicate()

    assert (start["eventType"], end["eventType"]) == ("START", "ABORT")
    assert start["run"] == end["run"]
    assert command.returncode == 130
    shown = json.loads(stdout)
    assert shown["status"] == "error"
    assert [error["code"] for error in shown["errors"]] == ["E591_INTERRUPTED"]
    assert "warnings" not in shown
