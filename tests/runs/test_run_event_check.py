"""Run events: what is accepted, each single fault refused with its place, and the official schema agrees."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from finite_runs import SCHEMAS, Memory, prepared
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.ground.json_schema import Checker
from streamt_ol.lineage.standard import PRODUCER
from streamt_ol.runs.run_errors import RunEventInvalidError
from streamt_ol.runs.run_event_check import RunEventChecker

CHECKER = RunEventChecker(SCHEMAS, PRODUCER)
OFFICIAL = Checker({"$ref": SCHEMAS.event_url("RunEvent")}, SCHEMAS.documents)
ABSENT = object()
KAFKA = "kafka://broker.example:9092"


def _pair(outcome: str = "failed") -> list[dict[str, Any]]:
    memory = Memory()
    with prepared(memory, topics=("a", "b")) as run:
        run.start()
        run.finish(outcome)
    return memory.events


PAIR = _pair()


def changed(path: str, value: Any) -> list[dict[str, Any]]:
    """Return the valid pair with a value put in, or taken away if it is ABSENT."""
    pair = copy.deepcopy(PAIR)
    *parents, last = [int(token) if token.isdigit() else token for token in path.split("/")[1:]]
    place: Any = pair
    for token in parents:
        place = place[token]
    if value is ABSENT:
        del place[last]
    elif isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value
    return pair


def check(pair: list[Any]) -> None:
    CHECKER.check_start(pair[0])
    CHECKER.check_end(pair[0], pair[1])


@pytest.mark.parametrize("outcome", ["succeeded", "failed", "interrupted"])
def test_a_pair_is_accepted(outcome: str) -> None:
    check(_pair(outcome))


@pytest.mark.parametrize("key", ["/inputs", "/1/run/facets"])
def test_optional_parts_may_be_absent(key: str) -> None:
    pair = copy.deepcopy(PAIR)
    if key == "/inputs":
        del pair[0]["inputs"], pair[1]["inputs"]
    else:
        del pair[1]["run"]["facets"]

    check(pair)


FAULTS: dict[str, tuple[str, Any]] = {
    # path of the change, value
    "no object": ("/0", ["START"]),
    "another time format": ("/0/eventTime", "2026-01-02T03:04:05Z"),
    "a time without a zone": ("/1/eventTime", "2026-01-02T03:04:06.000678"),
    "a leap second": ("/1/eventTime", "2026-06-30T23:59:60.000000Z"),
    "no such day": ("/1/eventTime", "2026-02-30T00:00:00.000000Z"),
    "no type": ("/0/eventType", ABSENT),
    "a type that no run of ours has": ("/1/eventType", "RUNNING"),
    "an unknown type": ("/1/eventType", "ENDED"),
    "no producer": ("/0/producer", ABSENT),
    "another producer": ("/1/producer", "https://example.com/"),
    "another schema": ("/0/schemaURL", SCHEMAS.event_url("JobEvent")),
    "an unknown key": ("/0/detail", "x"),
    "a dataset": ("/0/dataset", {"namespace": KAFKA, "name": "a"}),
    "no run": ("/1/run", ABSENT),
    "an unknown key of the run": ("/0/run/parent", "x"),
    "empty facets of the run": ("/0/run/facets", {}),
    "an unknown facet of the run": (
        "/1/run/facets/environment",
        {"_producer": PRODUCER, "_schemaURL": "a:b"},
    ),
    "a facet of a job on a run": ("/1/run/facets/jobType", PAIR[0]["job"]["facets"]["jobType"]),
    "a stack trace": ("/1/run/facets/errorMessage/stackTrace", "at line 1"),
    "an unknown key of the message": ("/1/run/facets/errorMessage/code", "E1"),
    "no message": ("/1/run/facets/errorMessage/message", ABSENT),
    "no language": ("/1/run/facets/errorMessage/programmingLanguage", ABSENT),
    "another producer of a facet": ("/1/run/facets/errorMessage/_producer", "https://example.com/"),
    "another schema of a facet": (
        "/0/job/facets/jobType/_schemaURL",
        SCHEMAS.facets["run", "errorMessage"].definition,
    ),
    "no job": ("/0/job", ABSENT),
    "no facets of the job": ("/0/job/facets", ABSENT),
    "no type of the job": (
        "/0/job/facets",
        {
            "documentation": {
                "_producer": PRODUCER,
                "_schemaURL": SCHEMAS.facets["job", "documentation"].definition,
                "description": "x",
            }
        },
    ),
    "a job that streams": ("/0/job/facets/jobType/processingType", "STREAMING"),
    "an unknown key of the job": ("/0/job/id", 1),
    "an unknown facet of the job": ("/0/job/facets/sql", {"_producer": PRODUCER, "_schemaURL": "a:b"}),
    "outputs": ("/1/outputs", [{"namespace": KAFKA, "name": "a"}]),
    "empty outputs": ("/1/outputs", []),
    "empty inputs": ("/0/inputs", []),
    "a name alone": ("/0/inputs/0/namespace", ABSENT),
    "a namespace alone": ("/0/inputs/1/name", ABSENT),
    "empty facets of an input": ("/0/inputs/0/facets", {}),
    "facets of an input": (
        "/0/inputs/0/facets",
        {
            "documentation": {
                "_producer": PRODUCER,
                "_schemaURL": SCHEMAS.facets["dataset", "documentation"].definition,
                "description": "x",
            }
        },
    ),
    "facts about an input": ("/0/inputs/0/inputFacets", {"x": {"_producer": PRODUCER, "_schemaURL": "a:b"}}),
    "a number as a name": ("/0/inputs/0/name", 1),
    "a name that is no text": ("/0/inputs/0/name", "\ud800"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_one_event_is_refused_at_its_place(fault: str) -> None:
    path, value = FAULTS[fault]

    with pytest.raises(RunEventInvalidError) as refused:
        check(changed(path, value))

    assert refused.value.location is not None
    # what is missing is told at what lacks it, what a facet lacks or must be at most below it
    assert path.startswith(refused.value.location) or refused.value.location.startswith(path)
    assert refused.value.location.startswith(path[:2])
    assert refused.value.message.startswith(refused.value.location)


EXACT: dict[str, tuple[str, Any, str, str]] = {
    "version 1": (
        "/0/run/runId",
        "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
        "/0/run/runId",
        "does not satisfy pattern",
    ),
    "version 7": (
        "/0/run/runId",
        "0197c3a4-7a7e-7bbb-8d4c-0a51c1f3b1aa",
        "/0/run/runId",
        "does not satisfy pattern",
    ),
    "another variant": (
        "/0/run/runId",
        "2eb8aa08-aa98-41ea-c4aa-73b441d16380",
        "/0/run/runId",
        "does not satisfy pattern",
    ),
    "upper case": (
        "/0/run/runId",
        "2EB8AA08-AA98-41EA-B4AA-73B441D16380",
        "/0/run/runId",
        "does not satisfy pattern",
    ),
    "without hyphens": (
        "/0/run/runId",
        "2eb8aa08aa9841eab4aa73b441d16380",
        "/0/run/runId",
        "does not satisfy",
    ),
    "in braces": (
        "/0/run/runId",
        "{2eb8aa08-aa98-41ea-b4aa-73b441d16380}",
        "/0/run/runId",
        "does not satisfy",
    ),
    "with a line feed": (
        "/0/run/runId",
        "2eb8aa08-aa98-41ea-b4aa-73b441d16380\n",
        "/0/run/runId",
        "does not satisfy",
    ),
    "another run": (
        "/1/run/runId",
        "3eb8aa08-aa98-41ea-b4aa-73b441d16380",
        "/1/run/runId",
        "is not the run of START",
    ),
    "an end first": ("/0/eventType", "COMPLETE", "/0/eventType", "must be START"),
    "START twice": ("/1/eventType", "START", "/1/eventType", "must be COMPLETE or FAIL or ABORT"),
    "another job": ("/1/job/name", "other", "/1/job", "is not that of START"),
    "another job namespace": ("/1/job/namespace", "other", "/1/job", "is not that of START"),
    "another type of job": ("/1/job/facets/jobType/jobType", "OTHER", "/1/job", "is not that of START"),
    "an input more": ("/1/inputs/2", {"namespace": KAFKA, "name": "c"}, "/1/inputs", "is not that of START"),
    "no inputs any more": ("/1/inputs", ABSENT, "/1/inputs", "is not that of START"),
    "inputs at the end only": ("/0/inputs", ABSENT, "/1/inputs", "is not that of START"),
    "an end before START": (
        "/1/eventTime",
        "2026-01-02T03:04:05.000677Z",
        "/1/eventTime",
        "lies before START",
    ),
    "a blank job": ("/0/job/name", " ", "/0/job/name", "is blank"),
    "an empty job namespace": ("/0/job/namespace", "", "/0/job/namespace", "is blank"),
    "a blank topic": ("/0/inputs/0/name", "\t", "/0/inputs/0/name", "is blank"),
    "an input twice": ("/0/inputs/1/name", "a", "/0/inputs/1", "is given twice"),
    "inputs out of order": (
        "/0/inputs/0/name",
        "c",
        "/0/inputs/1",
        "stands at the wrong place: sort by name",
    ),
    "no port": (
        "/0/inputs/0/namespace",
        "kafka://broker",
        "/0/inputs/0/namespace",
        "is not kafka://host:port",
    ),
    "a path": ("/0/inputs/0/namespace", f"{KAFKA}/", "/0/inputs/0/namespace", "is not kafka://host:port"),
    "a password": (
        "/0/inputs/0/namespace",
        "kafka://u:p@h:1",
        "/0/inputs/0/namespace",
        "is not kafka://host:port",
    ),
    "another system": (
        "/0/inputs/0/namespace",
        "s3://bucket",
        "/0/inputs/0/namespace",
        "is not kafka://host:port",
    ),
}


@pytest.mark.parametrize("fault", EXACT)
def test_a_rule_beyond_the_official_schema_says_what_it_wants(fault: str) -> None:
    path, value, location, demand = EXACT[fault]
    pair = changed(path, value)

    with pytest.raises(RunEventInvalidError) as refused:
        check(pair)

    assert refused.value.location == location
    assert refused.value.message.startswith(f"{location} {demand}")
    assert refused.value.code == "E506_OPENLINEAGE_INVALID"


def test_what_is_refused_is_never_shown() -> None:
    with pytest.raises(RunEventInvalidError) as refused:
        check(changed("/0/run/runId", "hunter2"))

    assert "hunter2" not in str(refused.value)


def places(value: Any, path: str = "") -> list[str]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(place for token, child in children for place in places(child, f"{path}/{token}"))]


PLACES = [place for place in places(PAIR) if place.count("/") > 1]
VALUES: list[Any] = [ABSENT, None, True, 1, "", "x", "a", "b", "START", "FAIL", "ABORT", [], {}]
VALUES += ["kafka://other.example:1", "2026-01-02T03:04:05.000678Z", "2027-01-02T03:04:05Z"]
VALUES += ["3eb8aa08-aa98-41ea-b4aa-73b441d16380", {"runId": "x"}, {"facets": {}}]
VALUES += [[{"namespace": KAFKA, "name": "a"}], PAIR[0]["job"], PAIR[1]["run"]]


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(VALUES)), max_size=3))
def test_what_is_accepted_satisfies_the_official_schema(changes: list[tuple[str, Any]]) -> None:
    pair = copy.deepcopy(PAIR)
    for path, value in changes:
        *parents, last = [int(token) if token.isdigit() else token for token in path.split("/")[1:]]
        place: Any = pair
        try:
            for token in parents:
                place = place[token]
            if value is ABSENT:
                del place[last]
            else:
                place[last] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away

    try:
        check(pair)
    except RunEventInvalidError:
        return

    assert [OFFICIAL.accepts(event) for event in pair] == [True, True]
