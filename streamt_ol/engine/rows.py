"""One row of a table: its conditions become a box, its outputs constants, copies and closures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.engine.bodies import check_body, compile_body
from streamt_ol.engine.errors import (
    ConditionError,
    DomainError,
    PatternError,
    TemplateError,
    UnknownInputError,
)
from streamt_ol.engine.faults import noted
from streamt_ol.engine.tables import CopyOf, Row
from streamt_ol.engine.templates import compile_text, placeholders
from streamt_ol.engine.types import BODY, TEXTS, UNREAD, check_constant, check_names, refuse_outside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.engine.faults import Report
    from streamt_ol.engine.tables import Hit
    from streamt_ol.engine.types import Type
    from streamt_ol.engine.vocabulary import Domain, Value, Vocabulary


class RowReader(NamedTuple):
    """Reads the rows of one table."""

    hit: Hit
    about: Sequence[str]
    asked: frozenset[str]
    """The inputs as written, also those that cannot be read."""
    inputs: Mapping[str, Domain]
    types: Mapping[str, Type]
    vocabulary: Vocabulary
    report: Report

    def read(self, spelled: Mapping[str, Any], location: str) -> Row:
        """Return a row. Conditions that could not be read are left out of it, and so are outputs.

        Which records such a row matches is not known, so what depends on that is not looked at.
        """
        written: Mapping[str, object] = spelled.get("when", {})
        when: dict[str, frozenset[Value]] = {}
        for name, allowed in written.items():
            if name in self.inputs or name not in self.asked:
                with noted(self.report):
                    when[name] = self._condition(allowed, name, f"{location}/when/{name}")
        whole = when.keys() == written.keys()
        records = [record for record in self.about if self._can_match(when, record)] if whole else []
        then = self._outputs(spelled.get("then", {}), when, records, f"{location}/then", whole=whole)
        pattern, whole_pattern = None, False
        with noted(self.report):
            pattern, whole_pattern = self._pattern(spelled, location), True
        whole = whole and whole_pattern
        return Row(spelled["id"], when, then, tuple(spelled.get("cites", ())), location, pattern, whole)

    def _condition(self, allowed: object, name: str, location: str) -> frozenset[Value]:
        """Return the values that a condition allows: one value, a list, or `$name` of a domain."""
        if name not in self.inputs:
            raise UnknownInputError(f"{name!r} is not an input of the table", location=location)
        if isinstance(allowed, bool) or (isinstance(allowed, str) and not allowed.startswith("$")):
            allowed = [allowed]
        values = self.vocabulary.domain(allowed, location=location)
        for value in values:
            refuse_outside(value, self.inputs[name], location, ConditionError)
        return frozenset(values)

    def _can_match(self, when: Mapping[str, frozenset[Value]], record: str) -> bool:
        facts = self.vocabulary.records[record]
        return all(allowed & frozenset(facts[name].domain or ()) for name, allowed in when.items())

    def _pattern(self, spelled: Mapping[str, Any], location: str) -> re.Pattern[str] | None:
        if self.hit == "pattern" and "when" in spelled:
            raise PatternError("a table with patterns looks at no condition", location=f"{location}/when")
        if "pattern" not in spelled:
            return None
        if self.hit != "pattern":
            raise PatternError(
                f"a table of hit policy {self.hit} looks at no pattern", location=f"{location}/pattern"
            )
        try:
            return re.compile(spelled["pattern"])
        except re.error as error:
            raise PatternError(
                f"not a regular expression: {error.msg}", location=f"{location}/pattern"
            ) from None

    def _outputs(
        self,
        given: Mapping[str, Any],
        when: Mapping[str, frozenset[Value]],
        records: Sequence[str],
        location: str,
        *,
        whole: bool,
    ) -> dict[str, Any]:
        check_names(given, self.types, location, self.report)
        made: dict[str, Any] = {}
        for name, value in given.items():
            kind, at = self.types.get(name), f"{location}/{name}"
            if kind is None or kind.kind == UNREAD:
                continue
            with noted(self.report):
                if kind.kind == BODY:
                    for record in records:
                        check_body(value, record, self.vocabulary, at, self.report)
                    made[name] = compile_body(value)
                elif kind.kind in TEXTS:
                    made[name] = self._text(value, kind.kind, records, at)
                elif isinstance(value, str) and value.startswith("$"):
                    made[name] = self._copy(value[1:], kind, when if whole else None, at)
                else:
                    check_constant(value, kind, at)
                    made[name] = value
        return made

    def _text(self, value: Any, use: str, records: Sequence[str], location: str) -> Any:
        if not isinstance(value, str):
            raise DomainError("a text is needed here", location=location)
        facts = []
        for name in dict.fromkeys(placeholders(value, location=location)):
            for record in records:
                with noted(self.report):
                    fact = self.vocabulary.fact(record, name, location=location)
                    if fact.optional or fact.each is not None:
                        why = "may be absent" if fact.optional else "is a list"
                        raise TemplateError(f"fact {name!r} {why}: no text can hold it", location=location)
                    facts.append(fact)
        return compile_text(value, use, frozenset(fact.name for fact in facts if fact.kind == "pointer"))

    def _copy(
        self, name: str, kind: Type, when: Mapping[str, frozenset[Value]] | None, location: str
    ) -> CopyOf:
        """Return a copy of an input, if every value that the row lets through is one of the output's."""
        if kind.kind != "one":
            raise DomainError("only an output of a domain can copy an input", location=location)
        if name not in self.inputs and name not in self.asked:
            raise UnknownInputError(f"{name!r} is not an input of the table", location=location)
        if when is not None:
            for value in when.get(name, self.inputs.get(name, ())):
                refuse_outside(value, kind.domain, location)
        return CopyOf(name)
