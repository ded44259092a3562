"""Flink SQL as words, read by the tokenizer of sqlglot with Flink's own quotes and comments.

Only its tokenizer: its parser, like others for general SQL, refuses window table functions, `DESCRIPTOR`,
`LATERAL TABLE` and `MATCH_RECOGNIZE`. The grammar is Flink's to judge, when a statement is submitted.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.flink_sql.errors import FlinkExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot.tokenizer_core import Token

_OPENING, _CLOSING = frozenset("(["), frozenset(")]")


class Word(NamedTuple):
    """A name, a literal or a mark, and where it stands in the text."""

    kind: str
    """`name`, `quoted`, `text`, `number`, `hint` or `mark`."""
    text: str
    """Without its quotes."""
    start: int
    end: int
    """Behind its last character."""
    line: int
    """From 0."""
    depth: int
    """How many parentheses and brackets enclose it."""

    @property
    def keyword(self) -> str:
        """Return the upper-cased text of an unquoted name, one blank between parts; else nothing."""
        return " ".join(self.text.upper().split()) if self.kind == "name" else ""

    @property
    def is_name(self) -> bool:
        """Return whether it can be the name of something."""
        return self.kind in ("name", "quoted")

    def is_mark(self, text: str) -> bool:
        """Return whether it is this mark."""
        return self.kind == "mark" and self.text == text


Words = tuple[Word, ...]


def read_words(sql: str) -> Words | None:
    """Return the words; None where a quote, comment or parenthesis does not end."""
    tokens = tokenizer()(sql)
    if tokens is None:
        return None
    words: list[Word] = []
    depth = 0
    for token in tokens:
        kind = _kind(token)
        closes = kind == "mark" and token.text in _CLOSING
        depth -= closes
        if depth < 0:
            return None
        words.append(Word(kind, token.text, token.start, token.end + 1, token.line - 1, depth))
        depth += kind == "mark" and token.text in _OPENING
    return None if depth else tuple(words)


def is_expression(text: str) -> bool:
    """Return whether a text can stand where one expression stands, whatever Flink thinks of it."""
    words = read_words(text)
    return bool(words) and not any(
        word.is_mark(";") or (word.depth == 0 and word.is_mark(",")) for word in words or ()
    )


def is_type(text: str) -> bool:
    """Return whether a text can stand where one type stands: words, and lists in brackets behind them."""
    words = read_words(text)
    if not words or words[0].kind != "name":
        return False
    depth, last = 0, 0
    for word in words:
        if text[last : word.start].strip():  # a comment: it would hide what follows
            return False
        last = word.end
        angles = word.text if word.kind == "mark" and not word.text.strip("<>") else ""
        depth += angles.count("<") - angles.count(">")
        inside = depth + word.depth > 0
        if depth < 0 or not (word.is_name or angles or word.text in "()" or (inside and word.text != ";")):
            return False
    return depth == 0 and not text[last:].strip()


def _kind(token: Token) -> str:
    named = token.token_type.name
    if named == "IDENTIFIER":
        return "quoted"
    if named.endswith("STRING"):
        return "text"
    if named in ("NUMBER", "HINT"):
        return named.lower()
    return "name" if token.text[:1].isalpha() or token.text[:1] == "_" else "mark"


@functools.cache
def tokenizer() -> Callable[[str], Sequence[Token] | None]:
    """Return what makes tokens of a text, None where it does not end; raises FlinkExtraMissingError."""
    try:
        from sqlglot.errors import TokenError
        from sqlglot.tokens import Tokenizer
    except ImportError:
        raise FlinkExtraMissingError(
            "Flink jobs need the package sqlglot, which is not installed",
            suggestion="pip install 'streamt-ol[flink]'",
        ) from None

    class FlinkTokenizer(Tokenizer):
        QUOTES = ["'"]  # noqa: RUF012 - so its base has it
        STRING_ESCAPES = ["'"]  # noqa: RUF012
        IDENTIFIERS = ["`"]  # noqa: RUF012
        IDENTIFIER_ESCAPES = ["`"]  # noqa: RUF012
        COMMENTS = ["--", "//", ("/*", "*/")]  # noqa: RUF012
        NESTED_COMMENTS = False
        COMMANDS = set()  # noqa: RUF012 - else the rest of a SHOW or an EXECUTE is one text

    def tokens(sql: str) -> Sequence[Token] | None:
        try:
            return FlinkTokenizer().tokenize(sql)
        except TokenError:
            return None

    return tokens
