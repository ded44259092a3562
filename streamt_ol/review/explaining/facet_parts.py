"""The facets of an event, leaf by leaf: which row and which text gave each, and what was left out and why.

The body of a row is a template, so a leaf and its row are found by walking the template beside the facet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.engine.bodies import used_facts
from streamt_ol.ground.pointer import escape
from streamt_ol.lineage.texts import text_state
from streamt_ol.review.explaining.heard import TEXTS
from streamt_ol.review.explaining.parts import Part, left_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.tables import Question, Row
    from streamt_ol.lineage.facts import DatasetFacts, JobFacts
    from streamt_ol.review.explaining.heard import Heard
    from streamt_ol.review.tables.rule_files import RowPlace

FACETS = "facets"


def facet_parts(facts: DatasetFacts | JobFacts, facets: Mapping[str, Any], heard: Heard) -> Iterator[Part]:
    """Yield every leaf of the facets of an entity, and every facet and leaf that was left out.

    Pointers begin with the name of the facet.
    """
    question = next((one for one in heard.questions if one.table == FACETS and one.record is facts), None)
    if question is None:
        return
    table = heard.files.rules.table(FACETS)
    for decision in question.decisions:
        key = decision["facet"]
        body = heard.files.spelled(table, decision.row)["then"]["body"]
        walk = _Walk(facts, heard, heard.files.place(table, decision.row))
        yield from walk.leaves(body, facets[key], f"/{escape(key)}")
    yield from _missing_facets(facts, question, heard)


def _missing_facets(facts: DatasetFacts | JobFacts, question: Question, heard: Heard) -> Iterator[Part]:
    """Yield the facets that a row would have given this kind of entity, had a fact been another."""
    table = heard.files.rules.table(FACETS)
    given = {decision["facet"] for decision in question.decisions}
    for row in table.rows:
        key = row.then["facet"]
        if key in given or facts.entity not in row.when.get("entity", {facts.entity}):
            continue
        body = heard.files.spelled(table, row)["then"]["body"]
        rows = [heard.files.place(table, row)]
        for fact in used_facts(body):
            rows += heard.rows([fact], facts.at)
            rows += heard.rows([TEXTS], f"{facts.at}/{fact}")
        yield left_out(f"/{escape(key)}", _unmet(row, facts), rows)


def _unmet(row: Row, facts: object) -> str:
    """Return the conditions of a row that a record does not meet."""
    unmet = [
        f"{name} is {_word(getattr(facts, name))}, the row needs {' or '.join(sorted(map(_word, allowed)))}"
        for name, allowed in row.when.items()
        if getattr(facts, name) not in allowed
    ]
    return "; ".join(unmet)


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A walk through one facet beside the template that made it."""

    facts: Any
    heard: Heard
    row: RowPlace

    def leaves(self, spelled: Any, made: Any, path: str) -> Iterator[Part]:
        yield from self._node(spelled, made, path, self.facts, self.facts.at, ())

    def _node(
        self, spelled: Any, made: Any, path: str, raw: Any, at: str, chosen: tuple[RowPlace, ...]
    ) -> Iterator[Part]:
        """Yield the leaves below a node; `raw` holds what was declared, at the pointer `at`."""
        if isinstance(spelled, Mapping) and spelled.keys() == {"each", "as"}:
            yield from self._list(spelled, made, path)
        elif isinstance(spelled, Mapping):
            for key, value in spelled.items():
                below = f"{path}/{escape(key)}"
                if key in made:
                    yield from self._node(value, made[key], below, raw, at, chosen)
                else:
                    fact = value[1:-1]
                    why = f"{fact} is {text_state(getattr(raw, fact))}"
                    yield left_out(below, why, [self.row, *chosen, *self._text(at, fact)])
        elif isinstance(spelled, list):
            for index, (value, item) in enumerate(zip(spelled, made, strict=True)):
                yield from self._node(value, item, f"{path}/{index}", raw, at, chosen)
        else:
            copied = isinstance(spelled, str) and spelled.startswith("$")
            texts = self._text(at, spelled[1:].removesuffix("?")) if copied else ()
            yield Part(path, made, (self.row, *chosen, *texts))

    def _list(self, spelled: Mapping[str, Any], made: list[Any], path: str) -> Iterator[Part]:
        """Yield the leaves of a list. Which declared items it is made of, the table of its name says."""
        name = spelled["each"]
        question = self.heard.last(name, self.facts.at)
        declared = getattr(self.facts, name)
        chosen: tuple[RowPlace, ...] = ()
        if question is not None:
            declared = getattr(question.record, question.decisions[0]["from"])
            chosen = self.heard.answers(question)
        list_at = getattr(self.facts, f"{name}_at", f"{self.facts.at}/{name}")
        for index, (raw, item) in enumerate(zip(declared, made, strict=True)):
            yield from self._node(spelled["as"], item, f"{path}/{index}", raw, f"{list_at}/{index}", chosen)

    def _text(self, at: str, fact: str) -> tuple[RowPlace, ...]:
        return self.heard.rows([TEXTS], f"{at}/{fact}")
