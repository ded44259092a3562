"""Jobs of continuous tests: what breaks an assertion, and where it goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flink_jobs import (
    LARGE,
    ORDERS,
    changed,
    columns,
    continuous,
    graph_of,
    job_of,
    options,
    orders_table,
    problems,
)

PRICED = changed(
    ORDERS,
    columns=[
        *ORDERS["columns"],
        {"name": "price", "type": "DECIMAL(10, 2)"},
        {"name": "paid", "type": "BOOLEAN"},
        {"name": "tags", "type": "ARRAY<STRING>"},
        {"name": "odd", "type": "VARIANT"},
        {"name": "now", "proctime": True},
    ],
)


def condition(folder: Path, *assertions: dict[str, Any]) -> str:
    """Return the condition of a job about the priced orders."""
    test = {"name": "fit", "model": "orders", "type": "continuous", "assertions": list(assertions)}
    job = job_of(graph_of(folder, sources=[PRICED], tests=[test]), "test_fit")
    assert job.problems == ()
    return job.insert.partition("\nWHERE ")[2]


def test_what_breaks_a_test_is_counted(tmp_path: Path) -> None:
    job = continuous(tmp_path, {"not_null": {"columns": ["id"]}}, {"range": {"column": "loaves", "min": 1}})

    assert job.statements == (
        orders_table("test_fit"),
        """\
CREATE TEMPORARY TABLE `test_failures_fit` (
  `id` STRING,
  `loaves` BIGINT,
  `at` TIMESTAMP(3)
) WITH (
  'connector' = 'blackhole'
)""",
        """\
