"""The SQL of a virtual topic, read as far as the Gateway's own SQL is known to mean the same.

That is one SELECT of `*` or plain columns, from one topic, under conditions that all hold, each of which
compares a column with a text or a number. Of anything else only the obstacle is told, nothing is guessed.
Source: the public reference of the Gateway's SQL topics.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r"""
    (?P<blank> \s+ | --[^\n]* | /\*.*?\*/ )
  | (?P<text> '(?:[^']|'')*' )
  | (?P<quoted> `(?:[^`]|``)+` )
  | (?P<name> [A-Za-z_][A-Za-z0-9_]* )
  | (?P<number> -?[0-9]+(?:\.[0-9]+)?(?![\w.]) )
  | (?P<comparison> <> | != | <= | >= | = | < | > )
  | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CLAUSES = frozenset(
    {"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH", "UNION", "EXCEPT", "INTERSECT", "WINDOW"}
)
_RESERVED = _CLAUSES | {
    *(
        "SELECT",
        "FROM",
        "WHERE",
        "AND",
        "OR",
        "NOT",
        "AS",
        "DISTINCT",
        "ALL",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
    ),
    *(
        "IN",
        "IS",
        "LIKE",
        "BETWEEN",
        "EXISTS",
        "REGEXP",
        "NULL",
        "TRUE",
        "FALSE",
        "JOIN",
        "ON",
        "BY",
        "RECORD",
    ),
}
"""Names that are no columns unless they are quoted, and quoted ones are not taken."""


class Query(NamedTuple):
    """A query that can be said in the Gateway's SQL."""

    columns: tuple[str, ...]
    """As they are selected, `price AS amount`; none for `*`."""
    conditions: tuple[str, ...]
    """All of which hold: `region = 'EU'`."""

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "conditions")

    @property
    def shape(self) -> str:
        """Return `everything`, `filtered` or `projected`."""
        return "projected" if self.columns else "filtered" if self.conditions else "everything"

    def statement(self, topic: str) -> str:
        """Return the query of a physical topic, whose name has no double quote in it."""
        source = topic if _PLAIN.fullmatch(topic) and topic.upper() not in _RESERVED else f'"{topic}"'
        where = f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""
        return f"SELECT {', '.join(self.columns) or '*'} FROM {source}{where}"  # noqa: S608 - read, token by token


class NotSayableError(Exception):
    """A query cannot be said in the Gateway's SQL; `shape` is the fact of that name."""

    def __init__(self, shape: str) -> None:
        super().__init__(shape)
        self.shape = shape


class _Token(NamedTuple):
    kind: str
    text: str

    @property
    def keyword(self) -> str:
        return self.text.upper() if self.kind == "name" else ""


_END = _Token("end", "")


def read_query(sql: str, topic: str) -> Query:
    """Return a rendered query of the source or model that is called `topic` in it; raises NotSayableError."""
    return _Reader(_tokens(sql), topic).query()


def _tokens(sql: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(sql):
        if match.lastgroup != "blank":
            yield _Token(str(match.lastgroup), match[0])


class _Reader:
    def __init__(self, tokens: Iterator[_Token], topic: str) -> None:
        self._tokens = tokens
        self._topic = topic
        self._next = next(tokens, _END)

    def query(self) -> Query:
        if self._next.keyword != "SELECT":
            raise NotSayableError("statement")
        self._take()
        columns = self._columns()
        self._source()
        conditions: list[str] = []
        if self._next.keyword == "WHERE":
            self._take()
            conditions.append(self._condition())
            while self._next.keyword == "AND":
                self._take()
                conditions.append(self._condition())
        self._end("alternatives" if self._next.keyword == "OR" else "conditions" if conditions else "topics")
        return Query(columns, tuple(conditions))

    def _take(self) -> _Token:
        taken, self._next = self._next, next(self._tokens, _END)
        return taken

    def _columns(self) -> tuple[str, ...]:
        if self._next.text == "*":
            self._take()
            columns = []
        else:
            columns = [self._selected()]
            while self._next.text == ",":
                self._take()
                columns.append(self._selected())
        if self._take().keyword != "FROM":
            raise NotSayableError("columns")
        return tuple(columns)

    def _selected(self) -> str:
        column = self._column("columns")
        if self._next.keyword != "AS":
            return column
        self._take()
        return f"{column} AS {self._column('columns')}"

    def _column(self, otherwise: str) -> str:
        token = self._take()
        if token.kind != "name" or token.keyword in _RESERVED:
            raise NotSayableError(otherwise)
        return token.text

    def _source(self) -> None:
        token = self._take()
        name = token.text[1:-1].replace("``", "`") if token.kind == "quoted" else token.text
        if token.kind not in ("name", "quoted") or name != self._topic:
            raise NotSayableError("topics")

    def _condition(self) -> str:
        column = self._column("conditions")
        comparison, value = self._take(), self._take()
        by_pattern = comparison.keyword == "REGEXP" and value.kind == "text"
        if not by_pattern and (comparison.kind != "comparison" or value.kind not in ("text", "number")):
            raise NotSayableError("conditions")
        if value.kind == "text" and ("'" in value.text[1:-1] or "\\" in value.text):
            raise NotSayableError("texts")
        sign = "<>" if comparison.text == "!=" else comparison.text.upper()
        return f"{column} {sign} {value.text}"

    def _end(self, otherwise: str) -> None:
        """Refuse everything after the query but semicolons."""
        if self._next.keyword in _CLAUSES:
            raise NotSayableError("clauses")
        if self._next.text == ";":
            while self._next.text == ";":
                self._take()
            otherwise = "statement"
        if self._next is not _END:
            raise NotSayableError(otherwise)
