"""What YAML made of a value, and what was wanted, in words (D5)."""

from __future__ import annotations

from typing import Any

from streamt_ol.ground.yaml_scalars import describe

_WANTED = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}
_LONGEST = 60


def reading(value: Any, *, secret: bool) -> str:
    """Return kind and value, such as `the boolean false`; of strings, collections and secrets the kind."""
    if secret and isinstance(value, (bool, int, float)):
        return "a boolean" if isinstance(value, bool) else "a number"
    return describe(value)[:_LONGEST]


def wanted(types: str | list[str]) -> str:
    """Return what the keyword `type` asks for, null left out, such as `a string or a list`."""
    names = [types] if isinstance(types, str) else types
    return alternatives([_WANTED[name] for name in names if name != "null"])


def alternatives(words: list[str]) -> str:
    """Return `a, b or c`."""
    return " or ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)
