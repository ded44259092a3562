"""Whatever valid project is exported, the invariants of the export hold; whatever fault it has, nothing is."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from click.testing import CliRunner
from generated_projects import FAULTS, projects
from hypothesis import HealthCheck, given, settings

from streamt_ol.cli.app import streamt
from streamt_ol.cli.face import Face

KAFKA, GATEWAY = "kafka://broker.example:9092", "kafka://gate.example:6969"
EXPORT = ["docs", "openlineage", "--job-namespace", "jobs", "--event-time", "2026-01-02T03:04:05Z"]
STEADY = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def export(document: dict, folder: Path):
    (folder / "stream_project.yml").write_text(
        yaml.safe_dump(document, allow_unicode=True, sort_keys=False), "utf-8"
    )
    return CliRunner().invoke(streamt, [*EXPORT, "-p", str(folder)], obj=Face())


@STEADY
@given(projects())
def test_the_events_of_a_valid_project_keep_every_invariant(tmp_path: Path, document: dict) -> None:
    done = export(document, tmp_path)
    assert done.exit_code == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    datasets = [event["dataset"] for event in events if "dataset" in event]
    jobs = [event for event in events if "job" in event]

    # Datasets come first; both kinds are sorted and unique.
    assert events == [event for event in events if "dataset" in event] + jobs
    identities = [(dataset["namespace"], dataset["name"]) for dataset in datasets]
    names = [event["job"]["name"] for event in jobs]
    assert identities == sorted(set(identities))
    assert names == sorted(set(names))
    # Every source and every model with an output is one dataset, every process one job.
    models = document["models"]
    sinks = [model for model in models if "sink" in model]
    assert len(datasets) == len(document["sources"]) + len(models) - len(sinks)
    assert len(jobs) == sum(1 for model in models if model.get("sql") or model.get("from"))
    # Namespaces have the scheme, names are exact, jobs decode to the model's name.
    assert {dataset["namespace"] for dataset in datasets} <= {KAFKA, GATEWAY}
    written = [source["topic"] for source in document["sources"]]
    written += [model["topic"]["name"] for model in models if "sink" not in model]
    assert sorted(dataset["name"] for dataset in datasets) == sorted(written)
    assert {tuple(map(unquote, name.split("/")[1::2])) for name in names} == {
        (document["project"]["name"], model["name"])
        for model in models
        if model.get("sql") or model.get("from")
    }
    # Jobs read and write datasets of the export, sorted, never one as both, and no empty list.
    for event in jobs:
        reads = [(dataset["namespace"], dataset["name"]) for dataset in event.get("inputs", [])]
        writes = [(dataset["namespace"], dataset["name"]) for dataset in event.get("outputs", [])]
        assert reads == sorted(set(reads))
        assert set(reads) | set(writes) <= set(identities)
        assert not set(reads) & set(writes)
        assert [] not in event.values()
    # Facets say what was written, and nothing that was not.
    for dataset in datasets:
        facets = dataset["facets"]
        assert set(facets) <= {"datasetType", "documentation", "ownership", "schema"}
        fields = facets.get("schema", {}).get("fields", [])
        assert [field["ordinal_position"] for field in fields] == list(range(1, len(fields) + 1))
        assert not [field for field in fields if "" in field.values() or None in field.values()]
    # The bytes are canonical.
    assert done.stdout_bytes == b"".join(
        json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        for event in events
    )


@pytest.mark.parametrize("fault", FAULTS)
@settings(STEADY, max_examples=10)
@given(projects())
def test_a_fault_anywhere_leaves_one_located_error_and_no_byte(
    tmp_path: Path, fault: str, document: dict
) -> None:
    document["sources"].append({"name": "always", "topic": "always.there"})
    FAULTS[fault](document)

    done = export(document, tmp_path)

    assert (done.exit_code, done.stdout) == (1, "")
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
    assert len(errors) == 1
    assert errors[0].startswith("ERROR: E506_OPENLINEAGE_INVALID at ")