INSERT INTO `test_failures_fit` (`id`, `loaves`, `at`)
SELECT `id`, `loaves`, `at`
FROM `orders`
WHERE (`id` IS NULL)
   OR (`loaves` < 1)""",
    )
    assert (job.name, job.cluster, job.settings) == ("test_fit", "mill", {"pipeline.name": "test_fit"})


@pytest.mark.parametrize(
    ("action", "topic"),
    [
        ({"dlq": True}, "orders__dlq"),
        ({"dlq": {"topic": "shop.dead"}}, "shop.dead"),
        ({"dlq": {"model": "x"}}, "orders__dlq"),
    ],
)
def test_what_breaks_a_test_goes_into_its_dead_letter_topic(
    tmp_path: Path, action: dict[str, Any], topic: str
) -> None:
    job = continuous(tmp_path, {"not_null": {"columns": ["id"]}}, on_failure={"actions": [action, action]})

    assert columns(job.statements[1]) == ["`id` STRING", "`loaves` BIGINT", "`at` TIMESTAMP(3)"]
    assert options(job.statements[1]) == {
        "connector": "kafka",
        "topic": topic,
        "properties.bootstrap.servers": "broker.example:9092",
        "value.format": "json",
    }


@pytest.mark.parametrize(
    ("assertion", "breaks"),
    [
        ({"not_null": {"columns": ["id", "loaves"]}}, "(`id` IS NULL)\n   OR (`loaves` IS NULL)"),
        (
            {"accepted_values": {"column": "id", "values": ["it's", "b", None]}},
            "(`id` NOT IN ('it''s', 'b'))",
        ),
        ({"accepted_values": {"column": "loaves", "values": [-1, 2]}}, "(`loaves` NOT IN (-1, 2))"),
        ({"accepted_values": {"column": "price", "values": [1, 1.5]}}, "(`price` NOT IN (1, 1.5))"),
        ({"accepted_values": {"column": "paid", "values": [True, False]}}, "(`paid` NOT IN (TRUE, FALSE))"),
        ({"accepted_values": {"column": "odd", "values": [True, 1, "a"]}}, "(`odd` NOT IN (TRUE, 1, 'a'))"),
        ({"range": {"column": "price", "min": 0}}, "(`price` < 0)"),
        ({"range": {"column": "price", "max": "1e3"}}, "(`price` > 1000)"),
        ({"range": {"column": "loaves", "min": -0.5, "max": 9}}, "(`loaves` < -0.5 OR `loaves` > 9)"),
        (
            {"accepted_types": {"types": {"id": "BIGINT"}}},
            "(`id` IS NOT NULL AND TRY_CAST(`id` AS BIGINT) IS NULL)",
        ),
        ({"custom_sql": {"where": " loaves > 5 AND id LIKE '%,;' "}}, "(loaves > 5 AND id LIKE '%,;')"),
        ({"custom_sql": {"where": "loaves > 5 -- many"}}, "(loaves > 5 -- many\n)"),
    ],
)
def test_an_assertion_is_a_condition_that_breaks_it(
    tmp_path: Path, assertion: dict[str, Any], breaks: str
) -> None:
    assert condition(tmp_path, assertion) == breaks


def test_the_order_of_assertions_is_no_part_of_a_job(tmp_path: Path) -> None:
    asserted = [
        {"not_null": {"columns": ["price", "loaves", "id"]}},
        {"range": {"column": "loaves", "min": 1}},
    ]
    expected = "(`id` IS NULL)\n   OR (`loaves` < 1)\n   OR (`loaves` IS NULL)\n   OR (`price` IS NULL)"

    assert condition(tmp_path / "a", *asserted) == expected
    assert condition(tmp_path / "b", *reversed(asserted), asserted[0]) == expected


def test_a_test_sees_each_message_also_of_what_is_upserted(tmp_path: Path) -> None:
    contract = {"columns": [{"name": "id", "nullable": False}, {"name": "loaves"}]}
    model = changed(LARGE, primary_key=["id"], contract=contract)
    test = {
        "name": "fit",
        "model": "large",
        "type": "continuous",
        "assertions": [{"not_null": {"columns": ["id"]}}],
    }
    job = job_of(graph_of(tmp_path, models=[model], tests=[test]), "test_fit")

    assert columns(job.statements[0]) == ["`id` STRING", "`loaves` BIGINT"]
    assert options(job.statements[0])["connector"] == "kafka"
    assert options(job.statements[0])["topic"] == "shop.large"


def test_a_computed_column_is_no_part_of_what_breaks_a_test(tmp_path: Path) -> None:
    test = {
        "name": "fit",
        "model": "orders",
        "type": "continuous",
        "assertions": [{"not_null": {"columns": ["id"]}}],
    }
    job = job_of(graph_of(tmp_path, sources=[PRICED], tests=[test]), "test_fit")

    assert "`now` AS PROCTIME()" in columns(job.statements[0])
    assert "`now`" not in job.statements[1] + job.insert


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("unique_key", {"key": "id"}),
        ("max_lag", {"column": "at", "max_seconds": 5}),
        ("throughput", {"min_per_second": 1}),
        ("distribution", {"column": "loaves", "buckets": [{"min": 0, "max": 1, "expected_ratio": 1.0}]}),
        ("foreign_key", {"column": "id", "ref_model": "large", "ref_key": "id"}),
    ],
)
def test_what_is_not_about_single_records_is_no_job(tmp_path: Path, kind: str, said: dict[str, Any]) -> None:
    job = continuous(tmp_path, {"not_null": {"columns": ["id"]}}, {kind: said})

    assert problems(job) == [("flink_assertion_unsupported", f"/tests/0/assertions/1/{kind}")]


@pytest.mark.parametrize(
    ("kind", "said", "problem"),
    [
        ("accepted_values", {"column": "id", "values": []}, "flink_assertion_empty"),
        ("accepted_values", {"column": "id", "values": [None]}, "flink_assertion_empty"),
        ("accepted_types", {"types": {}}, "flink_assertion_empty"),
        ("not_null", {"columns": ["nobody"]}, "flink_assertion_column"),
        ("accepted_types", {"types": {"nobody": "INT"}}, "flink_assertion_column"),
        ("range", {"column": "nobody", "max": 1}, "flink_assertion_column"),
        ("accepted_values", {"column": "id", "values": [1]}, "flink_assertion_value"),
        ("accepted_values", {"column": "loaves", "values": ["1"]}, "flink_assertion_value"),
        ("accepted_values", {"column": "loaves", "values": [1.5]}, "flink_assertion_value"),
        ("accepted_values", {"column": "loaves", "values": [True]}, "flink_assertion_value"),
        ("accepted_values", {"column": "id", "values": [["a"]]}, "flink_assertion_value"),
        ("range", {"column": "id", "min": 1}, "flink_assertion_value"),
        ("accepted_types", {"types": {"id": "INT) IS NULL OR (1"}}, "flink_assertion_sql"),
        ("custom_sql", {"where": "id = 'a"}, "flink_assertion_sql"),
        ("custom_sql", {"where": "TRUE) OR (TRUE; DROP TABLE x"}, "flink_assertion_sql"),
        ("custom_sql", {"where": " "}, "flink_assertion_sql"),
    ],
)
def test_an_assertion_that_no_record_can_break_is_said(
    tmp_path: Path, kind: str, said: dict[str, Any], problem: str
) -> None:
    assert problems(continuous(tmp_path, {kind: said})) == [(problem, f"/tests/0/assertions/0/{kind}")]


def test_a_test_that_asserts_nothing_has_no_job(tmp_path: Path) -> None:
    assert problems(continuous(tmp_path)) == [("flink_test_asserts_nothing", "/tests/0")]


def test_a_test_of_nothing_has_no_job(tmp_path: Path) -> None:
    job = continuous(tmp_path, {"not_null": {"columns": ["id"]}}, model="nobody")

    assert problems(job) == [("flink_test_target", "/tests/0/model")]


def test_a_job_has_one_dead_letter_topic(tmp_path: Path) -> None:
    actions = [{"dlq": True}, {"dlq": {"topic": "other"}}]
    job = continuous(tmp_path, {"not_null": {"columns": ["id"]}}, on_failure={"actions": actions})

    assert problems(job) == [("flink_letters_several", "/tests/0/on_failure/actions")]
