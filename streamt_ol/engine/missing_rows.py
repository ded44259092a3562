"""The row that a table lacks, as YAML to paste into it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamt_ol.engine.boxes import Box
    from streamt_ol.engine.tables import Table
    from streamt_ol.engine.vocabulary import Value

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_LONGEST_ID = 60
_OTHER_TYPES = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
"""Words that YAML reads, or once read, as something else than text."""


def missing_row(table: Table, gap: Box) -> str:
    """Return the row that covers exactly a gap. What it says is left to its author: `TODO` per output."""
    conditions = {name: values for name, values in gap.items() if values != frozenset(table.inputs[name])}
    when = ", ".join(f"{name}: {_spelled(values)}" for name, values in conditions.items())
    outputs = ", ".join(f"{name}: TODO" for name in table.outputs if not name.endswith("?"))
    parts = [
        f"id: {_id(table, conditions)}",
        *([f"when: {{{when}}}"] if when else []),
        f"then: {{{outputs}}}",
    ]
    return f"{{{', '.join(parts)}}}"


def _id(table: Table, conditions: Box) -> str:
    """Return an id that says what the row is for, and that no other row has."""
    words = [
        value if isinstance(value, str) else name if value else f"no-{name}"
        for name, values in conditions.items()
        for value in _sorted(values)
    ]
    text = re.sub(r"[^a-z0-9-]+", "-", "-".join(words).lower()).strip("-")
    base = text if re.match("[a-z]", text) else f"row-{text}" if text else "otherwise"
    base = base if len(base) <= _LONGEST_ID else "missing"
    taken = {row.id for row in table.rows}
    number = 2
    name = base
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name


def _spelled(values: frozenset[Value]) -> str:
    words = [_word(value) for value in _sorted(values)]
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]"


def _sorted(values: frozenset[Value]) -> list[Value]:
    return sorted(values, key=lambda value: (isinstance(value, bool), str(value)))


def _word(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if _PLAIN.fullmatch(value) and value.lower() not in _OTHER_TYPES:
        return value
    return "'" + value.replace("'", "''") + "'"
