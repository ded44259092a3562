"""Lenient scalars of the language (table "type coercion" of section 1) as Python values.

The schema has accepted the values before: `$defs/int`, `$defs/bool` and `$defs/optional_number`.
"""

from __future__ import annotations

from typing import Any

TRUE_WORDS = frozenset({"true", "yes", "on", "y", "t", "1"})


def as_int(value: Any) -> int:
    """Return 6 for 6, `"6"`, 6.0 and `"6.0"`, and 1 for true."""
    return int(value.partition(".")[0]) if isinstance(value, str) else int(value)


def as_bool(value: Any) -> bool:
    """Return True for true, 1 and the words yes, on, y, t, `"true"` and `"1"` in any case, else False."""
    return value.lower() in TRUE_WORDS if isinstance(value, str) else bool(value)


def as_float(value: Any) -> float:
    """Return the number of a number or a numeric string."""
    return float(value)
