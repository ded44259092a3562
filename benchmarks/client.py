"""The cost of the client of the standard, `openlineage-python`: events built as its objects and serialized by it.

    python -m benchmarks.client EVENTS

EVENTS holds an export, whose lines are parsed before the clock runs: the client is given plain data. What it does not
do is checked by nobody: no schema, no order, no identities.
"""

from __future__ import annotations

import gc
import sys
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from openlineage.client.event_v2 import (
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    StaticDataset,
)
from openlineage.client.facet_v2 import (
    BaseFacet,
    dataset_type_dataset,
    documentation_dataset,
    documentation_job,
    job_type_job,
    ownership_dataset,
    ownership_job,
    schema_dataset,
)
from openlineage.client.serde import Serde

if TYPE_CHECKING:
    from collections.abc import Callable

Plain = dict[str, Any]
DISTRIBUTION = "openlineage-python"


def _schema(facet: Plain) -> BaseFacet:
    return schema_dataset.SchemaDatasetFacet(
        fields=[
            schema_dataset.SchemaDatasetFacetFields(
                name=field["name"],
                type=field.get("type"),
                description=field.get("description"),
                ordinal_position=field.get("ordinal_position"),
            )
            for field in facet["fields"]
        ],
        producer=facet["_producer"],
    )


def _dataset_documentation(facet: Plain) -> BaseFacet:
    return documentation_dataset.DocumentationDatasetFacet(
        description=facet["description"], producer=facet["_producer"]
    )


def _dataset_ownership(facet: Plain) -> BaseFacet:
    owners = [ownership_dataset.Owner(name=owner["name"]) for owner in facet["owners"]]
    return ownership_dataset.OwnershipDatasetFacet(owners=owners, producer=facet["_producer"])


def _dataset_type(facet: Plain) -> BaseFacet:
    return dataset_type_dataset.DatasetTypeDatasetFacet(
        datasetType=facet["datasetType"], producer=facet["_producer"]
    )


def _job_documentation(facet: Plain) -> BaseFacet:
    return documentation_job.DocumentationJobFacet(
        description=facet["description"], producer=facet["_producer"]
    )


def _job_ownership(facet: Plain) -> BaseFacet:
    owners = [ownership_job.Owner(name=owner["name"]) for owner in facet["owners"]]
    return ownership_job.OwnershipJobFacet(owners=owners, producer=facet["_producer"])


def _job_type(facet: Plain) -> BaseFacet:
    return job_type_job.JobTypeJobFacet(
        processingType=facet["processingType"],
        integration=facet["integration"],
        jobType=facet["jobType"],
        producer=facet["_producer"],
    )


DATASET_FACETS: dict[str, Callable[[Plain], BaseFacet]] = {
    "datasetType": _dataset_type,
    "documentation": _dataset_documentation,
    "ownership": _dataset_ownership,
    "schema": _schema,
}
JOB_FACETS: dict[str, Callable[[Plain], BaseFacet]] = {
    "documentation": _job_documentation,
    "jobType": _job_type,
    "ownership": _job_ownership,
}
"""The facets that both the export and the client have; others are left out and counted."""


def serialized(event: Plain) -> str:
    """Return the JSON that the client makes of an event."""
    return Serde.to_json(_built(event))


def left_out(event: Plain) -> list[str]:
    """Return the facets of an event that are not built."""
    about, known = ("job", JOB_FACETS) if "job" in event else ("dataset", DATASET_FACETS)
    return [f"{about} {key}" for key in event[about].get("facets", {}) if key not in known]


def _built(event: Plain) -> DatasetEvent | JobEvent:
    if "job" not in event:
        dataset = event["dataset"]
        return DatasetEvent(
            eventTime=event["eventTime"],
            producer=event["producer"],
            dataset=StaticDataset(
                dataset["namespace"], dataset["name"], facets=_facets(dataset, DATASET_FACETS)
            ),
        )
    job = event["job"]
    return JobEvent(
        eventTime=event["eventTime"],
        producer=event["producer"],
        job=Job(job["namespace"], job["name"], facets=_facets(job, JOB_FACETS)),
        inputs=[InputDataset(read["namespace"], read["name"]) for read in event.get("inputs", ())],
        outputs=[OutputDataset(made["namespace"], made["name"]) for made in event.get("outputs", ())],
    )


def _facets(about: Plain, builders: dict[str, Callable[[Plain], BaseFacet]]) -> dict[str, Any]:
    facets = about.get("facets", {})
    return {key: builders[key](facet) for key, facet in facets.items() if key in builders}


def _seconds(events: list[Plain]) -> float:
    start = time.perf_counter()
    for event in events:
        serialized(event)
    return time.perf_counter() - start


def main(file: str) -> None:
    """Print, as JSON, the seconds that dataset events and job events took, and what was left out."""
    events = [orjson.loads(line) for line in Path(file).read_bytes().splitlines()]
    jobs = [event for event in events if "job" in event]
    datasets = [event for event in events if "job" not in event]
    gc.freeze()  # the collector need not look at the plain data, which in other uses would not all be there
    document = {
        "release": version(DISTRIBUTION),
        "datasets": len(datasets),
        "jobs": len(jobs),
        "left_out": Counter(name for event in events for name in left_out(event)),
        "dataset_seconds": _seconds(datasets),
        "job_seconds": _seconds(jobs),
    }
    sys.stdout.buffer.write(orjson.dumps(document))


if __name__ == "__main__":
    main(*sys.argv[1:])
