"""The options about the state of Flink jobs, as the commands that have them read them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import run_streamt

JOB = {
    "name": "large",
    "materialized": "flink",
    "topic": {"name": "shop.large"},
    "sql": 'SELECT id FROM {{ source("orders") }}',
    "columns": [{"name": "id", "type": "STRING"}],
    "flink": {"resources": {"taskmanager_slots": 2}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    document = {
        "apiVersion": "streamt.dev/v1alpha1",
        "project": {"name": "shop"},
        "runtime": {
            "kafka": {"bootstrap_servers": "broker.invalid:9092"},
            "flink": {"default": "mill", "clusters": {"mill": {"rest_url": "http://flink.invalid:8081"}}},
        },
        "sources": [
            {"name": "orders", "topic": "shop.orders", "columns": [{"name": "id", "type": "STRING"}]}
        ],
        "models": [JOB],
    }
    (tmp_path / "stream_project.yml").write_text(json.dumps(document), "utf-8")
    return tmp_path


@pytest.mark.parametrize("command", ["plan", "apply"])
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--flink-from", "large"], "--flink-from takes JOB=SAVEPOINT"),
        (["--flink-from", "=file:/x"], "--flink-from takes JOB=SAVEPOINT"),
        (["--flink-from", "large="], "--flink-from takes JOB=SAVEPOINT"),
        (["--flink-from", "a=x", "--flink-from", "a=y"], "--flink-from names two savepoints of 'a'"),
        (["--flink-from", "a=x", "--flink-fresh", "a"], "exclude each other, and both name 'a'"),
    ],
)
def test_what_contradicts_itself_is_no_use_of_a_command(
    folder: Path, command: str, options: list[str], told: str
) -> None:
    done = run_streamt(command, "-p", folder, *options)

    assert done.exit_status == 2
    assert told in done.stderr


@pytest.mark.parametrize("option", ["--flink-from=largo=file:/x", "--flink-fresh=largo"])
def test_a_job_that_the_project_does_not_have_is_refused(folder: Path, option: str) -> None:
    done = run_streamt("--output", "json", "plan", "-p", folder, "--offline", option)

    assert done.exit_status == 1
    assert [(error["code"], error["suggestion"]) for error in json.loads(done.stdout)["errors"]] == [
        ("E501_PARSE_ERROR", "it has: large")
    ]


def test_a_savepoint_may_have_any_sign_in_its_name(folder: Path) -> None:
    done = run_streamt("plan", "-p", folder, "--offline", "--flink-from", "large=s3://bucket/a=b")

    assert done.exit_status == 0
    assert "    from        s3://bucket/a=b\n" in done.stdout


def test_what_a_job_cannot_be_given_is_a_warning_at_its_place(folder: Path) -> None:
    done = run_streamt("--output", "json", "plan", "-p", folder, "--offline")

    assert [(one["code"], one["location"]) for one in json.loads(done.stdout)["warnings"]] == [
        ("W120_DECLARATION_UNUSED", "/models/0/flink/resources/taskmanager_slots")
    ]
