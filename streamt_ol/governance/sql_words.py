"""SQL as words: the lexical level of Flink SQL, without its grammar.

Nothing is parsed that is not certain. General SQL parsers refuse what Flink projects are made of (window
table functions, `LATERAL TABLE`, `MATCH_RECOGNIZE`). So the checks look at words outside of literals,
comments and parentheses, and say nothing where that is not enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 1_000_000
"""Characters of SQL that are looked at."""

_WORD = re.compile(
    r"""
    (?P<blank> \s+ | --[^\n]* | /\*.*?\*/ )
  | (?P<text> '(?:[^']|'')*' )
  | (?P<quoted> `(?:[^`]|``)*` )
  | (?P<name> [^\W\d]\w* )
  | (?P<number> \d\w* )
  | (?P<open_ended> ' | ` | /\* )
  | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENING, _CLOSING = "([", ")]"


@dataclass(frozen=True, slots=True)
class Word:
    """A name, literal or mark, and how many parentheses and brackets enclose it."""

    kind: str
    text: str
    depth: int

    @property
    def keyword(self) -> str:
        """Return the upper-cased text of an unquoted name; empty for everything else."""
        return self.text.upper() if self.kind == "name" else ""

    @property
    def identifier(self) -> str | None:
        """Return the name that an unquoted or quoted identifier stands for; None for everything else."""
        if self.kind == "quoted":
            return self.text[1:-1].replace("``", "`")
        return self.text if self.kind == "name" else None

    def is_mark(self, text: str) -> bool:
        """Return whether the word is this mark."""
        return self.kind == "mark" and self.text == text


Words = Sequence[Word]


def words(sql: str) -> list[Word] | None:
    """Return the words of an SQL text without its last semicolons.

    None where it is too long, where a literal, comment or parenthesis does not end, or where it has more
    than one statement.
    """
    if len(sql) > LONGEST:
        return None
    found: list[Word] = []
    depth = 0
    for match in _WORD.finditer(sql):
        kind, text = str(match.lastgroup), match[0]
        if kind == "open_ended":
            return None
        if kind == "blank":
            continue
        if text in _CLOSING:
            depth -= 1
        if depth < 0:
            return None
        found.append(Word(kind, text, depth))
        if text in _OPENING:
            depth += 1
    while found and found[-1].is_mark(";"):
        found.pop()
    return None if depth or any(word.is_mark(";") for word in found) else found


def split(part: Words, mark: str) -> list[Words]:
    """Return the parts between the marks that stand outside of parentheses; no part for no words."""
    pieces: list[list[Word]] = [[]] if part else []
    for word in part:
        if word.depth == 0 and word.is_mark(mark):
            pieces.append([])
        else:
            pieces[-1].append(word)
    return list(pieces)
