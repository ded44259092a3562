"""Valid OpenLineage events as several producers write them, to be checked as they are or changed."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
FACETS = "https://openlineage.io/spec/facets"
PRODUCER = "https://example.com/jobs/loader/v3"
RUN_ID = "0197c3a4-7a7e-7bbb-8d4c-0a51c1f3b1aa"


def facet(document: str, **says: Any) -> dict[str, Any]:
    """Return a facet of a document such as `1-2-0/SchemaDatasetFacet`."""
    name = document.rpartition("/")[2]
    url = f"{FACETS}/{document}.json#/$defs/{name}"
    return {"_producer": PRODUCER, "_schemaURL": url, **says}


def custom_facet(**says: Any) -> dict[str, Any]:
    """Return a facet of a schema that nobody else knows."""
    return {"_producer": PRODUCER, "_schemaURL": "https://example.com/schemas/Load.json#/$defs/Load", **says}


def event(kind: str, **says: Any) -> dict[str, Any]:
    """Return an event of a kind, which has what is said and the base of every event."""
    base = {"eventTime": "2026-03-04T05:06:07Z", "producer": PRODUCER, "schemaURL": f"{CORE}#/$defs/{kind}"}
    return {**base, **copy.deepcopy(says)}


def dataset_event(name: str = "orders", **says: Any) -> dict[str, Any]:
    return event("DatasetEvent", **{"dataset": dataset(name), **says})


def job_event(name: str = "load_orders", **says: Any) -> dict[str, Any]:
    return event("JobEvent", **{"job": job(name), **says})


def run_event(
    kind: str | None, run_id: str = RUN_ID, name: str = "load_orders", **says: Any
) -> dict[str, Any]:
    """Return a RunEvent; without a kind it has no `eventType`."""
    transition = {} if kind is None else {"eventType": kind}
    return event("RunEvent", **{**transition, "run": {"runId": run_id}, "job": job(name), **says})


def dataset(name: str, **says: Any) -> dict[str, Any]:
    return {"namespace": "postgres://db.example:5432", "name": name, **says}


def job(name: str, **says: Any) -> dict[str, Any]:
    return {"namespace": "warehouse", "name": name, **says}


def lines(events: Iterable[Mapping[str, Any]]) -> bytes:
    """Return events as JSON Lines."""
    return b"".join(orjson.dumps(one) + b"\n" for one in events)


_SCHEMA = facet(
    "1-2-0/SchemaDatasetFacet",
    fields=[
        {"name": "id", "type": "BIGINT", "ordinal_position": 1},
        {"name": "buyer", "type": "STRUCT", "fields": [{"name": "city", "description": "größer"}]},
    ],
)
_COUNTS = custom_facet(rowCount=12, bytes=3456)

EXAMPLES: list[dict[str, Any]] = [
    dataset_event(
        "public.orders",
        dataset=dataset(
            "public.orders",
            facets={
                "schema": _SCHEMA,
                "ownership": facet(
                    "1-0-1/OwnershipDatasetFacet", owners=[{"name": "team:sales", "type": "MAIN"}]
                ),
                "documentation": facet(
                    "1-1-0/DocumentationDatasetFacet", description="# Orders", contentType="text/markdown"
                ),
                "datasetType": facet(
                    "1-0-1/DatasetTypeDatasetFacet", datasetType="TABLE", subType="PARTITIONED"
                ),
            },
        ),
    ),
    dataset_event(
        "public.gone", dataset=dataset("public.gone", facets={"load": custom_facet(_deleted=True)})
    ),
    job_event(
        "daily",
        job=job(
            "daily",
            facets={
                "jobType": facet(
                    "2-0-4/JobTypeJobFacet",
                    processingType="STREAMING",
                    integration="FLINK",
                    jobType="JOB",
                    emissionPattern={
                        "eventTrigger": "WINDOW",
                        "eventContentMode": "DELTA",
                        "windowDuration": 60,
                    },
                ),
                "ownership": facet("1-0-1/OwnershipJobFacet", owners=[]),
                "documentation": facet("1-1-0/DocumentationJobFacet", description=""),
                "load": custom_facet(parallelism=3.5),
            },
        ),
        inputs=[dataset("public.orders"), dataset("public.buyers", facets={"schema": _SCHEMA})],
        outputs=[],
        eventTime="2026-03-04t06:06:07.5+01:00",
    ),
    run_event(
        "START",
        run={"runId": RUN_ID.upper(), "facets": {"load": custom_facet(attempt=1)}},
        inputs=[dataset("public.orders", inputFacets={"counts": _COUNTS}, facets={"schema": _SCHEMA})],
    ),
    run_event("RUNNING", eventTime="2026-03-04T05:06:08Z", outputs=[dataset("s")], comment="an extra key"),
    run_event(
        "FAIL",
        eventTime="2026-03-04T05:06:09.123456789Z",
        run={
            "runId": RUN_ID,
            "facets": {
                "errorMessage": facet(
                    "1-0-1/ErrorMessageRunFacet",
                    message="disk full",
                    programmingLanguage="JAVA",
                    stackTrace="at Loader.load",
                )
            },
        },
        outputs=[dataset("s", outputFacets={"counts": _COUNTS}, facets={})],
    ),
    run_event(None, eventTime="2026-03-05T00:00:00Z"),
]
"""Events of every kind, one sequence; each one is valid, and nothing is wrong with the sequence."""
