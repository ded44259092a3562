"""How messages of checks spell conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamt_ol.engine.boxes import Box
    from streamt_ol.engine.vocabulary import Domain, Value


def word(value: Value) -> str:
    """Return a value as a table spells it."""
    return str(value).lower() if isinstance(value, bool) else value


def listed(values: Iterable[Value]) -> str:
    """Return values as `a, b or c`."""
    *first, last = sorted(map(word, values))
    return f"{', '.join(first)} or {last}" if first else last


def narrowed(box: Box, inputs: Mapping[str, Domain]) -> dict[str, frozenset[Value]]:
    """Return what a box restricts of all that the inputs of a table can be."""
    return {name: values for name, values in box.items() if values != frozenset(inputs[name])}


def conditions(box: Box, inputs: Mapping[str, Domain]) -> str:
    """Return a box as ` with a x and b y or z`, for the end of a sentence; empty for everything."""
    parts = [f"{name} {listed(values)}" for name, values in narrowed(box, inputs).items()]
    return f" with {' and '.join(parts)}" if parts else ""


def token(box: Box, inputs: Mapping[str, Domain]) -> str:
    """Return a box as one word of an id: `a=x+b=y|z`."""
    parts = [
        f"{name}={'|'.join(sorted(map(word, values)))}" for name, values in narrowed(box, inputs).items()
    ]
    return "+".join(parts) or "all"
