"""How long a command that changes a state waits for the lock."""

from __future__ import annotations

import click

lock_timeout = click.option(
    "--lock-timeout",
    "lock_seconds",
    metavar="SECONDS",
    type=click.FloatRange(0, 300),
    help="How long to wait for the lock of the state; else deployment_state.lock_timeout_seconds, else 30.",
)
