"""`streamt golden review` on a real terminal: a pseudo-terminal, with keys typed into it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest
from golden_cases import source_path
from golden_suite import Suite

PROMPT = "? "


class Terminal:
    """A review under way: what it shows until it asks, and what is typed."""

    def __init__(self, suite: Suite, *names: str) -> None:
        self._master, slave = pty.openpty()
        self._program = subprocess.Popen(
            [sys.executable, "-m", "streamt_ol", "golden", "review", "--golden", str(suite.golden), *names],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path()), "TERM": "xterm"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        self._unread = ""

    def until_asked(self) -> str:
        """Return what is shown until the next question."""
        return self._until(PROMPT)

    def type(self, key: str) -> None:
        """Type a key and Enter."""
        os.write(self._master, f"{key}\n".encode())

    def end(self) -> tuple[int, str]:
        """Return the exit status and what is shown until the end."""
        shown = self._until(None)
        os.close(self._master)
        return self._program.wait(timeout=60), shown

    def _until(self, mark: str | None) -> str:
        while mark is None or mark not in self._unread:
            more = self._read()
            if not more:
                shown, self._unread = self._unread, ""
                assert mark is None, shown
                return shown
            self._unread += more
        shown, _mark, self._unread = self._unread.partition(mark)
        return shown

    def _read(self) -> str:
        """Return what is shown next, nothing after the end."""
        ready, _, _ = select.select([self._master], [], [], 120)
        assert ready, f"nothing more is shown after: {self._unread}"
        try:
            return os.read(self._master, 4096).decode().replace("\r\n", "\n")
        except OSError:  # Linux says so that the other side is closed
            return ""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Return three runs that differ from what is approved: by a field, by a message, by being new."""
    suite = Suite(tmp_path).write()
    suite.approve()
    suite.edit("{name: berth, type: INT}", "{name: berth, type: BIGINT}")
    suite.edit('source("boats")', 'source("barges")', suite.case / "case.yml")
    suite.edit("exit: 1\n", "exit: 1\n  - {name: again, shows: more}\n", suite.case / "case.yml")
    return suite


def pending(suite: Suite) -> list[str]:
    return sorted(path.name for path in suite.expected.glob("*.pending"))


EXPORT = ["export.events.jsonl.pending"]
MESSAGE = ["unknown-source.diagnostics.txt.pending"]
AGAIN = ["again.events.jsonl.pending", "again.trace.jsonl.pending"]


def test_events_are_shown_by_meaning_and_messages_as_text(suite: Suite) -> None:
    terminal = Terminal(suite)

    first = terminal.until_asked()
    terminal.type("s")
    second = terminal.until_asked()
    terminal.type("q")
    status, last = terminal.end()

    assert "--- harbour/export (1 of 3)\n1 breaking, 0 notable, 0 cosmetic\n\nbreaking\n" in first
    assert "type of field berth of dataset harbour.ships was INT, is BIGINT\n" in first
    assert first.endswith(
        "[a] accept  [r] reject  [s] skip  [A] accept all that are left  [R] reject all that are left  "
        "[d] show everything  [q] skip all that are left\n"
    )
    assert "--- harbour/unknown-source (2 of 3)\n\ndiagnostics.txt:\n-ERROR: E506" in second
    assert (status, last) == (0, "q\n3 runs: 0 accepted, 0 rejected, 3 skipped\n")
    assert pending(suite) == [*AGAIN, *EXPORT, *MESSAGE]


def test_each_run_is_accepted_rejected_or_skipped(suite: Suite) -> None:
    terminal = Terminal(suite)
    for key in ("a", "r", "s"):
        terminal.until_asked()
        terminal.type(key)

    status, last = terminal.end()

    assert (status, last) == (0, "s\n3 runs: 1 accepted, 1 rejected, 1 skipped\n")
    assert pending(suite) == AGAIN
    assert b"BIGINT" in (suite.expected / "export.events.jsonl").read_bytes()
    assert b"boats" in (suite.expected / "unknown-source.diagnostics.txt").read_bytes()


@pytest.mark.parametrize(
    ("key", "waiting", "last"),
    [("A", [], "3 accepted, 0 rejected"), ("R", [], "0 accepted, 3 rejected")],
    ids=["accept", "reject"],
)
def test_all_that_are_left_are_decided_at_once(suite: Suite, key: str, waiting: list[str], last: str) -> None:
    terminal = Terminal(suite)
    terminal.until_asked()
    terminal.type(key)

    status, shown = terminal.end()

    assert (status, shown) == (0, f"{key}\n3 runs: {last}, 0 skipped\n")
    assert pending(suite) == waiting
    assert suite.check().exit_status == (0 if key == "A" else 1)


def test_a_key_that_means_nothing_is_asked_again(suite: Suite) -> None:
    terminal = Terminal(suite, "harbour/export")
    terminal.until_asked()
    terminal.type("x")

    assert "'x' is not one of" in terminal.until_asked()
    terminal.type("r")
    assert terminal.end() == (0, "r\n1 run: 0 accepted, 1 rejected, 0 skipped\n")


def test_a_long_difference_is_cut_until_all_of_it_is_asked_for(suite: Suite) -> None:
    fields = ", ".join(f"{{name: f{number}, type: INT}}" for number in range(30))
    suite.edit("columns: [{name: ship, type: STRING}]", f"columns: [{fields}]")
    suite.edit(
        ", --job-namespace, harbour]",
        ", --job-namespace, harbour]\nenvironment: {A: b}",
        suite.case / "case.yml",
    )
    suite.edit("shows: two datasets and a job", "shows: x\n    arguments: [--output, json, docs, openlineage, --job-namespace, x]", suite.case / "case.yml")  # fmt: skip
    (suite.expected / "export.events.jsonl").write_text("{\n}\n", "utf-8")
    terminal = Terminal(suite, "harbour/export")

    short = terminal.until_asked()
    terminal.type("d")
    whole = terminal.until_asked()
    terminal.type("q")

    assert "more lines\n" in short
    assert "more lines\n" not in whole
    assert whole.count('"name": "f29"') == 1
    assert terminal.end()[0] == 0


def test_an_interruption_decides_nothing(suite: Suite) -> None:
    terminal = Terminal(suite)
    terminal.until_asked()
    os.write(terminal._master, b"\x04")  # noqa: SLF001 - Ctrl-D, which is no line

    status, shown = terminal.end()

    assert status == 130
    assert "E591_INTERRUPTED" in shown
    assert pending(suite) == [*AGAIN, *EXPORT, *MESSAGE]
