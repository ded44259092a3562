"""Names and values as Flink SQL writes them, so that they are read as what they are.

Source: identifiers and literals of Flink SQL. A backslash is no escape in either.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

DAY_MS = 86_400_000
_BREAK = re.compile(r"[\r\n]")
_PLAIN = re.compile(r"\w+")


def quoted(name: str) -> str:
    """Return a name in backticks, inner ones doubled: also a reserved word is a name then."""
    return "`" + name.replace("`", "``") + "`"


def can_be_quoted(name: str) -> bool:
    """Return whether Flink reads a quoted name back: it must not be empty or have a line break."""
    return bool(name) and _BREAK.search(name) is None


def listed(names: Iterable[str]) -> str:
    """Return quoted names with commas between them."""
    return ", ".join(map(quoted, names))


def literal(text: str) -> str:
    """Return a text as a literal, quotes doubled."""
    return "'" + text.replace("'", "''") + "'"


def option_list(items: Iterable[str]) -> str:
    """Return texts as the value of an option that is a list; all but plain words stand in quotes."""
    return ";".join(item if _PLAIN.fullmatch(item) else literal(item) for item in items)


def value(plain: Any) -> str | None:
    """Return a plain value as a literal of its own type; None for what has none (a list, null, infinity)."""
    if isinstance(plain, bool):
        return "TRUE" if plain else "FALSE"
    if isinstance(plain, str):
        return literal(plain)
    if isinstance(plain, int | float) and (number := Decimal(str(plain))).is_finite():
        return format(number, "f")
    return None


def interval(milliseconds: int) -> str:
    """Return `5 00:00:00.250`, the inside of an interval from days to seconds."""
    days, rest = divmod(milliseconds, DAY_MS)
    minutes, rest = divmod(rest, 60_000)
    hours, minutes = divmod(minutes, 60)
    seconds, rest = divmod(rest, 1000)
    return f"{days} {hours:02}:{minutes:02}:{seconds:02}.{rest:03}"


def as_login_text(text: str) -> str:
    """Return a text as a value of a JAAS entry: in double quotes, which a line break would end."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(plain, escaped)
    return f'"{text}"'
