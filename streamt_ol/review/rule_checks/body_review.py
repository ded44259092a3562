"""A body beside the definition of its facet: what the body could say, and what the schema permits.

What a fact can be follows from its kind, from the conditions of the row, and from a habit of the vocabulary:
the fact `x` is absent, and the list `x` empty, in the states `absent` and `empty` of the fact `x_state` and
in no other. Of a fact without such a state nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.engine.bodies import EACH
from streamt_ol.ground.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.vocabulary import Fact, Vocabulary
    from streamt_ol.lineage.facet_rows import FacetUse
    from streamt_ol.review.rule_checks.definitions import Definition

ADDED = frozenset({"_producer", "_schemaURL"})
"""Keys that the program gives every facet."""
_MISSING = frozenset({"absent", "empty"})
_TYPES = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
_KINDS = {"text": "string", "pointer": "string", "integer": "integer"}


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that a body must not say, or does not say."""

    kind: str
    """The name of the check that shows it."""
    pointer: str
    message: str


@dataclass(frozen=True, slots=True)
class BodyReview:
    """Looks at the body of one use of a facet."""

    vocabulary: Vocabulary
    use: FacetUse

    def value(self, spelled: Any, definition: Definition, at: str, record: str) -> Iterator[Flaw]:
        """Yield what is wrong with a value of a body that is made from a record of the kind given.

        Facts that do not exist, or are copied in another way than declared, are left to the reading of rules.
        """
        types = definition.types
        given = self._types_of(spelled, record)
        if types is not None and not all(_is_one_of(kind, types) for kind in given):
            wanted = " or ".join(sorted(types)) or "nothing"
            message = f"{self._facet} wants {wanted} here, and is given {' or '.join(sorted(given))}"
            yield Flaw("field-type", at, message)
        elif isinstance(spelled, str) and spelled.startswith("$"):
            yield from self._copy(spelled, definition, at, record)
        elif isinstance(spelled, Mapping):
            look = self._each if spelled.keys() == EACH else self._object
            yield from look(spelled, definition, at, record)
        elif isinstance(spelled, list):
            yield from self._list(spelled, definition, at, record)
        elif not definition.accepts(spelled):
            message = f"{spelled!r} does not satisfy {definition.limits} of {self._facet}"
            yield Flaw("field-type", at, message)

    def may_miss(self, spelled: Any, record: str) -> bool:
        """Whether a value of a body may be absent."""
        optional = isinstance(spelled, str) and spelled.startswith("$") and spelled.endswith("?")
        return optional and self._may_be_none(spelled[1:-1], record)

    @property
    def _facet(self) -> str:
        return f"the {self.use.key} facet of a {self.use.entity}"

    def _types_of(self, spelled: Any, record: str) -> set[str]:
        """Return the JSON types that a value can have; none where its fact is not known."""
        if isinstance(spelled, Mapping) and spelled.keys() == EACH:
            return {"array"}
        if not (isinstance(spelled, str) and spelled.startswith("$")):
            return {_TYPES.get(type(spelled), "null")}
        fact = self._fact(spelled, record)
        if fact is None:
            return set()
        if fact.kind is not None:
            return {_KINDS[fact.kind]}
        return {_TYPES[type(value)] for value in fact.domain or ()}

    def _copy(self, spelled: str, definition: Definition, at: str, record: str) -> Iterator[Flaw]:
        fact = self._fact(spelled, record)
        if fact is None or definition.limits is None:
            return
        if fact.kind is not None:
            message = f"fact {fact.name!r} need not satisfy {definition.limits} of {self._facet}"
            yield Flaw("field-type", at, message)
        known = self.use.box if record == self.use.record else {}
        for value in sorted(known.get(fact.name, fact.domain or ()), key=str):
            if not definition.accepts(value):
                message = f"{value!r}, which {fact.name!r} can be, does not satisfy {definition.limits}"
                yield Flaw("field-type", at, f"{message} of {self._facet}")

    def _object(
        self, spelled: Mapping[str, Any], definition: Definition, at: str, record: str
    ) -> Iterator[Flaw]:
        fields = definition.fields
        for key, value in spelled.items():
            below = f"{at}/{escape(key)}"
            if key in fields:
                yield from self.value(value, fields[key], below, record)
            elif fields:
                known = ", ".join(sorted(fields.keys() - ADDED))
                yield Flaw("unknown-field", below, f"{self._facet} has no {key!r} here; it has {known}")
        for name in sorted(definition.required - ADDED):
            if name not in spelled:
                message = f"{self._facet} must have {name!r} here"
                yield Flaw("required-field", f"{at}/{escape(name)}", message)
            elif self.may_miss(spelled[name], record):
                message = f"{self._facet} must have {name!r} here, and {spelled[name]} may leave it out"
                yield Flaw("required-field", f"{at}/{escape(name)}", message)

    def _list(self, spelled: list[Any], definition: Definition, at: str, record: str) -> Iterator[Flaw]:
        if not spelled:
            yield Flaw("empty-list", at, "an empty list, which no event may hold")
        for position, item in enumerate(spelled):
            yield from self._item(item, definition, f"{at}/{position}", record)

    def _each(
        self, spelled: Mapping[str, Any], definition: Definition, at: str, record: str
    ) -> Iterator[Flaw]:
        fact = self._fact(f"${spelled['each']}", record)
        if fact is None or fact.each is None:
            return
        if self._may_be_none(fact.name, record):
            message = f"the list {fact.name!r} may be empty, and no event may hold an empty list"
            yield Flaw("empty-list", f"{at}/each", message)
        yield from self._item(spelled["as"], definition, f"{at}/as", fact.each)

    def _item(self, spelled: Any, definition: Definition, at: str, record: str) -> Iterator[Flaw]:
        if self.may_miss(spelled, record):
            yield Flaw("field-type", at, f"{spelled} may be absent, and an item of a list cannot be left out")
        else:
            yield from self.value(spelled, definition.items, at, record)

    def _may_be_none(self, name: str, record: str) -> bool:
        """Whether a fact may be absent, or a list empty, as far as the row says."""
        state = self.vocabulary.records.get(record, {}).get(f"{name}_state")
        if state is None or state.domain is None:
            return True
        known = self.use.box if record == self.use.record else {}
        return bool(_MISSING & known.get(state.name, frozenset(state.domain)))

    def _fact(self, copied: str, record: str) -> Fact | None:
        return self.vocabulary.records.get(record, {}).get(copied[1:].removesuffix("?"))


def _is_one_of(kind: str, types: frozenset[str]) -> bool:
    return kind in types or (kind == "integer" and "number" in types)
