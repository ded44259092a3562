"""One run of the program: the one place where everything that can go wrong becomes an exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from streamt_ol.cli.app import streamt
from streamt_ol.cli.face import Face
from streamt_ol.cli.report import Result, StdoutError, show
from streamt_ol.cli.statuses import FAILURE, INTERRUPTED, SUCCESS
from streamt_ol.ground import bugs
from streamt_ol.ground.errors import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(arguments: Sequence[str] | None) -> int:
    """Run the program on its arguments (those of the process for None) and return its exit status."""
    face = Face()
    try:
        status = streamt.main(args=arguments, prog_name="streamt", standalone_mode=False, obj=face)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        interrupted = Diagnostic("E591_INTERRUPTED", "interrupted before the command was done")
        status = _fail(face, interrupted, INTERRUPTED)
    except StdoutError as error:
        status = _fail(face, error.diagnostic(), FAILURE)
    except Exception as error:  # noqa: BLE001 - a bug is shown as one, without values that could be secret
        status = _fail(face, _bug(error), FAILURE)
    return status if isinstance(status, int) else SUCCESS


def _fail(face: Face, diagnostic: Diagnostic, status: int) -> int:
    try:
        result = Result(face.command, errors=[diagnostic], warnings=face.warnings)
        show(result, output=face.output, quiet=face.quiet)
    except StdoutError:
        # stderr has told the failure; a stdout that takes nothing cannot add to it.
        return status
    return status


def _bug(error: Exception) -> Diagnostic:
    return Diagnostic(
        "E590_INTERNAL",
        bugs.told(error),
        suggestion="report it with the command and, if you can, a small project that shows it",
    )
