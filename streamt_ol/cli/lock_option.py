"""How long a command that changes a state waits for the lock."""

from __future__ import annotations

import click

LOCK_SECONDS = 30
"""Decision R11."""

lock_timeout = click.option(
    "--lock-timeout",
    "lock_seconds",
    metavar="SECONDS",
    type=click.FloatRange(0, 300),
    default=LOCK_SECONDS,
    show_default=True,
    help="How long to wait for the lock of the state.",
)
