"""Running one command in this process: quick, and the same code behind the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from streamt_ol.cli.face import Face


@dataclass(frozen=True)
class Invoked:
    """What a command left."""

    exit_status: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:
        """Return stdout as JSON."""
        return json.loads(self.stdout)


def invoke(
    command: click.Command,
    *arguments: str | Path,
    face: Face | None = None,
    environment: dict[str, str | None] | None = None,
) -> Invoked:
    """Run a command with the global options of `face`."""
    done = CliRunner(env={"COLUMNS": None, "NO_COLOR": None, **(environment or {})}).invoke(
        command, [*map(str, arguments)], obj=face or Face()
    )
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Invoked(done.exit_code, done.stdout, done.stderr)
