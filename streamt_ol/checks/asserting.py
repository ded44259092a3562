"""Every assertion of a test in its turn: tables say how it is looked at, and what of it nobody looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.checks.assertions import METHODS
from streamt_ol.checks.facts import AssertionFacts
from streamt_ol.checks.faults import Limits
from streamt_ol.checks.looking import Look
from streamt_ol.checks.records import NotEvaluated, Problem
from streamt_ol.compiler.facts import presence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamt_ol.checks.facts import Amount
    from streamt_ol.checks.records import Message, Selected
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.project.records import Raw

_SAID: Mapping[str, Callable[[Raw], Any]] = {
    "not_null": lambda asserted: asserted["columns"],
    "accepted_types": lambda asserted: asserted.get("types"),
    "range": lambda asserted: asserted.get("min") is not None or asserted.get("max") is not None,
    "distribution": lambda asserted: any(
        bucket.get(ratio) is not None
        for bucket in asserted["buckets"]
        for ratio in ("expected_ratio", "max_ratio")
    ),
}
"""What assertions say of the kinds that can be written without anything to check."""


def _something(_asserted: Raw) -> bool:
    return True


class Asserted(NamedTuple):
    """What came of the assertions of one test."""

    problems: tuple[Problem, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    looked_at: Amount
    """`nothing` where there are assertions and none was looked at, not even in part."""


class Assertions:
    """Looks at the assertions of tests as the tables say."""

    def __init__(self, rules: RuleSet, *, registry: bool) -> None:
        self._methods = rules.table("assertions")
        self._parts = rules.table("assertion-parts")
        self._types = rules.table("sample-types")
        limits = rules.catalogue("test-limits")
        self._limits = Limits(limits["positions"]["limit"], limits["value_characters"]["limit"])
        self._registry = presence(registry or None)

    def look(self, test: Selected, messages: Sequence[Message] = ()) -> Asserted:
        """Return what is wrong with the messages, and what of the assertions nobody looked at.

        There is at least one message where the test is a sample test; other tests have none.
        """
        problems: list[Problem] = []
        not_evaluated: list[NotEvaluated] = []
        looked_at = declared = 0
        for index, assertion in enumerate(test.raw.get("assertions") or ()):
            ((kind, asserted),) = assertion.items()
            at = f"{test.at}/assertions/{index}"
            facts = self._facts(at, test, kind, asserted)
            decision = self._methods.decide(facts)
            method, reason = decision["by"], decision.get("reason")
            declared += 1
            if method == "nobody":
                not_evaluated.append(NotEvaluated(kind, reason(facts)))
                continue
            not_evaluated += [
                NotEvaluated(kind, part["reason"](facts)) for part in self._parts.decide_all(facts)
            ]
            looked_at += 1
            if method == "incomplete":
                problems.append(Problem(kind, reason(facts)))
            elif method in METHODS:
                seen = METHODS[method](asserted, messages, Look(at, self._limits, self._types))
                problems += seen.problems
                not_evaluated += seen.not_evaluated
                looked_at -= not seen.evaluated
        return Asserted(
            tuple(problems), tuple(not_evaluated), "something" if looked_at or not declared else "nothing"
        )

    def _facts(self, at: str, test: Selected, kind: str, asserted: Raw) -> AssertionFacts:
        says = _SAID.get(kind, _something)
        return AssertionFacts(
            at=at,
            type=test.type,
            kind=kind,
            says="something" if says(asserted) else "nothing",
            window=presence(asserted.get("window")),
            registry=self._registry,
        )
