"""The state of a project as people read it, while a real process works on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from golden_cases import ROOT, source_path
from program import run_streamt

from streamt_ol.cli.state_status import process_words

PROJECT = "apiVersion: streamt.dev/v1alpha1\nproject: {name: orchard}\n"
ENVIRONMENT = "environment: {name: dev}\nruntime: {kafka: {bootstrap_servers: 'broker.example:9092'}}\n"


def status(folder: Path) -> dict[str, Any]:
    done = run_streamt("-o", "json", "state", "status", "-p", folder, "-e", "dev")
    assert (done.exit_status, done.stderr) == (0, "")
    operation: dict[str, Any] = json.loads(done.stdout)["data"]["operation_status"]
    return operation


def test_a_running_operation_is_waited_for_and_a_killed_one_recovered(tmp_path: Path) -> None:
    (tmp_path / "stream_project.yml").write_text(PROJECT, "utf-8")
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "dev.yml").write_text(ENVIRONMENT, "utf-8")
    process = subprocess.Popen(
        [sys.executable, ROOT / "tests/support/state_driver.py", tmp_path, "begin"],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path())},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        files = sorted(path.name for path in (tmp_path / ".streamt/state").iterdir())
        running = status(tmp_path)
    finally:
        process.kill()
        process.communicate()
    killed = status(tmp_path)

    assert running["process"]["pid"] == killed["process"]["pid"] == process.pid
    assert (running["process"]["running"], killed["process"]["running"]) == (True, False)
    assert (running["next_step"], killed["next_step"]) == (
        "wait for its process to end, then look again",
        "`streamt state recovery-plan --resolution observed --out FILE` looks at what is there",
    )
    different = {"process", "next_step"}
    assert {key: value for key, value in running.items() if key not in different} == {
        key: value for key, value in killed.items() if key not in different
    }
    assert running["status"] == "in_progress"
    assert [action["status"] for action in running["actions"]] == ["started"]
    assert sorted(path.name for path in (tmp_path / ".streamt/state").iterdir()) == files


def test_a_holder_of_which_the_server_does_not_say_since_when_is_told_without_it() -> None:
    holder = {"pid": 4711, "host": "build-7", "started_at": None, "running": True}

    assert process_words(holder) == "process 4711 on build-7, is at work"
