"""A decision table at work: rows as boxes, decisions remembered per combination of inputs.

Inputs are finite, so a combination is decided once and looked up afterwards: per record nothing is
interpreted twice. A table with patterns decides about a text instead: the first row whose pattern is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from streamt_ol.engine.errors import FactOutsideDomainError, GapError

if TYPE_CHECKING:
    import re

    from streamt_ol.engine.boxes import Box
    from streamt_ol.engine.vocabulary import Domain, Value

Hit = Literal["unique", "first", "collect", "pattern"]


class CopyOf(NamedTuple):
    """An output that copies the value of an input."""

    name: str


class Row(NamedTuple):
    """One row: its stable id, when it applies, what it says, which contract statements it implements."""

    id: str
    when: Box
    """Only the inputs that the row restricts."""
    then: Mapping[str, Any]
    """Output name to constant, CopyOf, or closure (texts and bodies)."""
    cites: tuple[str, ...]
    pointer: str
    """Where the row stands in its file."""
    pattern: re.Pattern[str] | None = None
    whole: bool = True
    """Whether `when` holds every condition as written; a check of rules goes on where one cannot be read."""


class Decision:
    """What a row says for one combination of inputs; outputs that a row leaves out are absent."""

    __slots__ = ("row", "table", "values")

    def __init__(self, table: str, row: Row, values: Mapping[str, Any]) -> None:
        self.table = table
        self.row = row
        self.values = values

    def __getitem__(self, output: str) -> Any:
        """Return a constant, or the closure of a text or body."""
        return self.values[output]

    def get(self, output: str) -> Any:
        """Return the output, or None where the row leaves it out."""
        return self.values.get(output)


class Question(NamedTuple):
    """What a table was asked, and every answer; a `collect` table may have none."""

    table: str
    at: str | None
    """The location that it is about."""
    record: object
    """The facts; None where the question was a text."""
    decisions: tuple[Decision, ...]


Watch = Callable[[Question], None]
"""Called with every question that is put to a table."""


class Table:
    """A verified table. Only its memory and its watcher change after loading."""

    def __init__(
        self,
        name: str,
        decides: str,
        hit: Hit,
        about: tuple[str, ...],
        inputs: Mapping[str, Domain],
        outputs: Mapping[str, object],
        rows: tuple[Row, ...],
        file: str,
    ) -> None:
        self.name = name
        self.decides = decides
        self.hit = hit
        self.about = about
        self.inputs = inputs
        """Input name to its domain, over all records that the table is about."""
        self.outputs = outputs
        """Output name to its type as spelled in the table."""
        self.rows = rows
        self.file = file
        self.watch: Watch | None = None
        self._memory: dict[Any, tuple[Decision, ...]] = {}
        self._key: Callable[[Any], Any] = attrgetter(*inputs) if inputs else lambda _record: ()

    def decide(self, record: object) -> Decision:
        """Return the decision about a record, for a table whose hit policy is `unique` or `first`."""
        return self.decide_all(record)[0]

    def decide_all(self, record: object) -> tuple[Decision, ...]:
        """Return every decision about a record in row order; one, unless the policy is `collect`."""
        key = self._key(record)
        decisions = self._memory.get(key)
        if decisions is None:
            decisions = self._memory[key] = self._find(key if len(self.inputs) > 1 else (key,))
        if self.watch is not None:
            self.watch(Question(self.name, getattr(record, "at", None), record, decisions))
        return decisions

    def foresee(self, record: object) -> Decision:
        """Return what would be decided about a record that is only supposed; nobody is told."""
        watch, self.watch = self.watch, None
        try:
            return self.decide(record)
        finally:
            self.watch = watch

    def match(self, text: str, at: str | None = None) -> Decision:
        """Return the decision about a text, for a table with patterns."""
        for row in self.rows:
            if row.pattern is None or row.pattern.search(text):
                decision = Decision(self.name, row, row.then)
                if self.watch is not None:
                    self.watch(Question(self.name, at, None, (decision,)))
                return decision
        raise GapError(f"no row of {self.name!r} covers a text", location="/rows")

    def _find(self, key: tuple[Value, ...]) -> tuple[Decision, ...]:
        inputs = dict(zip(self.inputs, key, strict=False))
        for name, value in inputs.items():
            if value not in self.inputs[name]:
                raise FactOutsideDomainError(
                    f"fact {name!r} has a value outside the domain that table {self.name!r} knows",
                    location=f"/inputs/{name}",
                )
        rows = [
            row for row in self.rows if all(inputs[name] in allowed for name, allowed in row.when.items())
        ]
        if self.hit != "collect":
            rows = rows[:1]
            if not rows:
                raise GapError(f"no row of {self.name!r} covers {inputs}", location="/rows")
        return tuple(Decision(self.name, row, _resolved(row.then, inputs)) for row in rows)


def _resolved(then: Mapping[str, Any], inputs: Mapping[str, Value]) -> Mapping[str, Any]:
    return {name: inputs[value.name] if isinstance(value, CopyOf) else value for name, value in then.items()}
