"""One file of a rule set: a checked document becomes a `Table` or a `Catalogue`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.engine.errors import DomainError, DuplicateRowError, UnknownInputError
from streamt_ol.engine.faults import noted, refuse
from streamt_ol.engine.rows import RowReader
from streamt_ol.engine.tables import Table
from streamt_ol.engine.types import TEMPLATES, UNREAD, Type, check_constant, check_names, read_types
from streamt_ol.ground.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.engine.faults import Report
    from streamt_ol.engine.vocabulary import Domain, Value, Vocabulary


class Catalogue:
    """A keyed list of definitions: codes, namespaces, bounds."""

    __slots__ = ("describes", "entries", "fields", "file", "name")

    def __init__(
        self,
        name: str,
        describes: str,
        fields: Mapping[str, object],
        entries: Mapping[str, Mapping[str, Any]],
        file: str,
    ) -> None:
        self.name = name
        self.describes = describes
        self.fields = fields
        """Field name to its type as spelled in the catalogue."""
        self.entries = entries
        self.file = file

    def __getitem__(self, key: str) -> Mapping[str, Any]:
        """Return one definition; optional fields that it leaves out are absent."""
        return self.entries[key]


def read_catalogue(
    document: Mapping[str, Any], vocabulary: Vocabulary, file: str, report: Report = refuse
) -> Catalogue:
    """Return the catalogue of a checked document; every field has its declared type."""
    fields: Mapping[str, object] = document["entry"]
    types = read_types(fields, vocabulary, "/entry", report)
    for spelled in fields:
        name = spelled.removesuffix("?")
        if types[name].kind in TEMPLATES:
            report(DomainError("a catalogue holds no templates", location=f"/entry/{spelled}"))
            types[name] = Type(UNREAD, types[name].optional)
    for key, entry in document["entries"].items():
        location = f"/entries/{escape(key)}"
        check_names(entry, types, location, report)
        for name, value in entry.items():
            if name in types:
                with noted(report):
                    check_constant(value, types[name], f"{location}/{name}")
    return Catalogue(document["catalogue"], document["describes"], fields, document["entries"], file)


def read_table(
    document: Mapping[str, Any], vocabulary: Vocabulary, file: str, report: Report = refuse
) -> Table:
    """Return the table of a checked document, compiled; `verifying.faults` says whether it may decide."""
    about = _about(document["about"], vocabulary, report)
    asked: Sequence[str] = document.get("inputs", ())
    inputs: dict[str, Domain] = {}
    if len(about) == len(document["about"]):  # else nobody knows what the inputs can be
        for position, name in enumerate(asked):
            with noted(report):
                inputs[name] = _input_domain(name, about, vocabulary, f"/inputs/{position}")
    types = read_types(document["outputs"], vocabulary, "/outputs", report)
    reader = RowReader(document["hit"], about, frozenset(asked), inputs, types, vocabulary, report)
    rows = [reader.read(spelled, f"/rows/{position}") for position, spelled in enumerate(document["rows"])]
    ids: set[str] = set()
    for row in rows:
        if row.id in ids:
            report(DuplicateRowError(f"row id {row.id!r} is used twice", location=f"{row.pointer}/id"))
        ids.add(row.id)
    return Table(
        document["table"],
        document["decides"],
        document["hit"],
        about,
        inputs,
        document["outputs"],
        tuple(rows),
        file,
    )


def _about(written: Sequence[str], vocabulary: Vocabulary, report: Report) -> tuple[str, ...]:
    known = []
    for position, record in enumerate(written):
        with noted(report):
            vocabulary.facts(record, location=f"/about/{position}")
            known.append(record)
    return tuple(known)


def _input_domain(name: str, about: Sequence[str], vocabulary: Vocabulary, location: str) -> Domain:
    values: dict[Value, None] = {}
    for record in about:
        facts = vocabulary.facts(record, location=location)
        if name not in facts:
            finite = ", ".join(fact.name for fact in facts.values() if fact.domain is not None)
            raise UnknownInputError(
                f"record {record!r} has no fact {name!r}; its finite facts are {finite}", location=location
            )
        domain = facts[name].domain
        if domain is None:
            raise UnknownInputError(f"fact {name!r} of {record!r} is not finite", location=location)
        values |= dict.fromkeys(domain)
    return tuple(values)
