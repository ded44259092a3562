"""Which columns a query gives, where its words say it; nothing is guessed where they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from streamt_ol.deploy.flink_sql.words import Word, Words

_ENDS = frozenset(
    {
        *("FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "LIMIT", "OFFSET", "FETCH"),
        *("UNION", "INTERSECT", "EXCEPT", "MINUS"),
    }
)


def projection(words: Words, inputs: Mapping[str, Sequence[str]], known: Collection[str]) -> list[str] | None:
    """Return the names that a query gives its columns, in order; None where one of them is not certain.

    `inputs` are the columns of the tables that it reads, `known` the names that a word alone may be: any
    other may as well be a function without parentheses.
    """
    words = _main(words)
    if not words:
        return None
    end = next((index for index, word in enumerate(words) if _ends(word)), len(words))
    items, behind = _items(words[:end]), words[end:]
    if len(items) == 1 and items[0] and items[0][-1].is_mark("*") and len(items[0]) in (1, 3):
        return _all_of(items[0][:-2], behind, inputs)
    names = [_name(item, known) for item in items]
    certain = [name for name in names if name is not None]
    return certain if certain and len(certain) == len(names) else None


def _main(words: Words) -> Words:
    """Return what follows the SELECT that gives the columns; nothing where that is not plain."""
    with_tables = bool(words) and words[0].keyword == "WITH"
    for index, word in enumerate(words):
        if word.depth == 0 and word.keyword == "SELECT":
            rest = words[index + 1 :]
            while rest and (rest[0].kind == "hint" or rest[0].keyword in ("DISTINCT", "ALL")):
                rest = rest[1:]
            return rest
        if not with_tables:
            break
    return ()


def _ends(word: Word) -> bool:
    return word.depth == 0 and word.keyword.partition(" ")[0] in _ENDS


def _items(words: Words) -> list[list[Word]]:
    items: list[list[Word]] = [[]]
    for word in words:
        if word.depth == 0 and word.is_mark(","):
            items.append([])
        else:
            items[-1].append(word)
    return items


def _name(item: list[Word], known: Collection[str]) -> str | None:
    """Return `b` for `... AS b`, `b` and `a.b`."""
    if len(item) > 2 and item[-2].keyword == "AS" and item[-1].is_name and item[-1].depth == 0:  # noqa: PLR2004
        return item[-1].text
    names, points = item[::2], item[1::2]
    path = (
        len(item) % 2 == 1 and all(name.is_name for name in names) and all(dot.is_mark(".") for dot in points)
    )
    if not path or (item[-1].kind == "name" and item[-1].text not in known):
        return None
    return item[-1].text


def _all_of(of: Sequence[Word], behind: Words, inputs: Mapping[str, Sequence[str]]) -> list[str] | None:
    """Return the columns of the one table that is read, where it is one of the inputs and alone.

    `of` is what stands before the point of `a.*`, the name of the table or another one that it is given.
    """
    if len(behind) < 2 or behind[0].keyword != "FROM" or not behind[1].is_name:  # noqa: PLR2004
        return None
    table, *rest = behind[1:]
    called = table.text
    if rest and rest[0].keyword == "AS":
        rest = rest[1:]
    if rest and rest[0].is_name and rest[0].keyword not in _ENDS:
        called, rest = rest[0].text, rest[1:]
    alone = not rest or rest[0].keyword == "WHERE"
    meant = not of or of[0].text == called
    return list(inputs[table.text]) if alone and meant and table.text in inputs else None
