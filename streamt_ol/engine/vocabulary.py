"""The vocabulary of a rule set: named finite domains, and the facts of each kind of record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.engine.errors import (
    RepeatedValueError,
    UnknownDomainError,
    UnknownFactError,
    UnknownRecordError,
)
from streamt_ol.engine.faults import noted, refuse

if TYPE_CHECKING:
    from streamt_ol.engine.faults import Report

Value = str | bool
Domain = tuple[Value, ...]

_BOOLEAN: Domain = (True, False)


class Fact(NamedTuple):
    """One fact of a record: finite (`domain`), a value of a kind, or a list of records (`each`)."""

    name: str
    domain: Domain | None = None
    kind: str | None = None
    """`text`, `integer` or `pointer`."""
    optional: bool = False
    each: str | None = None


class Vocabulary(NamedTuple):
    """Every domain and record that tables may name."""

    domains: Mapping[str, Domain]
    records: Mapping[str, Mapping[str, Fact]]

    def fact(self, record: str, name: str, *, location: str) -> Fact:
        """Return a fact of a record; UnknownFactError names what exists."""
        facts = self.facts(record, location=location)
        if name not in facts:
            known = ", ".join(facts)
            raise UnknownFactError(
                f"record {record!r} has no fact {name!r}; it has {known}", location=location
            )
        return facts[name]

    def facts(self, record: str, *, location: str) -> Mapping[str, Fact]:
        """Return the facts of a record; UnknownRecordError names the records that exist."""
        if record not in self.records:
            known = ", ".join(self.records)
            raise UnknownRecordError(f"there is no record {record!r}; known are {known}", location=location)
        return self.records[record]

    def domain(self, spelled: object, *, location: str) -> Domain:
        """Return the values of a domain as spelled in a table: a list, `$name`, or a list holding `$name`."""
        return _expand(spelled, self.domains, location)


def read_vocabulary(document: Mapping[str, object], report: Report = refuse) -> Vocabulary:
    """Return the vocabulary of a checked `facts.yml` document; after a fault it is not fit for use."""
    domains: dict[str, Domain] = {"boolean": _BOOLEAN}
    for name, spelled in _mapping(document["domains"]).items():
        values: Domain = ()
        with noted(report):
            values = _expand(spelled, domains, f"/domains/{name}")
        domains[name] = values  # also without values: uses of the name are no further faults
    records: dict[str, dict[str, Fact]] = {}
    for record, facts in _mapping(document["records"]).items():
        records[record] = {}
        for name, spelled in _mapping(facts).items():
            with noted(report):
                records[record][name] = _fact(name, spelled, domains, f"/records/{record}/{name}")
    for record, facts_of in records.items():
        for fact in facts_of.values():
            if fact.each is not None and fact.each not in records:
                report(
                    UnknownFactError(
                        f"fact {fact.name!r} lists records of kind {fact.each!r}, which is not declared",
                        location=f"/records/{record}/{fact.name}",
                    )
                )
    return Vocabulary(domains, records)


def _mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, Mapping)  # noqa: S101 - the table language was checked before
    return value


def _fact(name: str, spelled: object, domains: Mapping[str, Domain], location: str) -> Fact:
    if isinstance(spelled, Mapping):
        return Fact(name, each=spelled["each"])
    if isinstance(spelled, str) and not spelled.startswith("$"):
        return Fact(name, kind=spelled.removesuffix("?"), optional=spelled.endswith("?"))
    return Fact(name, domain=_expand(spelled, domains, location))


def _expand(spelled: object, domains: Mapping[str, Domain], location: str) -> Domain:
    if isinstance(spelled, str):
        name = spelled.removeprefix("$")
        if name not in domains:
            raise UnknownDomainError(f"there is no domain {name!r}", location=location)
        return domains[name]
    values: list[Value] = []
    assert isinstance(spelled, Sequence)  # noqa: S101 - the table language was checked before
    for item in spelled:
        values.extend(
            _expand(item, domains, location) if isinstance(item, str) and item.startswith("$") else (item,)
        )
    if len(set(values)) != len(values):
        raise RepeatedValueError("a domain lists a value twice", location=location)
    return tuple(values)
