"""Selected tests, one after the other, and what becomes of each."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from streamt_ol.checks.asserting import Asserted, Assertions
from streamt_ol.checks.continuous_tests import ContinuousTests
from streamt_ol.checks.facts import RunFacts
from streamt_ol.checks.looked_at import LookedAt
from streamt_ol.checks.records import Problem, TestResult
from streamt_ol.checks.sample_tests import look_at_sample
from streamt_ol.checks.topics import Topics
from streamt_ol.compiler.facts import presence
from streamt_ol.ground.errors import StreamtError
from streamt_ol.ground.watching import nobody

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.checks.continuous_tests import Clusters
    from streamt_ol.checks.records import Selected
    from streamt_ol.checks.sample_tests import Samples
    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.watching import Watch

_LOOKED_INTO = frozenset({"there", "job_running"})
_NOT_ASSERTED = Asserted((), (), "nothing")


class Runner:
    """Runs tests of a compiled project. One that cannot be carried out does not keep others from running."""

    def __init__(self, graph: Graph, rules: RuleSet, samples: Samples, clusters: Clusters) -> None:
        self._topics = Topics(graph)
        self._samples = samples
        self._continuous = ContinuousTests(graph, rules, clusters)
        self._assertions = Assertions(
            rules, registry=graph.project.runtime.get("schema_registry") is not None
        )
        self._results = rules.table("test-results")
        self._usual_size: int = rules.catalogue("test-limits")["sample_size"]["limit"]

    def run(self, tests: Sequence[Selected], watch: Watch = nobody) -> list[TestResult]:
        """Return one result per test, in their order.

        Expected failures become results; an exception that is none (a bug, an interruption) passes through.
        """
        results: list[TestResult] = []
        for test in tests:
            watch("Running tests", len(results), len(tests))
            results.append(self._run(test))
        return results

    def _run(self, test: Selected) -> TestResult:
        begin = monotonic()
        try:
            looked_at = self._look_at(test)
        except StreamtError as error:
            shown = error.diagnostic()
            looked_at = LookedAt("out_of_reach", error=shown._replace(location=shown.location or test.at))
        asserted = _NOT_ASSERTED
        if looked_at.subject in _LOOKED_INTO:
            asserted = self._assertions.look(test, looked_at.messages or ())
        return self._result(test, looked_at, asserted, monotonic() - begin)

    def _look_at(self, test: Selected) -> LookedAt:
        if test.type == "sample":
            return look_at_sample(test, self._topics, self._samples, self._usual_size)
        if test.type == "continuous":
            return self._continuous.look(test)
        return LookedAt("unknown" if self._topics.of(test.model) is None else "there")

    def _result(self, test: Selected, looked_at: LookedAt, asserted: Asserted, seconds: float) -> TestResult:
        facts = RunFacts(
            at=test.at,
            model=test.model,
            topic=looked_at.topic,
            job=looked_at.job,
            cluster=looked_at.cluster,
            state=looked_at.state,
            subject=looked_at.subject,
            problems=presence(asserted.problems or None),
            looked_at=asserted.looked_at,
        )
        decision = self._results.decide(facts)
        problem = decision.get("problem")
        problems = asserted.problems
        if problem is not None:
            problems = (Problem("", problem(facts)), *problems)
        return TestResult(
            at=test.at,
            name=test.name,
            model=test.model,
            type=test.type,
            status=decision["status"],
            problems=problems,
            errors=() if looked_at.error is None else (looked_at.error,),
            not_evaluated=asserted.not_evaluated,
            topic=looked_at.topic,
            sampled=None if looked_at.messages is None else len(looked_at.messages),
            seconds=seconds,
        )
