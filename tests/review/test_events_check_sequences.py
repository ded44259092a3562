"""Events in a sequence: unique identities, and runs from START to one end."""

from __future__ import annotations

from typing import Any

import pytest
from sample_events import EXAMPLES, RUN_ID, dataset, dataset_event, event, job, job_event, run_event

from streamt_ol.review.events.event_sequences import EventSequence, Spot

REPEATED, OUT_OF_ORDER, UNFINISHED = "E155_EVENT_REPEATED", "E156_RUN_OUT_OF_ORDER", "W154_RUN_UNFINISHED"
OTHER_RUN = "11111111-2222-3333-4444-555555555555"


def told(*events: dict[str, Any]) -> list[tuple[int, str, str]]:
    """Return line, pointer-like path and message of what is wrong with a sequence, its end included."""
    sequence = EventSequence()
    found = [
        (line, remark)
        for line, one in enumerate(events, 1)
        for remark in sequence.remarks(one, one["schemaURL"].rpartition("/")[2], Spot("f", line))
    ]
    found += [(spot.line, remark) for spot, remark in sequence.unfinished()]
    return [(line, "/".join(map(str, remark.path)), remark.message) for line, remark in found]


def run(*kinds: str | None) -> list[dict[str, Any]]:
    """Return the events of one run, a second apart."""
    return [run_event(kind, eventTime=f"2026-03-04T05:06:{second:02}Z") for second, kind in enumerate(kinds)]


NO_END = "the run has no COMPLETE, FAIL or ABORT in this sequence"


def test_the_examples_are_one_sequence_without_a_fault() -> None:
    assert told(*EXAMPLES) == []


def test_a_second_description_is_told_with_the_place_of_the_first() -> None:
    assert told(
        dataset_event("a"), job_event("a"), dataset_event("b"), dataset_event("a"), job_event("a")
    ) == [
        (4, "dataset", "the dataset is described already at f:1"),
        (5, "job", "the job is described already at f:2"),
    ]


def test_identities_are_namespace_and_name_exactly() -> None:
    assert (
        told(
            *(
                dataset_event(dataset={"namespace": namespace, "name": name})
                for namespace, name in [
                    ("a", "b"),
                    ("a", "B"),
                    ("ab", ""),
                    ("", "ab"),
                    ("a'", "b"),
                    ("a", "', 'b"),
                ]
            )
        )
        == []
    )


def test_what_jobs_name_is_described_by_nobody() -> None:
    assert (
        told(job_event("a", inputs=[dataset("x")]), job_event("b", inputs=[dataset("x")]), dataset_event("x"))
        == []
    )


@pytest.mark.parametrize("part", [None, {}, {"namespace": 1, "name": "x"}, {"namespace": "x"}, "x"])
def test_what_has_no_readable_identity_has_no_place_in_the_sequence(part: Any) -> None:
    broken = event("DatasetEvent", dataset=part), event("JobEvent", job=part), event("RunEvent", run=part)

    assert told(*broken, *broken) == []


@pytest.mark.parametrize("end", ["COMPLETE", "FAIL", "ABORT"])
def test_a_run_has_a_start_and_one_end(end: str) -> None:
    assert told(*run("START", end)) == []
    assert told(*run("OTHER", None, "START", "RUNNING", None, "OTHER", "RUNNING", end, "OTHER", None)) == []


@pytest.mark.parametrize(
    ("kinds", "line", "message"),
    [
        (["START", "START", "COMPLETE"], 2, "START of a run that is under way since f:1"),
        (["START", "RUNNING", "START", "COMPLETE"], 3, "START of a run that is under way since f:1"),
        (["COMPLETE"], 1, "COMPLETE of a run without START before it"),
        (["RUNNING", "RUNNING", "COMPLETE"], 1, "RUNNING of a run without START before it"),
        (["START", "COMPLETE", "COMPLETE"], 3, "COMPLETE of a run that has ended at f:2"),
        (["START", "FAIL", "COMPLETE"], 3, "COMPLETE of a run that has ended at f:2"),
        (["START", "ABORT", "RUNNING"], 3, "RUNNING of a run that has ended at f:2"),
        (["START", "COMPLETE", "OTHER", "START"], 4, "START of a run that has ended at f:2"),
    ],
)
def test_a_run_out_of_order_is_told_at_the_event_that_breaks_it(
    kinds: list[str], line: int, message: str
) -> None:
    assert told(*run(*kinds)) == [(line, "eventType", message)]


