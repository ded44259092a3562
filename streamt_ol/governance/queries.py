"""What a model's SQL certainly says: the columns that it gives, what it reads from, its window functions."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.governance.sql_words import Word, Words, split, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_STATEMENTS = frozenset({"SELECT", "WITH", "VALUES", "TABLE"})
_SET_OPERATORS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_CLAUSES = frozenset(
    {
        "FROM",
        "WHERE",
        "GROUP",
        "HAVING",
        "WINDOW",
        "QUALIFY",
        "ORDER",
        "LIMIT",
        "OFFSET",
        "FETCH",
    }
)
_COMBINING = frozenset({"OVER", "JOIN"})
"""With one of these, a window function need not be grouped."""


@dataclass(frozen=True, slots=True)
class Output:
    """A column that a query gives.

    `column` is the column of the table read that it copies, `cast` the type that it is cast to.
    """

    name: str
    column: str | None = None
    cast: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A query as far as its words are certain; what is not known is None or empty."""

    understood: bool
    functions: frozenset[str] = frozenset()
    """Upper-cased names from the catalogue `sql-names` that are called."""
    combines: bool = False
    """Whether it has GROUP BY, OVER or JOIN anywhere."""
    selects: bool = False
    """Whether it is one SELECT without set operators; else nothing below is known."""
    star: bool = False
    outputs: tuple[Output, ...] | None = None
    reads_something: bool = False
    table: str | None = None
    """The one table that it reads, as named in FROM."""
    grouped_by: frozenset[str] = frozenset()
    """Plain columns of GROUP BY."""
    having: frozenset[str] = frozenset()
    """Plain names in HAVING."""


def read_query(sql: str, names: Mapping[str, Mapping[str, Any]]) -> Query:
    """Return what is certain about rendered SQL; `names` are the entries of the catalogue `sql-names`."""
    found = words(sql)
    if not found or not (found[0].keyword in _STATEMENTS or found[0].is_mark("(")):
        return Query(understood=False)
    functions = frozenset(
        word.keyword
        for word, after in itertools.pairwise(found)
        if word.keyword in names and after.is_mark("(")
    )
    combines = any(word.keyword in _COMBINING for word in found) or any(
        word.keyword == "GROUP" and after.keyword == "BY" for word, after in itertools.pairwise(found)
    )
    select = _single_select(found)
    if select is None:
        return Query(understood=True, functions=functions, combines=combines)
    clauses = _clauses(select)
    items = split(_without_quantifier(clauses["SELECT"]), ",")
    table, names_of_table = _table(clauses.get("FROM", ()))
    star = any(item and item[-1].is_mark("*") and len(item) in (1, 3) for item in items)
    outputs = [_output(item, names_of_table) for item in items]
    return Query(
        understood=True,
        functions=functions,
        combines=combines,
        selects=True,
        star=star,
        outputs=None
        if star or None in outputs
        else tuple(output for output in outputs if output is not None),
        reads_something="FROM" in clauses,
        table=table,
        grouped_by=frozenset(_plain(split(clauses.get("GROUP", ())[1:], ","))),
        having=frozenset(_lone_names(clauses.get("HAVING", ()))),
    )


def _single_select(found: Words) -> Words | None:
    """Return the words from the one outermost SELECT on."""
    outer = [(position, word.keyword) for position, word in enumerate(found) if word.depth == 0]
    selects = [position for position, keyword in outer if keyword == "SELECT"]
    if len(selects) != 1 or any(keyword in _SET_OPERATORS for _position, keyword in outer):
        return None
    return found[selects[0] :]


def _clauses(select: Words) -> dict[str, Words]:
    """Return the words of each clause, its keyword left out."""
    clauses: dict[str, list[Word]] = {"SELECT": []}
    current = clauses["SELECT"]
    for word in select[1:]:
        if word.depth == 0 and word.keyword in _CLAUSES:
            current = clauses.setdefault(word.keyword, [])
        else:
            current.append(word)
    return dict(clauses)


def _without_quantifier(part: Words) -> Words:
    return part[1:] if part and part[0].keyword in ("DISTINCT", "ALL") else part


def _table(part: Words) -> tuple[str | None, frozenset[str]]:
    """Return the one table of FROM, and the names by which its columns can be qualified."""
    match [word.identifier for word in part if word.keyword != "AS"]:
        case [str(table)]:
            return table, frozenset({table})
        case [str(table), str(alias)]:
            return table, frozenset({alias})
    return None, frozenset()


def _output(item: Words, qualifiers: frozenset[str]) -> Output | None:
    """Return what an item of the select list gives; None where its name is not certain."""
    column = _column(item, qualifiers)
    if column is not None:
        return Output(column, column)
    if len(item) == 3 and item[1].is_mark(".") and item[0].identifier and item[2].identifier:  # noqa: PLR2004 - a.b
        return Output(item[2].identifier)
    if len(item) > 2 and item[-2].keyword == "AS" and item[-2].depth == 0 and item[-1].identifier:  # noqa: PLR2004
        expression = item[:-2]
        return Output(item[-1].identifier, _column(expression, qualifiers), _cast(expression))
    return None


def _column(item: Words, qualifiers: frozenset[str]) -> str | None:
    match item:
        case [name]:
            return name.identifier
        case [qualifier, dot, name] if dot.is_mark(".") and qualifier.identifier in qualifiers:
            return name.identifier
    return None


def _cast(expression: Words) -> str | None:
    """Return the type of an expression that is one CAST, as far as its first word tells."""
    is_call = len(expression) > 1 and expression[1].is_mark("(") and expression[-1].is_mark(")")
    if not is_call or expression[0].keyword not in ("CAST", "TRY_CAST"):
        return None
    if any(word.depth == 0 for word in expression[2:-1]):
        return None
    last = max(
        (index for index, word in enumerate(expression) if word.keyword == "AS" and word.depth == 1),
        default=0,
    )
    return expression[last + 1].text if last else None


def _plain(items: list[Words]) -> Iterator[str]:
    for item in items:
        if len(item) == 1 and item[0].identifier:
            yield item[0].identifier


def _lone_names(part: Words) -> Iterator[str]:
    """Yield the identifiers outside of parentheses that are neither called nor qualified."""
    for position, word in enumerate(part):
        before, after = part[max(position - 1, 0) : position], part[position + 1 : position + 2]
        if (
            word.depth == 0
            and word.identifier
            and not any(near.text in (".", "(") for near in (*before, *after))
        ):
            yield word.identifier
