"""One file of a rule set: a checked document becomes a `Table` or a `Catalogue`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.engine.bodies import check_body, compile_body
from streamt_ol.engine.errors import DomainError, DuplicateRowError, TemplateError, UnknownFactError
from streamt_ol.engine.tables import CopyOf, Row, Table
from streamt_ol.engine.templates import compile_text, placeholders

if TYPE_CHECKING:
    from streamt_ol.engine.vocabulary import Domain, Value, Vocabulary

TEXTS = frozenset({"message", "identity", "pointer"})
"""Output types whose value is a template."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A keyed list of definitions: codes, namespaces, bounds."""

    name: str
    describes: str
    fields: Mapping[str, object]
    """Field name to its type as spelled in the catalogue."""
    entries: Mapping[str, Mapping[str, Any]]
    file: str

    def __getitem__(self, key: str) -> Mapping[str, Any]:
        """Return one definition; optional fields that it leaves out are absent."""
        return self.entries[key]


def read_catalogue(document: Mapping[str, Any], vocabulary: Vocabulary, file: str) -> Catalogue:
    """Return the catalogue of a checked document; every field has its declared type."""
    fields: Mapping[str, object] = document["entry"]
    for key, entry in document["entries"].items():
        _check_outputs(entry, fields, f"/entries/{key}")
        for name, value in entry.items():
            _check_constant(value, _type_of(fields, name), vocabulary, f"/entries/{key}/{name}")
    return Catalogue(document["catalogue"], document["describes"], fields, document["entries"], file)


def read_table(document: Mapping[str, Any], vocabulary: Vocabulary, file: str) -> Table:
    """Return the table of a checked document, compiled; `verifying.verify` says whether it may decide."""
    about = tuple(document["about"])
    inputs = {
        name: _input_domain(name, about, vocabulary, f"/inputs/{position}")
        for position, name in enumerate(document.get("inputs", ()))
    }
    outputs: Mapping[str, object] = document["outputs"]
    rows: dict[str, Row] = {}
    for position, spelled in enumerate(document["rows"]):
        location = f"/rows/{position}"
        if spelled["id"] in rows:
            raise DuplicateRowError(f"row id {spelled['id']!r} is used twice", location=f"{location}/id")
        when = {
            name: _condition(allowed, name, inputs, vocabulary, f"{location}/when/{name}")
            for name, allowed in spelled.get("when", {}).items()
        }
        records = [record for record in about if _can_match(when, record, vocabulary)]
        possible = {name: when.get(name, frozenset(domain)) for name, domain in inputs.items()}
        then = _outputs(spelled.get("then", {}), outputs, possible, records, vocabulary, f"{location}/then")
        rows[spelled["id"]] = Row(
            spelled["id"], when, then, tuple(spelled.get("cites", ())), location, _pattern(spelled, location)
        )
    return Table(
        document["table"],
        document["decides"],
        document["hit"],
        about,
        inputs,
        outputs,
        tuple(rows.values()),
        file,
    )


def _input_domain(name: str, about: Sequence[str], vocabulary: Vocabulary, location: str) -> Domain:
    values: dict[Value, None] = {}
    for record in about:
        fact = vocabulary.fact(record, name, location=location)
        if fact.domain is None:
            raise UnknownFactError(f"fact {name!r} of {record!r} is not finite", location=location)
        values |= dict.fromkeys(fact.domain)
    return tuple(values)


def _condition(
    allowed: object, name: str, inputs: Mapping[str, Domain], vocabulary: Vocabulary, location: str
) -> frozenset[Value]:
    """Return the values that a condition allows: one value, a list, or `$name` of a domain."""
    if name not in inputs:
        raise UnknownFactError(f"{name!r} is not an input of the table", location=location)
    if isinstance(allowed, str) and not allowed.startswith("$"):
        allowed = [allowed]
    values = frozenset(
        vocabulary.domain([allowed] if isinstance(allowed, bool) else allowed, location=location)
    )
    for value in values:
        _refuse_outside(value, inputs[name], location)
    return values


