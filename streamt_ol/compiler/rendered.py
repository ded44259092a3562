"""What rendering a template gives: the text and the dependency calls it really made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["source", "ref"]

_PLAIN_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Call(NamedTuple):
    """One dependency call that rendering made."""

    kind: Kind
    name: str


class Rendered(NamedTuple):
    """Rendered SQL and its calls: in the order of their first occurrence, repeats dropped.

    Whether sources come before refs is for the caller to decide.
    """

    text: str
    calls: tuple[Call, ...]

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "text")


def rendered(text: str, calls: Iterable[tuple[Kind, str]]) -> Rendered:
    """Return the record of a text and of the (kind, name) pairs of its calls, repeats dropped."""
    return Rendered(text, tuple([Call(kind, name) for kind, name in dict.fromkeys(calls)]))


def identifier(name: str) -> str:
    """Return the name as a Flink SQL identifier: bare when plain, else in backticks, inner ones doubled."""
    return name if _PLAIN_IDENTIFIER.fullmatch(name) else "`" + name.replace("`", "``") + "`"
