"""What becomes of tests: statuses, reasons, and that one test does not keep another from running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checked import GivenTopics, all_tests, compiled, messages, packaged_rules, runner, sample_test

from streamt_ol.checks import records
from streamt_ol.checks.continuous_tests import Job
from streamt_ol.checks.flink_errors import FlinkUnreachableError
from streamt_ol.checks.records import NotEvaluated, Problem
from streamt_ol.checks.sampling_errors import SampleDeadlineError
from streamt_ol.checks.verdicts import Verdicts
from streamt_ol.ground.errors import Diagnostic

NOT_NULL = {"not_null": {"columns": ["id"]}}
FLINK = {
    "kafka": {"bootstrap_servers": "broker.example:9092"},
    "flink": {
        "default": "main",
        "clusters": {name: {"rest_url": f"http://{name}.example"} for name in ("main", "spare")},
    },
}


def only(folder: Path, test: dict[str, Any], given: Any = None, **document: Any) -> records.TestResult:
    """Return what becomes of the one test of a project; `given` is what it looks at."""
    graph = compiled(folder, tests=[test], **document)
    looked_at = {"clusters": given} if test["type"] == "continuous" else {"topics": given}
    (result,) = runner(graph, **looked_at).run(all_tests(graph))
    return result


# sample tests


def test_messages_that_are_as_asserted_pass(tmp_path: Path) -> None:
    result = only(tmp_path, sample_test(NOT_NULL), {"shop.orders": messages({"id": 1}, {"id": 2})})

    assert (result.status, result.problems, result.errors, result.not_evaluated) == ("passed", (), (), ())
    assert (result.name, result.model, result.type, result.at) == (
        "looked_at",
        "orders",
        "sample",
        "/tests/0",
    )
    assert (result.topic, result.sampled) == ("shop.orders", 2)
    assert result.seconds >= 0


def test_every_assertion_is_looked_at_and_one_violation_fails(tmp_path: Path) -> None:
    test = sample_test(
        {"range": {"column": "n", "max": 1}}, {"accepted_values": {"column": "n", "values": [2]}}, NOT_NULL
    )

    result = only(tmp_path, test, {"shop.orders": messages({"n": 2})})

    assert result.status == "failed"
    assert [problem.assertion for problem in result.problems] == ["range", "not_null"]


def test_severity_and_actions_do_not_change_the_result(tmp_path: Path) -> None:
    lenient = {"severity": "warning", "actions": [{"dlq": True}]}

    result = only(tmp_path, sample_test(NOT_NULL, on_failure=lenient), {"shop.orders": messages({})})

    assert result.status == "failed"


def test_a_topic_without_messages_fails(tmp_path: Path) -> None:
    result = only(tmp_path, sample_test(NOT_NULL), {"shop.orders": ()})

    assert (result.status, result.sampled) == ("failed", 0)
    assert result.problems == (Problem("", "topic 'shop.orders' has no message with a value"),)


@pytest.mark.parametrize(
    ("declared", "asked"), [(None, 100), (0, 100), (7, 7), ("7", 7), (7.0, 7), (True, 1)]
)
def test_a_sample_is_of_the_declared_size_or_of_100_messages(
    tmp_path: Path, declared: object, asked: int
) -> None:
    topics = GivenTopics({"shop.orders": messages({"id": 1})})

    result = only(tmp_path, sample_test(NOT_NULL, sample_size=declared), topics)

    assert topics.asked == [("shop.orders", asked)]
    assert (result.status, result.sampled) == ("passed", 1)


def test_a_negative_size_reads_nothing_and_fails(tmp_path: Path) -> None:
    topics = GivenTopics({})

    result = only(tmp_path, sample_test(NOT_NULL, sample_size=-1), topics)

    assert topics.asked == []
    assert (result.status, result.sampled) == ("failed", None)
    assert result.problems == (Problem("", "sample_size is negative: nothing was read"),)


def test_only_assertions_that_nobody_evaluates_are_skipped_and_not_passed(tmp_path: Path) -> None:
    test = sample_test({"custom_sql": {"where": "n < 0"}})

    result = only(tmp_path, test, {"shop.orders": messages({"n": 1})})

    assert result.status == "skipped"
    assert result.problems == (Problem("", "none of its assertions was evaluated"),)
    assert result.not_evaluated == (NotEvaluated("custom_sql", "a sample is read without an SQL engine"),)
    assert not Verdicts(packaged_rules()).passed(result)


def test_what_was_not_evaluated_beside_the_rest_is_said_of_a_test_that_passes(tmp_path: Path) -> None:
    test = sample_test(NOT_NULL, {"throughput": {"min_per_second": 1}})

    result = only(tmp_path, test, {"shop.orders": messages({"id": 1})})

    assert result.status == "passed"
    assert [left.assertion for left in result.not_evaluated] == ["throughput"]


def test_a_sample_without_assertions_passes_when_there_are_messages(tmp_path: Path) -> None:
    assert only(tmp_path, sample_test(), {"shop.orders": messages({})}).status == "passed"


def test_a_test_that_cannot_be_carried_out_is_an_error_and_the_others_run(tmp_path: Path) -> None:
    graph = compiled(
        tmp_path,
        sources=[{"name": name, "topic": name} for name in ("orders", "returns")],
        tests=[
            sample_test(NOT_NULL, name="late"),
            {"name": "fine", "model": "returns", "type": "sample", "assertions": [NOT_NULL]},
        ],
    )
    topics = {"orders": SampleDeadlineError("the time is up"), "returns": messages({"id": 1})}

    late, fine = runner(graph, topics).run(all_tests(graph))

    assert (late.status, late.problems, late.sampled) == ("error", (), None)
    assert late.errors == (Diagnostic("E542_SAMPLE_DEADLINE", "the time is up", "/tests/0"),)
    assert fine.status == "passed"


@pytest.mark.parametrize("unexpected", [ZeroDivisionError("planted"), KeyboardInterrupt()], ids=repr)
def test_an_unexpected_exception_passes_through_as_it_is(tmp_path: Path, unexpected: BaseException) -> None:
    with pytest.raises(type(unexpected)) as caught:
        only(tmp_path, sample_test(NOT_NULL), {"shop.orders": unexpected})

    assert caught.value is unexpected


def test_whoever_watches_is_told_which_test_of_how_many_runs(tmp_path: Path) -> None:
    graph = compiled(tmp_path, tests=[sample_test(NOT_NULL, name=name) for name in ("a", "b")])
    told: list[tuple[str, int, int | None]] = []

    runner(graph, {"shop.orders": messages({"id": 1})}).run(
        all_tests(graph), lambda what, done, total: told.append((what, done, total))
    )

    assert told == [("Running tests", 0, 2), ("Running tests", 1, 2)]


# schema tests

REGISTRY = {
    "kafka": {"bootstrap_servers": "broker.example:9092"},
    "schema_registry": {"url": "http://registry.example"},
}


def schema_test(*assertions: dict[str, Any], model: str = "orders") -> dict[str, Any]:
    return {"name": "shape", "model": model, "type": "schema", "assertions": list(assertions)}


@pytest.mark.parametrize(
    "assertion",
    [{"not_null": {"columns": []}}, {"accepted_types": {}}, {"accepted_types": {"types": {}}}],
    ids=str,
)
def test_with_a_registry_a_declaration_must_name_something(tmp_path: Path, assertion: dict[str, Any]) -> None:
    (kind,) = assertion
    reason = "it names nothing to check, and a Schema Registry is configured"

    with_one = only(tmp_path, schema_test(assertion), runtime=REGISTRY)

    assert (with_one.status, with_one.problems) == ("failed", (Problem(kind, reason),))
    assert only(tmp_path, schema_test(assertion)).status == "passed"


@pytest.mark.parametrize(
    "assertion",
    [
        NOT_NULL,
        {"accepted_types": {"types": {"id": "X"}}},
        {"range": {"column": "n"}},
        {"custom_sql": {"where": "x"}},
    ],
    ids=str,
)
def test_other_declarations_pass_and_no_message_is_read(tmp_path: Path, assertion: dict[str, Any]) -> None:
    topics = GivenTopics({})

    result = only(tmp_path, schema_test(assertion), topics, runtime=REGISTRY)

    assert (result.status, result.sampled, topics.asked) == ("passed", None, [])


@pytest.mark.parametrize("kind", ["schema", "sample"])
def test_a_test_about_nothing_fails(tmp_path: Path, kind: str) -> None:
    result = only(tmp_path, {"name": "lost", "model": "nobody", "type": kind, "assertions": [NOT_NULL]})

    assert result.status == "failed"
    assert result.problems == (Problem("", "'nobody' is neither a model nor a source"),)


# continuous tests


def continuous_test(**more: Any) -> dict[str, Any]:
    return {"name": "steady", "model": "orders", "type": "continuous", "assertions": [NOT_NULL], **more}


def test_a_running_job_passes(tmp_path: Path) -> None:
    jobs = {"main": [Job("test_steady", "RUNNING", 1)]}

    result = only(tmp_path, continuous_test(), jobs, runtime=FLINK)

    assert (result.status, result.problems, result.not_evaluated) == ("passed", (), ())


@pytest.mark.parametrize(
    "state", ["FAILED", "FINISHED", "CANCELED", "RESTARTING", "CREATED", "SOMETHING_NEW", "running"]
)
def test_a_job_in_any_other_state_fails(tmp_path: Path, state: str) -> None:
    result = only(tmp_path, continuous_test(), {"main": [Job("test_steady", state, 1)]}, runtime=FLINK)

    problem = Problem("", f"job 'test_steady' on cluster 'main' is {state}, not RUNNING")
    assert (result.status, result.problems) == ("failed", (problem,))


def test_a_job_that_is_not_there_is_skipped(tmp_path: Path) -> None:
    jobs = {"main": [Job("test_steady_2", "RUNNING", 1), Job("steady", "RUNNING", 1)]}

    result = only(tmp_path, continuous_test(), jobs, runtime=FLINK)

    problem = Problem("", "cluster 'main' has no job 'test_steady'")
    assert (result.status, result.problems) == ("skipped", (problem,))


def test_a_cluster_that_does_not_answer_is_an_error(tmp_path: Path) -> None:
    unreachable = FlinkUnreachableError("nobody answers", location="/runtime/flink/clusters/main")

    result = only(tmp_path, continuous_test(), {"main": unreachable}, runtime=FLINK)

    assert result.status == "error"
    assert result.errors == (
        Diagnostic("E406_CONNECTION_REFUSED", "nobody answers", "/runtime/flink/clusters/main"),
    )


@pytest.mark.parametrize(
    ("jobs", "status", "told"),
    [
        ([("FAILED", 3), ("RUNNING", 1), ("CANCELED", 4)], "passed", []),
        (
            [("FAILED", 1), ("CANCELED", 2), ("FINISHED", 0)],
            "failed",
            ["job 'test_steady' on cluster 'main' is CANCELED, not RUNNING"],
        ),
    ],
)
def test_of_several_jobs_of_one_name_a_running_one_counts_else_the_newest(
    tmp_path: Path, jobs: list[tuple[str, int]], status: str, told: list[str]
) -> None:
    given = {"main": [Job("test_steady", state, started) for state, started in jobs]}

    result = only(tmp_path, continuous_test(), given, runtime=FLINK)

    assert (result.status, [problem.message for problem in result.problems]) == (status, told)


def test_a_job_is_looked_for_on_the_cluster_that_it_compiles_for(tmp_path: Path) -> None:
    jobs = {"spare": [Job("test_steady", "RUNNING", 1)], "main": []}
    defaults = {"tests": {"flink_cluster": "spare"}}

    named = only(tmp_path, continuous_test(flink_cluster="spare"), jobs, runtime=FLINK)
    by_default = only(tmp_path, continuous_test(), jobs, runtime=FLINK, defaults=defaults)

    assert (named.status, by_default.status) == ("passed", "passed")


# verdicts


def result_of(status: records.Status) -> records.TestResult:
    return records.TestResult("/tests/0", "t", "orders", "sample", status)


@pytest.mark.parametrize(
    ("status", "passed", "element"),
    [
        ("passed", True, "none"),
        ("failed", False, "failure"),
        ("error", False, "error"),
        ("skipped", False, "skipped"),
    ],
)
def test_whatever_is_not_passed_counts_as_failed(
    status: records.Status, *, passed: bool, element: str
) -> None:
    verdicts = Verdicts(packaged_rules())

    assert verdicts.passed(result_of(status)) is passed
    assert verdicts.junit(result_of(status)) == element


@pytest.mark.parametrize(
    ("statuses", "selected", "outcome"),
    [
        (["passed", "passed"], 2, "succeeded"),
        (["passed", "skipped"], 2, "failed"),
        (["error"], 1, "failed"),
        (["passed"], 2, "incomplete"),
        ([], 1, "incomplete"),
        (["failed"], 2, "incomplete"),
    ],
)
def test_a_run_succeeds_only_with_a_passed_result_for_every_selected_test(
    statuses: list[records.Status], selected: int, outcome: str
) -> None:
    assert Verdicts(packaged_rules()).outcome([*map(result_of, statuses)], selected) == outcome
