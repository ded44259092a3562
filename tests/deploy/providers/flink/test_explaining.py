"""What Flink says of a job before anything is submitted, told in terms of the project; a plan asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flink_answers import EXPLAINED
from flink_plans import INSERT, NAME, NEW, OLD, definition, provider, running, shape
from flink_services_stand_in import FlinkStandIn, failing, flink_services
from http_stand_in import Fault

from streamt_ol.deploy.flink_sql.records import JobDefinition
from streamt_ol.deploy.records import Live, Wanted

GROUPED = EXPLAINED.replace('"out[2]: Writer"', '"GroupAggregate[2]"')


@pytest.fixture
def flink() -> Iterator[FlinkStandIn]:
    with flink_services() as stand_in:
        yield stand_in


def judged(flink: FlinkStandIn, wanted: JobDefinition | None = None) -> Live:
    payload = {"definition": wanted or definition()}
    asked = Wanted(NAME, "mill", running(NEW), payload)
    return provider(flink, settings={"retries": 1}).observe([asked])[NAME]


def refused(flink: FlinkStandIn, begins: str, cause: str, **more: Any) -> str:
    flink.errors[begins] = (
        f"x.SqlGatewayException: Failed to fetchResults.\nCaused by: {cause}\n\tat a.B(C.java:1)"
    )
    live = judged(flink, definition()._replace(**more))
    assert (live.verdict, live.surface) == ("refused", None)
    assert (flink.sessions, flink.inserts()) == ({}, [])
    return live.reason


def test_sql_that_flink_takes_is_explained_without_a_login_and_nothing_is_said_of_it(
    flink: FlinkStandIn,
) -> None:
    assert judged(flink) == Live("flink_job", NAME, None)
    assert [text for text, _config in flink.statements] == [
        *definition().statements[:-1],
        f"EXPLAIN JSON_EXECUTION_PLAN {INSERT}",
    ]
    assert flink.sessions == {}


def test_what_flink_does_not_take_is_told_at_the_line_that_somebody_wrote(flink: FlinkStandIn) -> None:
    cause = 'x.ParseException: Encountered "blob" at line 3, column 9.'

    reason = refused(flink, "EXPLAIN", cause, query_line=1)

    assert reason == (
        "Flink does not take the SQL of job 'large': ParseException: Encountered \"blob\" at line 2, column 9; "
        "a name that is a word of Flink SQL has to stand in backticks"
    )


def test_lines_before_the_query_are_counted(flink: FlinkStandIn) -> None:
    assert "at line 4, column 1" in refused(flink, "EXPLAIN", "x.Y: at line 2, column 1", query_line=4)


@pytest.mark.parametrize(("query_line", "line"), [(None, 3), (1, 1)])
def test_a_line_that_nobody_wrote_is_that_of_the_insert(
    flink: FlinkStandIn, query_line: int | None, line: int
) -> None:
    cause = f"x.Y: no such thing at line {line}, column 1"

    assert refused(flink, "EXPLAIN", cause, query_line=query_line).endswith("no such thing at its INSERT")


def test_a_column_whose_type_flink_does_not_know_is_told_by_its_name(flink: FlinkStandIn) -> None:
    assert refused(flink, "CREATE TEMPORARY TABLE `out`", "x.Y: bad at line 2, column 8.") == (
        "Flink does not take the table of 'out' of job 'large': Y: bad at column 'id'."
    )


@pytest.mark.parametrize(
    ("cause", "helps"),
    [
        ("x.SqlValidatorException: Object 'orders' not found", "a source is read by source()"),
        ('x.ParseException: Encountered "\\"" at line 2, column 8.', "a text in single quotes"),
        ("x.E: requires the timecol is a time attribute type, but is TIMESTAMP(3).", "only sources have an"),
        (
            "x.E: Table sink 'o' doesn't support consuming update changes",
            "needs the primary_key of the model",
        ),
        ("x.E: Incompatible types for sink column 'n' at position 1.", "or CAST to the declared one"),
    ],
)
def test_what_helps_is_said_where_it_is_known(flink: FlinkStandIn, cause: str, helps: str) -> None:
    assert helps in refused(flink, "EXPLAIN", cause)


def test_a_job_that_runs_as_declared_is_not_explained(flink: FlinkStandIn) -> None:
    flink.add(NAME, fingerprint=NEW)

    assert judged(flink).verdict == "unasked"
    assert flink.asked == ["overview", "config"]


def test_a_job_that_could_not_go_on_from_the_state_of_the_running_one_is_known_before(
    flink: FlinkStandIn,
) -> None:
    flink.add(NAME, fingerprint=OLD, shape=shape())
    assert judged(flink) == Live("flink_job", NAME, running(OLD))

    flink.explained = GROUPED
    assert judged(flink) == Live("flink_job", NAME, running(OLD), "other_shape")


def test_of_a_job_that_does_not_say_its_shape_nothing_is_said(flink: FlinkStandIn) -> None:
    flink.add(NAME, fingerprint=OLD)

    assert judged(flink).verdict == "unasked"


def test_of_two_jobs_of_one_name_neither_is_explained(flink: FlinkStandIn) -> None:
    for _ in range(2):
        flink.add(NAME, fingerprint=OLD)

    assert judged(flink).surface == running(None, "several")
    assert flink.count("open") == 0


def test_an_ended_job_whose_sql_flink_does_not_take_is_refused_before_its_state_is_asked_for(
    flink: FlinkStandIn,
) -> None:
    flink.add(NAME, "CANCELED")

    assert "no such table" in refused(flink, "EXPLAIN", "x.Y: no such table")


@pytest.mark.parametrize("word", ["versions", "open", "statement", "status"])
def test_a_gateway_that_does_not_answer_keeps_no_plan_from_being_made(flink: FlinkStandIn, word: str) -> None:
    flink.faults[word] = Fault(failing(500, "x.Y: out of order"), times=9)

    assert judged(flink) == Live("flink_job", NAME, None)


def test_the_last_failure_of_a_job_that_has_ended_is_told(flink: FlinkStandIn) -> None:
    trace = "x.JobException: Recovery is suppressed\nCaused by: x.JsonParseException: Fail to deserialize at field: at."
    flink.add(NAME, "FAILED", trace=trace)

    live = provider(flink).observe([Wanted(NAME, "mill")])[NAME]

    assert live.reason == (
        "it is FAILED (its last failure: JsonParseException: Fail to deserialize at field: at.), "
        "and its cluster remembers no savepoint of it"
    )
