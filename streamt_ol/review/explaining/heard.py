"""What the tables were asked during one export, found again by what it was about."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from streamt_ol.engine.tables import Question
    from streamt_ol.review.tables.rule_files import RowPlace, RuleFiles

TEXTS = "texts"
"""The table that lets texts into events."""


class Heard:
    """The questions of one export, and the rows that answered them."""

    def __init__(self, questions: Sequence[Question], files: RuleFiles) -> None:
        self.questions = questions
        self.files = files
        self._last = {(question.table, question.at): question for question in questions}

    def last(self, table: str, at: str) -> Question | None:
        """Return the last question that a table was asked about a place: the one whose answer counts."""
        return self._last.get((table, at))

    def rows(self, tables: Iterable[str], at: str) -> tuple[RowPlace, ...]:
        """Return the rows that tables answered with about a place, table by table."""
        asked = (self.last(table, at) for table in tables)
        return tuple(place for question in asked if question is not None for place in self.answers(question))

    def answers(self, question: Question) -> tuple[RowPlace, ...]:
        """Return where the rows stand that answered a question."""
        return tuple(self.files.place_of(decision) for decision in question.decisions)

    def below(self, at: str) -> Iterator[Question]:
        """Yield the questions about a place and what lies below it; a question asked again comes once."""
        seen = set()
        for question in self.questions:
            if question.at is not None and within(question.at, at):
                key = question.table, question.at, tuple(decision.row.id for decision in question.decisions)
                if key not in seen:
                    seen.add(key)
                    yield question


def within(location: str, at: str) -> bool:
    """Return whether a pointer is another one, or lies below it."""
    return location == at or location.startswith(f"{at}/")
