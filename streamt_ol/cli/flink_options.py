"""The options with which a user says what is to become of the state of Flink jobs."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from streamt_ol.deploy.planning.restores import Restores


def flink_options(command: Any) -> Any:
    """Add the options to a command, which is given them as one argument: `restores`."""

    @wraps(command)
    def packed(
        *arguments: Any,
        flink_savepoint: bool,
        flink_from: tuple[str, ...],
        flink_fresh: tuple[str, ...],
        **options: Any,
    ) -> Any:
        restores = _restores(flink_from, flink_fresh, savepoint=flink_savepoint)
        return command(*arguments, restores=restores, **options)

    made: Any = packed
    for option in reversed(_OPTIONS):
        made = option(made)
    return made


def _restores(sources: tuple[str, ...], fresh: tuple[str, ...], *, savepoint: bool) -> Restores:
    from streamt_ol.deploy.planning.restores import Restores

    named: dict[str, str] = {}
    for source in sources:
        name, _equals, path = source.partition("=")
        if not name or not path:
            raise click.UsageError("--flink-from takes JOB=SAVEPOINT")
        if named.setdefault(name, path) != path:
            raise click.UsageError(f"--flink-from names two savepoints of '{name}'")
    for name in fresh:
        if name in named:
            raise click.UsageError(
                f"--flink-from and --flink-fresh exclude each other, and both name '{name}'"
            )
    return Restores(savepoint, named, frozenset(fresh))


_OPTIONS = (
    click.option(
        "--flink-savepoint",
        is_flag=True,
        help="Stop Flink jobs that run something else with a savepoint, and go on from there.",
    ),
    click.option(
        "--flink-from",
        metavar="JOB=SAVEPOINT",
        multiple=True,
        help="Submit a Flink job that does not run from this savepoint. May be repeated.",
    ),
    click.option(
        "--flink-fresh",
        metavar="JOB",
        multiple=True,
        help="Submit a Flink job without the state that it had, a running one only with --flink-savepoint. "
        "May be repeated.",
    ),
)
