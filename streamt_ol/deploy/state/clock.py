"""The time as states and events write it."""

from __future__ import annotations

from datetime import datetime, timezone


def utc_now() -> str:
    """Return the time in UTC, six fractional digits, `Z`."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
