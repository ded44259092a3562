"""Types of outputs and of fields of catalogues, as declared, and the values that files give for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.engine.errors import DomainError, OutputLeftOutError, UndeclaredOutputError
from streamt_ol.engine.faults import noted

if TYPE_CHECKING:
    from streamt_ol.engine.faults import Report
    from streamt_ol.engine.vocabulary import Domain, Vocabulary

TEXTS = frozenset({"message", "identity", "pointer"})
"""Types whose value is a text template."""
BODY = "body"
"""The type whose value is the template of a facet."""
TEMPLATES = TEXTS | {BODY}
_PLAIN = frozenset({"text", "key", "code", "fact"})
UNREAD = "unread"
"""The type of what cannot be understood: every value passes, because the type itself is the fault."""


class Type(NamedTuple):
    """What an output or a field holds."""

    kind: str
    """A word of the table language; `one` or `some` of a domain, or `unread`."""
    optional: bool
    domain: Domain = ()


def read_types(
    declared: Mapping[str, object], vocabulary: Vocabulary, location: str, report: Report
) -> dict[str, Type]:
    """Return the types by name; the mark `?` of an optional one is no part of its name."""
    types: dict[str, Type] = {}
    for spelled, kind in declared.items():
        name, optional = spelled.removesuffix("?"), spelled.endswith("?")
        types[name] = Type(UNREAD, optional)
        with noted(report):
            types[name] = _read_type(kind, vocabulary, f"{location}/{spelled}", optional=optional)
    return types


def _read_type(kind: object, vocabulary: Vocabulary, location: str, *, optional: bool) -> Type:
    if isinstance(kind, Mapping):
        return Type("some", optional, vocabulary.domain(kind["some"], location=location))
    if isinstance(kind, str) and not kind.startswith("$"):
        return Type(kind, optional)
    return Type("one", optional, vocabulary.domain(kind, location=location))


def check_names(
    given: Mapping[str, object], types: Mapping[str, Type], location: str, report: Report
) -> None:
    """Report names that are not declared, and declared ones that are missing."""
    for name in given:
        if name not in types:
            report(
                UndeclaredOutputError(
                    f"{name!r} is not declared; declared are {', '.join(sorted(types))}",
                    location=f"{location}/{name}",
                )
            )
    for name, kind in types.items():
        if not kind.optional and name not in given:
            report(OutputLeftOutError(f"{name!r} is missing", location=f"{location}/{name}"))


def check_constant(value: object, kind: Type, location: str) -> None:
    """Refuse a value of another type than declared."""
    if kind.kind in _PLAIN:
        if not isinstance(value, str) or not value.strip():
            raise DomainError("a text is needed here", location=location)
    elif kind.kind == "integer":
        if not isinstance(value, int) or isinstance(value, bool):
            raise DomainError("a whole number is needed here", location=location)
    elif kind.kind != UNREAD:
        for item in value if kind.kind == "some" and isinstance(value, list) else [value]:
            refuse_outside(item, kind.domain, location)


def refuse_outside(
    value: object, domain: Domain, location: str, cause: type[DomainError] = DomainError
) -> None:
    """Refuse a value that a domain does not have."""
    for known in domain:
        # True equals 1 in Python, so the type is part of the comparison.
        if value == known and type(value) is type(known):
            return
    words = ", ".join(map(_word, domain))
    shown = _word(value) if isinstance(value, bool) else repr(value)
    raise cause(f"{shown} is none of {words}", location=location)


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
