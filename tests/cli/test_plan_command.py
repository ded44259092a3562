"""How `streamt plan` shows a plan: on a terminal, to a pipe, and whatever names the project has."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from checked import write_project
from golden_cases import GOLDEN, source_path
from program import run_streamt
from terminals import read_all

BAKERY = GOLDEN / "bakery-plans" / "project"
OFFLINE = ("plan", "--offline")


def on_a_terminal(*arguments: str | Path, **variables: str) -> str:
    """Return what the program shows on a terminal."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamt_ol", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=end,
        stderr=subprocess.DEVNULL,
        env={
            "PATH": os.environ["PATH"],
            "TERM": "xterm",
            "COLUMNS": "40",
            "PYTHONPATH": os.pathsep.join(source_path()),
            **variables,
        },
    )
    os.close(end)
    shown = read_all(terminal)
    assert process.wait(60) == 0
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_shows_a_plan_in_colours_and_leaves_its_lines_whole() -> None:
    shown = on_a_terminal(*OFFLINE, "--env", "dev", "-p", BAKERY)

    assert "\x1b[32m+ topic bakery.loaves.sold\x1b[0m\n" in shown
    assert (
        "\x1b[1;31m! never done: nobody looked whether Gateway rule 'orders.masked' is there and this project's "
        "own\x1b[0m\n    what helps: plan online, without --offline\n"
    ) in shown


def test_without_colours_a_terminal_shows_what_a_pipe_gets() -> None:
    plain = run_streamt(*OFFLINE, "--env", "dev", "-p", BAKERY).stdout

    assert on_a_terminal(*OFFLINE, "--env", "dev", "-p", BAKERY, NO_COLOR="1") == plain


def test_names_cannot_steer_a_terminal(tmp_path: Path) -> None:
    topic = {"name": "red\x1b[31m", "config": {"x\ny": "a\u202eb"}}
    folder = write_project(tmp_path, models=[{"name": "orders_v2", "topic": topic}])
    lines = run_streamt(*OFFLINE, "-p", folder).stdout.splitlines()

    assert lines[4] == "+ topic red\\x1b[31m"
    assert lines[7] == "    config.x\\ny          a\\u202eb"


@pytest.mark.parametrize("out", ["", "-", "plans/"])
def test_a_file_that_is_none_is_refused_before_the_project_is_read(tmp_path: Path, out: str) -> None:
    done = run_streamt(*OFFLINE, "-p", tmp_path, "--out", out)

    assert done.exit_status == 1
    assert done.stderr.startswith("ERROR: E408_PLAN_FILE_INVALID at out: ")


def test_a_plan_that_cannot_be_saved_fails_and_is_not_shown(tmp_path: Path) -> None:
    folder = write_project(tmp_path, models=[{"name": "orders_v2"}])
    (tmp_path / "file").touch()
    done = run_streamt(*OFFLINE, "-p", folder, "--out", tmp_path / "file" / "a.plan")

    assert (done.exit_status, done.stdout) == (1, "")
    assert "E408_PLAN_FILE_INVALID at out" in done.stderr
