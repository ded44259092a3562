"""What YAML 1.1 reads a scalar as, decided by PyYAML's own resolver and safe constructor.

`no` is a boolean, `017` is fifteen, `12:30:45` is a number, `1e3` is a string. What no project field can
take is refused here: dates, infinity, integers too long to print.
"""

from __future__ import annotations

from typing import Any

import yaml

Scalar = str | int | float | bool | None

_CORE = "tag:yaml.org,2002:"
STR, INT, FLOAT, BOOL, NULL = (_CORE + name for name in ("str", "int", "float", "bool", "null"))
SEQ, MAP, MERGE, VALUE = (_CORE + name for name in ("seq", "map", "merge", "value"))
SCALAR_TAGS = frozenset({STR, INT, FLOAT, BOOL, NULL})

_RESOLVERS: dict[str, list[tuple[str, Any]]] = yaml.resolver.Resolver.yaml_implicit_resolvers
_SAFE = yaml.constructor.SafeConstructor()
_CONSTRUCT: dict[str, Any] = {
    INT: _SAFE.construct_yaml_int,
    FLOAT: _SAFE.construct_yaml_float,
    BOOL: _SAFE.construct_yaml_bool,
    NULL: _SAFE.construct_yaml_null,
}
_READ_AS = {
    _CORE + "timestamp": "a date or a time",
    MERGE: "the sign of a merge",
    VALUE: "the sign of a default value",
}
_LONGEST_NUMBER = 1000
"""Characters. Python prints integers up to 4300 digits (`sys.set_int_max_str_digits`), and a thousand
characters make fewer digits in each of YAML's notations; reading sexagesimals costs the square."""


class UnusableTextError(ValueError):
    """The text of a scalar cannot be used; its argument says what YAML reads it as: `a date or a time`."""


def implicit_tag(text: str) -> str:
    """Return the tag that YAML gives a plain scalar."""
    for tag, pattern in _RESOLVERS.get(text[:1], ()):
        if pattern.match(text):
            return str(tag)
    return STR


def plain(text: str) -> Scalar:
    """Return the value of a plain scalar. Raises UnusableTextError."""
    tag = implicit_tag(text)
    return text if tag == STR else _construct(tag, text)


def tagged(tag: str, text: str) -> Scalar:
    """Return the value of a scalar under one of SCALAR_TAGS. Raises UnusableTextError.

    A tag chooses the reading and does not convert: `!!int "5"` is 5, `!!int five` is refused.
    """
    if tag == STR:
        return text
    natural = implicit_tag(text)
    if natural != tag and (tag, natural) != (FLOAT, INT):
        raise UnusableTextError(f"something else than the tag `!!{tag.removeprefix(_CORE)}` says")
    return _construct(tag, text)


def describe(value: object) -> str:
    """Return what a value is, for a message: `the boolean false`, `the integer 5`, `null`, `a mapping`.

    Strings are not shown.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int):
        return f"the integer {value}"
    if isinstance(value, float):
        return f"the number {value!r}"
    if isinstance(value, str):
        return "a string"
    return "a mapping" if isinstance(value, dict) else "a list"


def _construct(tag: str, text: str) -> Scalar:
    if tag in _READ_AS:
        raise UnusableTextError(_READ_AS[tag])
    if len(text) > _LONGEST_NUMBER:
        raise UnusableTextError(f"a number of more than {_LONGEST_NUMBER} characters")
    try:
        value: Scalar = _CONSTRUCT[tag](yaml.ScalarNode(tag, text))
    except (ValueError, OverflowError):  # `0x_` has no digit, and seven hundred sixties are no float
        raise UnusableTextError("a number that it cannot hold") from None
    if isinstance(value, float) and not abs(value) < float("inf"):
        raise UnusableTextError("infinity or not a number")
    return value
