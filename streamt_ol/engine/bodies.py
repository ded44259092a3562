"""Bodies of facets: constants, `$fact`, `$fact?` and `each`, compiled to closures.

`$x` copies a fact, `$x?` leaves its key out where the fact is None, `{each: xs, as: {...}}` maps a list.
A body holds nothing else: no arithmetic, no condition, no code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from streamt_ol.engine.errors import TemplateError, UnknownFactError
from streamt_ol.engine.faults import noted, refuse
from streamt_ol.ground.pointer import escape

if TYPE_CHECKING:
    from streamt_ol.engine.faults import Report
    from streamt_ol.engine.vocabulary import Vocabulary

Maker = Callable[[Any], Any]

EACH = frozenset({"each", "as"})
"""The keys of a value that maps a list."""


def used_facts(body: object) -> Iterator[str]:
    """Yield the facts that a body takes from the record itself (those inside `as` belong to the items)."""
    if isinstance(body, str) and body.startswith("$"):
        yield body[1:].removesuffix("?")
    elif isinstance(body, list):
        for item in body:
            yield from used_facts(item)
    elif isinstance(body, Mapping):
        if body.keys() == EACH:
            yield body["each"]
        else:
            for value in body.values():
                yield from used_facts(value)


def check_body(
    body: object, record: str, vocabulary: Vocabulary, location: str, report: Report = refuse
) -> None:
    """Report facts that the record lacks, and facts that are copied in another way than they are declared."""
    if isinstance(body, str) and body.startswith("$"):
        with noted(report):
            _check_copy(body, record, vocabulary, location)
    elif isinstance(body, list):
        for position, item in enumerate(body):
            check_body(item, record, vocabulary, f"{location}/{position}", report)
    elif isinstance(body, Mapping):
        if body.keys() == EACH:
            with noted(report):
                of = _listed(body["each"], record, vocabulary, f"{location}/each")
                check_body(body["as"], of, vocabulary, f"{location}/as", report)
        else:
            for key, value in body.items():
                check_body(value, record, vocabulary, f"{location}/{escape(key)}", report)


def _check_copy(body: str, record: str, vocabulary: Vocabulary, location: str) -> None:
    fact = vocabulary.fact(record, body[1:].removesuffix("?"), location=location)
    if fact.each is not None:
        raise TemplateError(f"fact {fact.name!r} is a list: use each", location=location)
    if fact.optional != body.endswith("?"):
        spelled = f"${fact.name}?" if fact.optional else f"${fact.name}"
        raise TemplateError(f"fact {fact.name!r} of {record!r} is copied as {spelled}", location=location)


def _listed(name: object, record: str, vocabulary: Vocabulary, location: str) -> str:
    """Return the kind of the records that a fact lists."""
    fact = vocabulary.fact(record, str(name), location=location)
    if fact.each is None:
        raise UnknownFactError(f"fact {fact.name!r} is not a list", location=location)
    return fact.each


def compile_body(body: object) -> Maker:
    """Return the closure that makes a fresh plain value from a record."""
    if isinstance(body, str) and body.startswith("$"):
        return attrgetter(body[1:].removesuffix("?"))
    if isinstance(body, Mapping):
        return _each(body) if body.keys() == EACH else _mapping(body)
    if isinstance(body, list):
        makers = [compile_body(item) for item in body]
        return lambda record: [make(record) for make in makers]
    return lambda _record: body


def _each(body: Mapping[str, Any]) -> Maker:
    items, make = attrgetter(str(body["each"])), compile_body(body["as"])
    return lambda record: [make(item) for item in items(record)]


def _mapping(body: Mapping[str, Any]) -> Maker:
    constants = {
        key: value
        for key, value in body.items()
        if not isinstance(value, (str, Mapping, list))
        or (isinstance(value, str) and not value.startswith("$"))
    }
    required = [
        (key, compile_body(value))
        for key, value in body.items()
        if key not in constants and not _is_optional(value)
    ]
    optional = [(key, compile_body(value)) for key, value in body.items() if _is_optional(value)]

    def make(record: Any) -> dict[str, Any]:
        made = constants.copy()
        for key, maker in required:
            made[key] = maker(record)
        for key, maker in optional:
            value = maker(record)
            if value is not None:
                made[key] = value
        return made

    return make


def _is_optional(value: object) -> bool:
    return isinstance(value, str) and value.startswith("$") and value.endswith("?")
