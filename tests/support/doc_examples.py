"""Examples in Markdown pages: files to write, commands to run, and the output that the page shows.

    <!-- file: FOLDER/PATH -->      the fenced block that follows is the content of a file
    <!-- run: FOLDER exit=1 -->     the fenced block that follows is a transcript in that folder
    <!-- live: FOLDER exit=1 -->    the same, for commands that need servers: skipped where there are none

A transcript holds commands after `$ `, each followed by what it prints, stderr included. Every command but
the last must succeed, and the last has the exit status given (0 without `exit`). The transcripts of a page
run in its order, in one scratch folder; `checkout` in it is this checkout. `[...]` in a line of output stands
for any text within the line; a line of nothing else stands for any number of lines.

    python tests/support/doc_examples.py PAGE...    shows where pages differ from what the program prints
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from golden_cases import OFFLINE, ROOT, source_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ANYTHING = "[...]"
_BLOCK = re.compile(
    r"^<!-- (?P<kind>file|run|live): (?P<where>\S+)(?: exit=(?P<exit>\d+))? -->\n+```\w*\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_SERVICES = ("FLINK", "SQL_GATEWAY", "CONNECT")
"""Variables of the pages that say where servers are which only `make test-services` starts."""
_CONTINUED = re.compile(r"^\$ ((?:.*[\\|]\n)*.*)\n?", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A marked block of a page."""

    kind: str
    where: str
    exit_status: int
    text: str

    def commands(self) -> list[tuple[str, str]]:
        """Return each command of a transcript with the output shown for it."""
        _before, *rest = _CONTINUED.split(self.text)
        return list(zip(rest[::2], rest[1::2], strict=True))


@dataclass(frozen=True)
class Mismatch:
    """A command that does not do what its page shows."""

    command: str
    shown: str
    printed: str
    exit_status: int

    def __str__(self) -> str:
        return (
            f"$ {self.command}\n--- shown\n{self.shown}--- printed (exit {self.exit_status})\n{self.printed}"
        )


def examples(page: str) -> list[Example]:
    """Return the marked blocks of a page, in its order."""
    return [
        Example(match["kind"], match["where"], int(match["exit"] or 0), match["text"])
        for match in _BLOCK.finditer(page)
    ]


def live_pages() -> list[Path]:
    """Return the pages with commands that need servers."""
    pages = sorted((ROOT / "docs").glob("*.md"))
    return [page for page in pages if any(one.kind == "live" for one in examples(page.read_text("utf-8")))]


def needs_services(page: Path) -> bool:
    """Return whether a live page needs more than a broker and a database: `make test-services` runs it."""
    return any(f"${{{name}}}" in page.read_text("utf-8") for name in _SERVICES)


def mismatches(page: str, scratch: Path, servers: Mapping[str, str] | None = None) -> Iterator[Mismatch]:
    """Write and run everything that a page shows; yield what it shows wrongly.

    `servers` are variables that say where servers are, for the transcripts that need some; only those may
    use the network.
    """
    offline = _environment(scratch / "bin")
    online = {**offline, "PYTHONPATH": os.pathsep.join(source_path()), **(servers or {})}
    pages = scratch / "page"
    pages.mkdir()
    (pages / "checkout").symlink_to(ROOT)
    for example in examples(page):
        path = pages / example.where
        if example.kind == "file":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(example.text, "utf-8")
            continue
        if example.kind == "live" and servers is None:
            continue
        path.mkdir(parents=True, exist_ok=True)
        commands = example.commands()
        for position, (command, shown) in enumerate(commands, 1):
            wanted = example.exit_status if position == len(commands) else 0
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=path,
                env=online if example.kind == "live" else offline,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=300,
                check=False,
            )
            printed = done.stdout.decode("utf-8")
            if done.returncode != wanted or not _pattern(shown).fullmatch(printed):
                yield Mismatch(command, shown, printed, done.returncode)


def _environment(folder: Path) -> dict[str, str]:
    """Return a bare environment in which `streamt` is a command and no network can be reached."""
    folder.mkdir()
    program = folder / "streamt"
    isolated = "-P" if sys.version_info >= (3, 11) else "-s"
    program.write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {isolated} -m streamt_ol "$@"\n', "utf-8"
    )
    program.chmod(0o755)
    path = [str(folder), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {
        "PATH": os.pathsep.join(path),
        "PYTHONPATH": os.pathsep.join([str(OFFLINE), *source_path()]),
        "PYTHONWARNINGS": "error",
    }


def _pattern(shown: str) -> re.Pattern[str]:
    lines = [
        r"(?:.*\n)*" if line == f"{ANYTHING}\n" else ".*".join(map(re.escape, line.split(ANYTHING)))
        for line in shown.splitlines(keepends=True)
    ]
    return re.compile("".join(lines))


def main(pages: Sequence[str]) -> int:
    """Print what pages show wrongly; return 1 if there is anything."""
    found = 0
    for page in pages:
        with tempfile.TemporaryDirectory() as scratch:
            for mismatch in mismatches(Path(page).read_text("utf-8"), Path(scratch)):
                sys.stdout.write(f"{page}\n{mismatch}\n")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
