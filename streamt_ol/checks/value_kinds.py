"""What kind of value a decoded value is; a number without a fraction is an integer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"),  # before numbers: it is an `int` to Python
    (int, "integer"),
    ((float, Decimal), "number"),
    ((str, UUID), "text"),
    (Mapping, "object"),
    ((list, tuple), "array"),
    ((bytes, bytearray), "bytes"),
    ((date, time, timedelta), "time"),
)


def kind_of(value: object) -> str:
    """Return the word of the domain `value_kind` for a value that is not None."""
    for types, kind in _KINDS:
        if isinstance(value, types):
            return "integer" if kind == "number" and _is_whole(value) else kind
    raise TypeError(f"values of {type(value).__name__} are not decoded")


def _is_whole(value: Any) -> bool:
    return math.isfinite(value) and value == int(value)
