"""The events of a run: exactly these keys and values, and the same job, inputs and run in both."""

from __future__ import annotations

import copy
from uuid import UUID

import orjson
import pytest
from finite_runs import BROKER, OUTCOMES, PROXY, RUN_ID, Memory, prepared

from streamt_ol.engine.ruleset import facts_of, load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.runs.needs import RUN_NEEDS

PRODUCER = "https://github.com/conduktor/streamt"
FACETS = "https://openlineage.io/spec/facets"
START = {
    "eventTime": "2026-01-02T03:04:05.000678Z",
    "eventType": "START",
    "inputs": [
        {"name": "a", "namespace": "kafka://broker.example:9092"},
        {"name": "b", "namespace": "kafka://broker.example:9092"},
    ],
    "job": {
        "facets": {
            "jobType": {
                "_producer": PRODUCER,
                "_schemaURL": f"{FACETS}/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
                "integration": "STREAMT",
                "jobType": "TEST",
                "processingType": "BATCH",
            }
        },
        "name": "streamt/my%20shop/commands/test",
        "namespace": "jobs",
    },
    "producer": PRODUCER,
    "run": {"runId": RUN_ID},
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
}
ENDED = "2026-01-02T03:04:06.000678Z"


def failed(command: str) -> dict:
    return {
        "errorMessage": {
            "_producer": PRODUCER,
            "_schemaURL": f"{FACETS}/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet",
            "message": f"streamt {command} command did not complete successfully",
            "programmingLanguage": "PYTHON",
        }
    }


def sent(outcome: str, **says) -> list[dict]:
    memory = Memory()
    with prepared(memory, **says) as run:
        run.start()
        run.finish(outcome)
    assert run.warnings == []
    return memory.events


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        ("succeeded", "COMPLETE"),
        ("failed", "FAIL"),
        ("incomplete", "FAIL"),
        ("broken", "FAIL"),
        ("interrupted", "ABORT"),
    ],
)
def test_an_outcome_of_a_test_ends_its_run(outcome: str, kind: str) -> None:
    run = {"runId": RUN_ID, **({"facets": failed("test")} if kind == "FAIL" else {})}

    assert sent(outcome, topics=("b", "a", "b")) == [
        START,
        {**START, "eventTime": ENDED, "eventType": kind, "run": run},
    ]


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        ("succeeded", "COMPLETE"),
        ("failed", "FAIL"),
        ("incomplete", "FAIL"),
        ("broken", "FAIL"),
        ("interrupted", "ABORT"),
    ],
)
def test_an_outcome_of_an_apply_ends_its_run_which_names_no_dataset(outcome: str, kind: str) -> None:
    start = copy.deepcopy(START)
    del start["inputs"]
    start["job"]["name"] = "streamt/my%20shop/commands/apply"
    start["job"]["facets"]["jobType"]["jobType"] = "COMMAND"
    run = {"runId": RUN_ID, **({"facets": failed("apply")} if kind == "FAIL" else {})}

    assert sent(outcome, command="apply", topics=("never.named",)) == [
        start,
        {**start, "eventTime": ENDED, "eventType": kind, "run": run},
    ]


def test_a_test_without_topics_has_no_inputs_and_needs_no_address() -> None:
    events = sent("succeeded", topics=(), endpoints={BROKER: None, PROXY: None})

    assert [sorted(event) for event in events] == [
        ["eventTime", "eventType", "job", "producer", "run", "schemaURL"]
    ] * 2


def test_a_line_is_compact_with_sorted_keys_readable_text_and_one_line_feed() -> None:
    memory = Memory()
    with prepared(memory, topics=("größe",)) as run:
        run.start()

    assert memory.lines[0] == orjson.dumps(orjson.loads(memory.lines[0]), option=orjson.OPT_SORT_KEYS) + b"\n"
    assert '"name":"größe"'.encode() in memory.lines[0]
    assert memory.lines[0].startswith(
        b'{"eventTime":"2026-01-02T03:04:05.000678Z","eventType":"START","inputs":'
    )


@pytest.mark.parametrize(
    ("project", "name"),
    [
        ("shop", "shop"),
        ("my shop", "my%20shop"),
        ("a/b", "a%2Fb"),
        ("größe", "gr%C3%B6%C3%9Fe"),
        ("-._~", "-._~"),
    ],
)
def test_the_name_of_the_job_holds_the_encoded_name_of_the_project(project: str, name: str) -> None:
    assert sent("succeeded", project=project)[0]["job"]["name"] == f"streamt/{name}/commands/test"


def test_a_job_namespace_is_kept_as_it_is() -> None:
    assert (
        sent("succeeded", options={"job_namespace": " https://x/ä "})[1]["job"]["namespace"]
        == " https://x/ä "
    )


def test_every_run_has_a_random_identity_of_its_own() -> None:
    ids = {event["run"]["runId"] for _ in range(20) for event in sent("succeeded", run_id=None)}

    assert len(ids) == 20
    assert {(UUID(run_id).version, str(UUID(run_id)) == run_id) for run_id in ids} == {(4, True)}


def test_a_command_that_keeps_records_gives_identity_and_time_of_its_run() -> None:
    run_id, began = "7b1c3f58-25b1-4d0e-9d7b-1f6f0a3ce001", "2026-01-01T00:00:00.000001Z"

    start, end = sent("succeeded", command="apply", run_id=run_id, started_at=began)

    assert (start["eventTime"], end["eventTime"]) == (began, "2026-01-02T03:04:05.000678Z")
    assert (start["run"], end["run"]) == ({"runId": run_id}, {"runId": run_id})


@pytest.mark.parametrize("record", RUN_NEEDS.records)
def test_a_record_has_the_facts_of_the_vocabulary(record: str) -> None:
    known = load_rules(rules_folder()).vocabulary.records[record]

    assert facts_of(RUN_NEEDS.records[record]) == set(known)


def test_the_outcomes_of_these_tests_are_those_of_the_vocabulary() -> None:
    assert load_rules(rules_folder()).vocabulary.domains["outcome"] == OUTCOMES