def test_an_end_before_the_start_is_told_at_both() -> None:
    assert told(*run("COMPLETE", "START")) == [
        (1, "eventType", "COMPLETE of a run without START before it"),
        (2, "eventType", "START of a run that has ended at f:1"),
    ]


@pytest.mark.parametrize("kinds", [["START"], ["START", "RUNNING", "OTHER"], ["OTHER"], [None], ["DONE"]])
def test_a_run_without_an_end_is_told_at_its_first_event(kinds: list[str]) -> None:
    assert told(*run(*kinds)) == [(1, "run/runId", NO_END)]


def test_runs_are_told_apart_and_a_run_id_may_be_written_in_any_case() -> None:
    assert told(
        run_event("START"),
        run_event("START", OTHER_RUN, "another"),
        run_event("COMPLETE", RUN_ID.upper()),
    ) == [(2, "run/runId", NO_END)]


@pytest.mark.parametrize("other", [job("other"), {"namespace": "other", "name": "load_orders"}])
def test_a_run_is_of_one_job(other: dict[str, Any]) -> None:
    assert told(run_event("START"), run_event("RUNNING"), run_event("COMPLETE", job=other)) == [
        (3, "job", "is another job than that of the run at f:1")
    ]


def test_a_job_that_cannot_be_read_is_no_other_job() -> None:
    assert told(
        run_event("START", job={}), run_event("RUNNING"), run_event("COMPLETE", job=job("other"))
    ) == [(3, "job", "is another job than that of the run at f:1")]


@pytest.mark.parametrize(
    "earlier",
    [
        "2026-03-04T05:06:06Z",
        "2026-03-04T05:06:07.499999999999Z",
        "2026-03-04t05:06:07.4z",
        "2026-03-04T06:06:07.5+01:01",
        "2026-03-04T01:06:07.499-04:00",
        "2026-03-04T05:06:07-00:00",
    ],
)
def test_an_event_before_the_start_of_its_run_is_told(earlier: str) -> None:
    assert told(
        run_event("START", eventTime="2026-03-04T05:06:07.5Z"), run_event("FAIL", eventTime=earlier)
    ) == [(2, "eventTime", "lies before the START of the run at f:1")]


@pytest.mark.parametrize(
    "later",
    [
        "2026-03-04T05:06:07.5Z",
        "2026-03-04T05:06:07.500Z",
        "2026-03-04T05:06:07.50000000001z",
        "2026-03-04T06:06:07.5+01:00",
        "2026-03-03T23:06:07.51-06:00",
        "2026-03-04T05:06:08Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00",
        "yesterday",
        7,
    ],
)
def test_an_event_at_the_start_of_its_run_or_at_no_known_time_is_welcome(later: Any) -> None:
    assert (
        told(run_event("START", eventTime="2026-03-04T05:06:07.5Z"), run_event("FAIL", eventTime=later)) == []
    )


def test_zeros_at_the_end_of_a_fraction_mean_nothing() -> None:
    start = run_event("START", eventTime="2026-03-04T05:06:07.500Z")

    assert told(start, run_event("FAIL", eventTime="2026-03-04T05:06:07.5Z")) == []


def test_a_leap_second_is_no_earlier_than_the_second_before() -> None:
    start = run_event("START", eventTime="2016-12-31T23:59:59.9Z")

    assert told(start, run_event("FAIL", eventTime="2016-12-31T23:59:60Z")) == []


def test_what_stands_before_the_start_may_be_of_any_time() -> None:
    assert told(run_event("OTHER", eventTime="2020-01-01T00:00:00Z"), *run("START", "COMPLETE")) == []


@pytest.mark.parametrize("kind", [3, None, [], {}])
def test_an_event_type_of_any_kind_is_looked_at_without_a_fault(kind: Any) -> None:
    odd = run_event("START")
    odd["eventType"] = kind

    assert told(*run("START"), odd, run_event("COMPLETE", eventTime="2026-03-04T05:06:09Z")) == []
