"""What templates are offered of Jinja2 and of Python, by name.

Offered is what has the same result in every run, makes plain text and can be bounded: of Jinja2's own
globals all but `lipsum`, of its filters those listed here, all of its tests. Not offered are randomness,
HTML, printing of objects, `%` on text, and changes to a list or mapping. What this program has in place of
some of them is in `sandbox.py`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

GLOBALS = ("cycler", "dict", "joiner", "namespace")
COLLECTION_FILTERS = (
    *("abs", "count", "d", "default", "dictsort", "first", "float", "groupby", "int", "items", "last"),
    *("length", "list", "map", "max", "min", "reject", "rejectattr", "reverse", "select", "selectattr"),
    *("sort", "unique"),
)
TEXT_FILTERS = ("capitalize", "lower", "string", "title", "trim", "upper")
METHODS: Mapping[type, tuple[str, ...]] = {
    str: (
        *("capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha", "isascii"),
        *("isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isspace", "istitle", "isupper"),
        *("lower", "lstrip", "partition", "removeprefix", "removesuffix", "rfind", "rindex", "rpartition"),
        *("rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper"),
    ),
    list: ("count", "index"),
    tuple: ("count", "index"),
    dict: ("get", "items", "keys", "values"),
    int: (),
    bool: (),
    float: (),
    type: (),
    partial: (),
}
"""The methods that a template may call on values of these types; they make nothing larger than the value.

Three more methods of text, `format`, `join` and `replace`, are those of `BoundedText`.
"""
