"""Event times of sources as watermarks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flink_jobs import ORDERS, changed, columns, graph_of, large, problems, submitted

AT = {"column": "at"}


def watermark(folder: Path, **event_time: Any) -> str:
    job = large(folder, source={"event_time": {**AT, **event_time}})
    assert job.problems == ()
    return columns(job.statements[0])[-1]


@pytest.mark.parametrize(
    ("event_time", "behind"),
    [
        ({}, "0 00:00:05.000"),
        ({"watermark": {}}, "0 00:00:05.000"),
        ({"watermark": {"strategy": "bounded_out_of_orderness"}}, "0 00:00:05.000"),
        ({"watermark": {"max_out_of_orderness_ms": 0}}, "0 00:00:00.000"),
        ({"watermark": {"max_out_of_orderness_ms": "90061001"}}, "1 01:01:01.001"),
        ({"watermark": {"max_out_of_orderness_ms": 86_399_999_999}}, "999 23:59:59.999"),
    ],
)
def test_records_may_be_late_by_what_is_declared_else_by_five_seconds(
    tmp_path: Path, event_time: dict[str, Any], behind: str
) -> None:
    expected = f"WATERMARK FOR `at` AS `at` - INTERVAL '{behind}' DAY(3) TO SECOND(3)"

    assert watermark(tmp_path, **event_time) == expected


def test_increasing_times_may_be_equal(tmp_path: Path) -> None:
    stated = watermark(tmp_path, watermark={"strategy": "monotonously_increasing"})

    assert stated == "WATERMARK FOR `at` AS `at` - INTERVAL '0.001' SECOND(3)"


def test_a_watermark_of_ones_own_is_an_expression(tmp_path: Path) -> None:
    written = {"strategy": "custom", "expression": " `at` - INTERVAL '1' HOUR "}

    assert watermark(tmp_path, watermark=written) == "WATERMARK FOR `at` AS `at` - INTERVAL '1' HOUR"


def test_a_comment_in_an_expression_ends_with_it(tmp_path: Path) -> None:
    written = {"strategy": "custom", "expression": "`at` -- as it is"}
    job = large(tmp_path, source={"event_time": {**AT, "watermark": written}})

    assert "  WATERMARK FOR `at` AS `at` -- as it is\n\n) WITH (" in job.statements[0]


@pytest.mark.parametrize(
    "kind",
    ["TIMESTAMP(3)", "timestamp_ltz( 0 )", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP(1) NOT NULL"],
)
def test_times_of_up_to_three_digits_can_be_event_times(tmp_path: Path, kind: str) -> None:
    job = large(
        tmp_path, source={"columns": [*ORDERS["columns"][:2], {"name": "at", "type": kind}], "event_time": AT}
    )

    assert job.problems == ()


@pytest.mark.parametrize(
    "kind", ["TIMESTAMP", "TIMESTAMP(6)", "TIMESTAMP_LTZ", "STRING", "BIGINT", "ARRAY<TIMESTAMP(3)>"]
)
def test_anything_else_cannot_be_an_event_time(tmp_path: Path, kind: str) -> None:
    job = large(
        tmp_path, source={"columns": [*ORDERS["columns"][:2], {"name": "at", "type": kind}], "event_time": AT}
    )

    assert ("flink_event_time_type", "/sources/0/event_time") in problems(job)


@pytest.mark.parametrize(
    ("event_time", "problem"),
    [
        ({"column": "nobody"}, "flink_event_time_unknown"),
        ({"watermark": {"strategy": "custom"}}, "flink_watermark_expression"),
        ({"watermark": {"strategy": "custom", "expression": " "}}, "flink_watermark_expression"),
        (
            {"watermark": {"strategy": "custom", "expression": "`at`, PRIMARY KEY (x)"}},
            "flink_watermark_expression",
        ),
        ({"watermark": {"strategy": "custom", "expression": "`at`) WITH ("}}, "flink_watermark_expression"),
        ({"watermark": {"strategy": "custom", "expression": "'at"}}, "flink_watermark_expression"),
        ({"watermark": {"max_out_of_orderness_ms": -1}}, "flink_watermark_delay"),
        ({"watermark": {"max_out_of_orderness_ms": 86_400_000_000}}, "flink_watermark_delay"),
    ],
)
def test_an_event_time_that_flink_cannot_have_is_said(
    tmp_path: Path, event_time: dict[str, Any], problem: str
) -> None:
    job = large(tmp_path, source={"event_time": {**AT, **event_time}})

    assert problems(job) == [(problem, "/sources/0/event_time")]


def test_allowed_lateness_is_said_to_have_no_effect(tmp_path: Path) -> None:
    job = large(tmp_path, source={"event_time": {**AT, "allowed_lateness_ms": 1000}})

    assert problems(job) == [("flink_allowed_lateness", "/sources/0/event_time/allowed_lateness_ms")]
    assert not job.blocked


def test_a_watermark_is_no_part_of_a_login(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, sources=[changed(ORDERS, event_time=AT)])

    assert "WATERMARK FOR `at`" in submitted(graph)[0]
