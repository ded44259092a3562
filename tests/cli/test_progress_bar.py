"""The progress of long work: on a terminal only, only after a second, and gone when the work is done."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple

import pytest
from golden_cases import GOLDEN, source_path

from streamt_ol.cli import exporting
from streamt_ol.cli.exporting import ExportRequest, export_project
from streamt_ol.cli.face import Face
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.ground.watching import nobody
from streamt_ol.lineage import exporting as lines_exporting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from streamt_ol.ground.watching import Watch

DRAWN = b"Checking lines"
CURSOR_SHOWN = b"\x1b[?25h"
LINE_WIPED = b"\x1b[2K"


class Watched(NamedTuple):
    """A check of standard input whose stderr is a terminal."""

    process: subprocess.Popen[bytes]
    terminal: int

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read_until(self, text: bytes) -> bytes:
        shown = b""
        while text not in shown:
            shown += os.read(self.terminal, 4096)
        return shown

    def finish(self) -> bytes:
        """End the input, and return what the terminal shows until the program has ended."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait() == 0
        shown = b""
        try:
            while more := os.read(self.terminal, 4096):
                shown += more
        except OSError:  # how Linux says that nobody has the other end any more
            return shown
        return shown


@contextmanager
def checking(*options: str, **environment: str) -> Iterator[Watched]:
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamt_ol", *options, "events", "check", "-"],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path())} | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=end,
    )
    os.close(end)
    try:
        yield Watched(process, terminal)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.kill()
        process.wait()
        os.close(terminal)


def test_work_of_more_than_a_second_is_shown_on_a_terminal_and_wiped_when_it_ends() -> None:
    with checking() as watched:
        watched.write(b"\n\n\n")
        shown = watched.read_until(DRAWN)
        shown += watched.read_until(b" 3 ")
        shown += watched.finish()

    assert shown.endswith(LINE_WIPED)
    assert CURSOR_SHOWN in shown


def test_work_of_less_than_a_second_leaves_a_terminal_untouched() -> None:
    with checking() as watched:
        assert watched.finish() == b""


def test_the_terminal_is_left_clean_when_the_work_is_interrupted() -> None:
    with checking() as watched:
        watched.write(b"\n")
        watched.read_until(DRAWN)
        watched.process.send_signal(2)
        shown = watched.read_until(b"E591_INTERRUPTED")

    assert CURSOR_SHOWN in shown
    assert shown.index(CURSOR_SHOWN) < shown.index(b"ERROR: E591_INTERRUPTED")


class Terminal(io.StringIO):
    """Says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stderr", "quiet", "term"),
    [
        (None, False, "xterm"),
        (io.StringIO(), False, "xterm"),
        (Terminal(), True, "xterm"),
        (Terminal(), False, "dumb"),
    ],
    ids=["closed", "no terminal", "quiet", "dumb"],
)
def test_nothing_is_watched_where_nothing_may_be_shown(
    stderr: io.StringIO | None, *, quiet: bool, term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setenv("TERM", term)

    with shown_progress(quiet=quiet) as watch:
        assert watch is nobody


def test_an_export_tells_its_files_and_its_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int, int | None]] = []

    @contextmanager
    def listening(*, quiet: bool) -> Iterator[Watch]:
        assert not quiet
        yield lambda *what: told.append(what)

    monkeypatch.setattr(exporting, "shown_progress", listening)
    monkeypatch.setattr(lines_exporting, "CHUNK", 1)
    request = ExportRequest(
        directory=GOLDEN / "bike-share" / "project",
        environment=None,
        process_environment={},
        namespaces={"job_namespace": "jobs"},
        output_file=str(tmp_path / "events.jsonl"),
        event_time="2026-01-02T03:04:05Z",
        now=datetime(2026, 1, 2, tzinfo=timezone.utc),
    )

    result = export_project(request, Face())

    assert result.exit_status == 0
    assert result.data["counts"]["total"] == 7
    assert told == [
        *(("Reading files", number, 7) for number in range(7)),
        ("Compiling models", 0, None),
        *(("Checking events", number, None) for number in range(8)),
    ]
