"""What the value of a key may be: one check per form of the catalogue `transport-keys`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from streamt_ol.runs.http_addresses import endpoint_fault, url_fault
from streamt_ol.runs.local_paths import path_fault

_TEXTS: Mapping[str, Callable[[str], str | None]] = {
    "path": path_fault,
    "url": url_fault,
    "endpoint": endpoint_fault,
}
_API_KEY = re.compile(r"[!-~]+")


def value_fault(value: Any, entry: Mapping[str, Any], bound: float | None) -> str | None:
    """Return why a value is not of the form that the entry of its key asks for, as a word; None if it is.

    `bound` is the greatest value, times in seconds.
    """
    form = entry["form"]
    if form in _TEXTS:
        return _text_fault(value) or _TEXTS[form](value)
    return None if _FORMS[form](value, bound) else entry["wrong"]


def _text_fault(value: Any) -> str | None:
    if not isinstance(value, str):
        return "value_no_text"
    if not value:
        return "value_empty"
    return "value_padded" if value != value.strip() else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_FORMS: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": lambda value, _: isinstance(value, str),
    "seconds": lambda value, most: _is_number(value) and 0 < value <= most,
    "confirmed": lambda value, _: value is True,
    "section": lambda value, _: isinstance(value, Mapping),
    "count": lambda value, most: _is_number(value) and isinstance(value, int) and 0 <= value <= most,
    "api_key_type": lambda value, _: value == "api_key",
    "api_key": lambda value, _: isinstance(value, str) and _API_KEY.fullmatch(value) is not None,
}
