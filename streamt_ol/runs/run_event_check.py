"""The last check before a run event leaves: its closed schema, then what holds for the two events of a run.

Source: section 5.6 of the runtime facts. The official schema knows neither that a run of a batch job has one
START and one end, nor what may stand for a run's identity or an input of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.ground.json_problems import deepest, demand
from streamt_ol.ground.json_schema import Checker
from streamt_ol.ground.pointer import pointer
from streamt_ol.lineage.event_schema import IDENTITY, NOTHING, EventSchemas
from streamt_ol.lineage.kafka_uris import uri_problem
from streamt_ol.runs.run_errors import RunEventInvalidError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.lineage.schemas import OpenLineageSchemas

START = "START"
ENDS = ("COMPLETE", "FAIL", "ABORT")
"""What may end a run; every run has one START before one of these."""
PROCESSING_TYPE = "BATCH"
"""That of every job with finite runs."""
_UUID4 = {"pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"}
"""A random UUID in its canonical form: lower case, with hyphens."""
_NO_DETAILS = {"properties": {"errorMessage": {"properties": {"stackTrace": NOTHING}}}}
"""Why a command failed stays with the command."""
_FINITE = {
    "required": ["jobType"],
    "properties": {"jobType": {"properties": {"processingType": {"const": PROCESSING_TYPE}}}},
}


def run_event_schema(schemas: OpenLineageSchemas, producer: str) -> dict[str, Any]:
    """Return the closed schema of the run events of one producer; it refers to `schemas.documents`."""
    made = EventSchemas(schemas, producer)
    facets = {"allOf": [made.facets("job"), _FINITE]}
    _url, schema = made.event(
        "RunEvent",
        {
            "run": {"properties": {"runId": _UUID4, "facets": {"allOf": [made.facets("run"), _NO_DETAILS]}}},
            "job": {"properties": {"facets": facets}, "required": ["facets"]},
            "inputs": {"items": IDENTITY},
            "outputs": NOTHING,
        },
    )
    return {**schema, "required": ["eventType"]}


class RunEventChecker:
    """Checks the events of runs as one producer sends them; both methods raise `RunEventInvalidError`."""

    def __init__(self, schemas: OpenLineageSchemas, producer: str) -> None:
        self._checker = Checker(run_event_schema(schemas, producer), schemas.documents)

    def check_start(self, event: Any) -> None:
        """Refuse what is no START of a run."""
        self._check(event, 0, (START,))

    def check_end(self, start: Mapping[str, Any], event: Any) -> None:
        """Refuse what does not end the run that a checked START began, with its job and inputs."""
        self._check(event, 1, ENDS)
        if event["run"]["runId"] != start["run"]["runId"]:
            raise _invalid("is not the run of START", 1, "run", "runId")
        for key in ("job", "inputs"):
            if event.get(key) != start.get(key):
                raise _invalid("is not that of START", 1, key)
        if event["eventTime"] < start["eventTime"]:
            raise _invalid("lies before START", 1, "eventTime")

    def _check(self, event: Any, position: int, kinds: Sequence[str]) -> None:
        if not self._checker.accepts(event):
            problem = deepest(self._checker.problems(event))
            raise _invalid(demand(problem), position, *problem.absolute_path)
        if event["eventType"] not in kinds:
            raise _invalid(f"must be {' or '.join(kinds)}", position, "eventType")
        for key in ("namespace", "name"):
            if not event["job"][key].strip():
                raise _invalid("is blank", position, "job", key)
        _check_inputs(event.get("inputs", ()), position)


def _check_inputs(inputs: Sequence[Mapping[str, str]], position: int) -> None:
    before = ("", "")
    for index, dataset in enumerate(inputs):
        identity = dataset["namespace"], dataset["name"]
        if uri_problem(dataset["namespace"]) is not None:
            raise _invalid("is not kafka://host:port", position, "inputs", index, "namespace")
        if not dataset["name"].strip():
            raise _invalid("is blank", position, "inputs", index, "name")
        if identity <= before:
            wrong = "is given twice" if identity == before else "stands at the wrong place: sort by name"
            raise _invalid(wrong, position, "inputs", index)
        before = identity


def _invalid(message: str, *path: str | int) -> RunEventInvalidError:
    location = pointer(*path)
    return RunEventInvalidError(f"{location} {message}", location=location)
