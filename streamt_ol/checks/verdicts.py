"""What the results of a run come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from streamt_ol.checks.facts import ResultFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.checks.records import TestResult
    from streamt_ol.engine.ruleset import RuleSet

Outcome = Literal["succeeded", "failed", "incomplete"]
"""Words of the domain `outcome`."""


class Verdicts:
    """What statuses mean, as the table `test-statuses` says."""

    def __init__(self, rules: RuleSet) -> None:
        self._statuses = rules.table("test-statuses")

    def passed(self, result: TestResult) -> bool:
        """Return whether a result counts as passed."""
        counts: str = self._statuses.decide(ResultFacts(result.at, result.status))["counts"]
        return counts == "passed"

    def junit(self, result: TestResult) -> str:
        """Return the element of a JUnit report that says how a test ended; `none` for no element."""
        element: str = self._statuses.decide(ResultFacts(result.at, result.status))["junit"]
        return element

    def outcome(self, results: Sequence[TestResult], selected: int) -> Outcome:
        """Return what a run came to: it succeeded only if every selected test has a result, and passed."""
        if len(results) != selected:
            return "incomplete"
        return "succeeded" if all(map(self.passed, results)) else "failed"
