"""A new materialization with its own job type, facet and warning: rows are added, no Python changes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from program import run_streamt

from streamt_ol.ground.resources import rules_folder

PROJECT = """
apiVersion: streamt.dev/v1alpha1
project: {name: weather}
runtime:
  kafka: {bootstrap_servers: "broker.example:9092"}
sources:
  - name: readings
    topic: weather.readings
    columns: [{name: station, type: STRING}]
models:
  - name: readings_daily
    materialized: snapshot
    description: One row per station and day
    sql: SELECT * FROM {{ source("readings") }}
    columns: [{name: station, type: STRING}]
"""

EDITS = {
    "facts.yml": [
        ("materialization: [topic,", "materialization: [snapshot, topic,"),
        ("process: [none,", "process: [batch_copier, none,"),
    ],
    "processes.yml": [
        (
            "rows:\n",
            """rows:
  - id: snapshot
    when: {effective: snapshot}
    then: {process: batch_copier, output: kafka, named: topic_name, bound_to: nothing}
""",
        )
    ],
    "jobs.yml": [
        (
            "rows:\n",
            """rows:
  - id: batch-copier
    when: {process: batch_copier}
    then: {name: "streamt/{project}/snapshots/{name}", dependencies: exactly_one, reads: kafka}
""",
        )
    ],
    "facets.yml": [
        (
            "rows:\n",
            """rows:
  - id: job-type-snapshot
    when: {entity: job, process: batch_copier}
    then: {facet: jobType, body: {processingType: BATCH, integration: STREAMT, jobType: SNAPSHOT}}
""",
        ),
        (
            "when: {entity: dataset}\n    then: {facet: datasetType, body: {datasetType: TOPIC}}",
            """when: {entity: dataset, process: [none, flink, gateway, connect]}
    then: {facet: datasetType, body: {datasetType: TOPIC}}
  - id: dataset-type-snapshot
    when: {entity: dataset, process: batch_copier}
    then: {facet: datasetType, body: {datasetType: TOPIC, subType: SNAPSHOT}}""",
        ),
    ],
    "warnings.yml": [
        (
            "rows:\n",
            """rows:
  - id: snapshot-is-late
    when: {entity: job, process: batch_copier}
    then: {code: W900_SNAPSHOT_IS_LATE, location: "{at}/materialized", message: "Model '{label}' lags by up to a day"}
""",
        )
    ],
    "diagnostics.yml": [
        (
            "entries:\n",
            """entries:
  W900_SNAPSHOT_IS_LATE: {severity: warning, title: A late copy, meaning: A snapshot lags., remedy: Wait a day.}
""",
        )
    ],
}


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    shutil.copytree(rules_folder(), folder)
    for name, edits in EDITS.items():
        text = (folder / name).read_text("utf-8")
        for old, new in edits:
            assert text.count(old) == 1, (name, old)
            text = text.replace(old, new)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "stream_project.yml").write_text(PROJECT, "utf-8")
    return folder


def test_the_packaged_rules_do_not_know_the_new_kind(project: Path) -> None:
    done = run_streamt("docs", "openlineage", "-p", project, "--job-namespace", "jobs")

    assert done.exit_status == 1
    assert "E501_PARSE_ERROR at /models/0/materialized (stream_project.yml:12:19)" in done.stderr


def test_rows_alone_add_a_materialization_with_job_type_facet_and_warning(rules: Path, project: Path) -> None:
    done = run_streamt("--rules", rules, "docs", "openlineage", "-p", project, "--job-namespace", "jobs")

    assert done.exit_status == 0
    assert done.stderr == (
        "WARNING: W900_SNAPSHOT_IS_LATE at /models/0/materialized: Model 'readings_daily' lags by up to a day\n"
    )
    copy, readings, job = [json.loads(line) for line in done.stdout.splitlines()]
    assert copy["dataset"]["name"] == "readings_daily"
    assert bare(copy["dataset"]["facets"]["datasetType"]) == {"datasetType": "TOPIC", "subType": "SNAPSHOT"}
    assert bare(readings["dataset"]["facets"]["datasetType"]) == {"datasetType": "TOPIC"}
    assert job["job"]["name"] == "streamt/weather/snapshots/readings_daily"
    assert bare(job["job"]["facets"]["jobType"]) == {
        "processingType": "BATCH",
        "integration": "STREAMT",
        "jobType": "SNAPSHOT",
    }
    assert [dataset["name"] for dataset in job["inputs"]] == ["weather.readings"]
    assert [dataset["name"] for dataset in job["outputs"]] == ["readings_daily"]


def test_a_forgotten_row_is_refused_with_the_row_to_add(rules: Path, project: Path) -> None:
    jobs = rules / "jobs.yml"
    text = jobs.read_text("utf-8")
    jobs.write_text(re.sub(r"  - id: batch-copier\n.*\n.*\n", "", text), "utf-8")

    done = run_streamt("--rules", rules, "docs", "openlineage", "-p", project, "--job-namespace", "jobs")

    assert (done.exit_status, done.stdout) == (1, "")
    assert f"ERROR: E520_RULES_INVALID at /rows ({jobs}:" in done.stderr
    assert "add a row: {id: batch-copier, when: {process: batch_copier}, then: {}}" in done.stderr


def bare(facet: dict) -> dict:
    return {key: value for key, value in facet.items() if not key.startswith("_")}