def _can_match(when: Mapping[str, frozenset[Value]], record: str, vocabulary: Vocabulary) -> bool:
    facts = vocabulary.records[record]
    return all(allowed & frozenset(facts[name].domain or ()) for name, allowed in when.items())


def _pattern(spelled: Mapping[str, Any], location: str) -> re.Pattern[str] | None:
    if "pattern" not in spelled:
        return None
    try:
        return re.compile(spelled["pattern"])
    except re.error as error:
        raise TemplateError(
            f"not a regular expression: {error.msg}", location=f"{location}/pattern"
        ) from None


def _check_outputs(given: Mapping[str, object], declared: Mapping[str, object], location: str) -> None:
    names = {name.removesuffix("?") for name in declared}
    for name in given:
        if name not in names:
            raise UnknownFactError(
                f"{name!r} is not declared; declared are {', '.join(sorted(names))}",
                location=f"{location}/{name}",
            )
    for name in declared:
        if not name.endswith("?") and name not in given:
            raise TemplateError(f"{name!r} is missing", location=location)


def _type_of(declared: Mapping[str, object], name: str) -> object:
    return declared[name] if name in declared else declared[f"{name}?"]


def _outputs(
    given: Mapping[str, Any],
    declared: Mapping[str, object],
    inputs: Mapping[str, frozenset[Value]],
    records: Sequence[str],
    vocabulary: Vocabulary,
    location: str,
) -> dict[str, Any]:
    _check_outputs(given, declared, location)
    made: dict[str, Any] = {}
    for name, value in given.items():
        kind, at = _type_of(declared, name), f"{location}/{name}"
        if kind == "body":
            for record in records:
                check_body(value, record, vocabulary, at)
            made[name] = compile_body(value)
        elif isinstance(kind, str) and kind in TEXTS:
            made[name] = _text(value, kind, records, vocabulary, at)
        elif isinstance(value, str) and value.startswith("$"):
            made[name] = _copy(value[1:], kind, inputs, vocabulary, at)
        else:
            _check_constant(value, kind, vocabulary, at)
            made[name] = value
    return made


def _text(value: Any, use: str, records: Sequence[str], vocabulary: Vocabulary, location: str) -> Any:
    if not isinstance(value, str):
        raise DomainError("a text is needed here", location=location)
    names = placeholders(value, location=location)
    facts = [vocabulary.fact(record, name, location=location) for record in records for name in names]
    return compile_text(value, use, frozenset(fact.name for fact in facts if fact.kind == "pointer"))


def _copy(
    name: str, kind: object, inputs: Mapping[str, frozenset[Value]], vocabulary: Vocabulary, location: str
) -> CopyOf:
    """Return a copy of an input, if every value that the row lets through is one of the output's."""
    if name not in inputs:
        raise UnknownFactError(f"{name!r} is not an input of the table", location=location)
    domain = vocabulary.domain(kind, location=location)
    for value in inputs[name]:
        _refuse_outside(value, domain, location)
    return CopyOf(name)


def _check_constant(value: object, kind: object, vocabulary: Vocabulary, location: str) -> None:
    if kind in ("text", "key", "code", "fact"):
        if not isinstance(value, str) or not value.strip():
            raise DomainError("a text is needed here", location=location)
    elif kind == "integer":
        if not isinstance(value, int) or isinstance(value, bool):
            raise DomainError("a whole number is needed here", location=location)
    elif isinstance(kind, Mapping):
        domain = vocabulary.domain(kind["some"], location=location)
        for item in value if isinstance(value, list) else [value]:
            _refuse_outside(item, domain, location)
    else:
        _refuse_outside(value, vocabulary.domain(kind, location=location), location)


def _refuse_outside(value: object, domain: Domain, location: str) -> None:
    # True equals 1 in Python, so the type is part of the comparison.
    if not any(value == known and type(value) is type(known) for known in domain):
        known = ", ".join(str(item).lower() if isinstance(item, bool) else str(item) for item in domain)
        raise DomainError(f"{value!r} is none of {known}", location=location)
