"""A click group whose commands are imported when they are used: start-up pays for one command only."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """A group made of `name: (module, attribute, short help)`."""

    def __init__(self, *arguments: Any, lazy: Mapping[str, tuple[str, str, str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*super().list_commands(ctx), *self._lazy])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, importing its module."""
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, attribute, _help = self._lazy[cmd_name]
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        rows = [(name, self._lazy[name][2]) for name in self.list_commands(ctx) if name in self._lazy]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
