"""Records as named tuples: how one is shown whose fields may hold secrets."""

from __future__ import annotations

from typing import Any


def shown_without(record: Any, *hidden: str) -> str:
    """Return the `repr` of a named tuple without the hidden fields."""
    fields = zip(record._fields, record, strict=True)
    shown = ", ".join(f"{name}={value!r}" for name, value in fields if name not in hidden)
    return f"{type(record).__name__}({shown})"
