"""Projects to apply, and what an apply leaves behind."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden_cases import source_path
from program import Done, run_streamt

JOBS = ("--emit-openlineage", "--openlineage-job-namespace", "jobs")
_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "PYTHONPATH": os.pathsep.join(source_path()),
    "TERM": "dumb",
}
NOWHERE = "broker.invalid:9092"


def topic(name: str, partitions: int = 1, *, mode: str = "managed", **more: Any) -> dict[str, Any]:
    """Return a model that is a topic; `more` are its settings, `_` for the dots of their names."""
    config = {key.replace("_", "."): value for key, value in more.pop("config", {}).items()}
    block = {"partitions": partitions, "config": config}
    return {"name": name, "materialized": "topic", "topic": block, "ownership": {"mode": mode}, **more}


def write_project(
    folder: Path,
    *models: Mapping[str, Any],
    address: str = NOWHERE,
    environments: Mapping[str, Mapping[str, Any]] | None = None,
    services: Mapping[str, Any] | None = None,
    **more: Any,
) -> Path:
    """Write a project; with environments, each has the address and what the mapping says of it.

    `services` are those of the runtime beside Kafka.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runtime = {"kafka": {"bootstrap_servers": address}, **(services or {})}
    document = {
        "apiVersion": "streamt.dev/v1alpha1",
        "project": {"name": "shop"},
        "models": list(models),
        **more,
    }
    if environments is None:
        document["runtime"] = runtime
    for name, says in (environments or {}).items():
        (folder / "environments").mkdir(exist_ok=True)
        content = json.dumps({"runtime": runtime, **says})
        (folder / "environments" / f"{name}.yml").write_text(content, "utf-8")
    (folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")
    return folder


def to_log(log: Path) -> dict[str, str]:
    """Return the variables that send run events to a file."""
    return {
        "OPENLINEAGE__TRANSPORT__TYPE": "file",
        "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(log),
    }


def apply(folder: Path, *arguments: str | Path, environment: Mapping[str, str] | None = None) -> Done:
    """Run `streamt apply` in JSON mode."""
    return run_streamt("--output", "json", "apply", "-p", folder, *arguments, environment=environment)


def told(done: Done) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(done.stdout)
    return envelope


def codes(done: Done) -> list[str]:
    return [error["code"] for error in told(done).get("errors", ())]


def state_files(folder: Path) -> set[str]:
    """Return the files of the state that say something: the lock file says nothing."""
    return {path.name for path in folder.glob(".streamt/state/*.json")}


def control(folder: Path, environment: str = "default") -> dict[str, Any]:
    path = folder / ".streamt" / "state" / f"{environment}.control.json"
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def state(folder: Path, environment: str = "default") -> dict[str, Any]:
    path = folder / ".streamt" / "state" / f"{environment}.json"
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def events(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def kinds(log: Path) -> list[str]:
    return [event["eventType"] for event in events(log)]


def answer(text: str, *arguments: str | Path) -> tuple[int, str]:
    """Run the program where somebody types a line at a terminal; return its status and all that it shows."""
    terminal, side = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamt_ol", *map(str, arguments)],
            env=_ENVIRONMENT,
            stdin=side,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        os.write(terminal, f"{text}\n".encode())
        shown, _ = process.communicate(timeout=300)
    finally:
        os.close(side)
        os.close(terminal)
    return process.returncode, shown.decode()


def at_terminal(*arguments: str | Path) -> tuple[int, str]:
    """Run the program with its stderr on a terminal; return its status and what it shows there."""
    terminal, side = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamt_ol", *map(str, arguments)],
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=side,
            start_new_session=True,
        )
        os.close(side)
        shown = b""
        while part := _read(terminal):
            shown += part
        status = process.wait(300)
    finally:
        os.close(terminal)
    return status, shown.decode()


def _read(terminal: int) -> bytes:
    """Return what a terminal shows next; nothing once nobody writes to it any more."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
