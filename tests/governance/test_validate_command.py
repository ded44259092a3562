"""`streamt validate`, through the program."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from program import run_streamt

if TYPE_CHECKING:
    from pathlib import Path

CLEAN = """\
apiVersion: streamt.dev/v1alpha1
project: {name: harbour}
runtime: {kafka: {bootstrap_servers: "broker.example:9092"}}
sources:
  - name: ships
    topic: harbour.ships
    columns: [{name: id, type: STRING}]
models:
  - name: all_ships
    materialized: topic
    sql: SELECT id FROM {{ source("ships") }}
"""
MORE_MODELS = """\
  - name: heavy
    materialized: flink
    sql: |
      SELECT *
      FROM {{ source("ships") }}
      JOIN {{ ref("cranes") }} ON TRUE
  - name: copy
    materialized: topic
    sql: SELECT * FROM {{ ref("all_ships") }}
"""
FAULTY = CLEAN + MORE_MODELS


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "stream_project.yml").write_text(CLEAN, "utf-8")
    return tmp_path


def test_a_valid_project_is_said_to_be_valid(project: Path) -> None:
    done = run_streamt("validate", "-p", project)

    assert (done.exit_status, done.stderr) == (0, "")
    assert done.stdout == (
        "The project is valid in environment default: "
        "1 sources, 1 models, 0 tests, 0 exposures, 0 errors, 0 warnings\n"
    )


def test_errors_and_warnings_are_shown_with_their_places_and_fail(project: Path) -> None:
    (project / "stream_project.yml").write_text(FAULTY, "utf-8")

    done = run_streamt("validate", "-p", project)

    assert done.exit_status == 1
    assert done.stderr == (
        "WARNING: W204_SELECT_STAR at /models/2/sql (stream_project.yml:20:10): model 'copy' selects *: "
        "its columns change whenever those of its input do\n"
        "ERROR: E102_MODEL_NOT_FOUND at /models/1/sql (stream_project.yml:17:15): model 'heavy' reads model "
        "'cranes', which is not declared\n"
    )


def test_the_envelope_has_verdict_and_counts_also_of_an_invalid_project(project: Path) -> None:
    (project / "stream_project.yml").write_text(FAULTY, "utf-8")

    envelope = json.loads(run_streamt("-o", "json", "validate", "-p", project).stdout)

    assert envelope["status"] == "error"
    assert envelope["command"] == "validate"
    assert envelope["data"] == {
        "valid": False,
        "counts": {"sources": 1, "models": 3, "tests": 0, "exposures": 0, "errors": 1, "warnings": 1},
        "environment": "default",
    }
    assert envelope["errors"] == [
        {
            "code": "E102_MODEL_NOT_FOUND",
            "message": "model 'heavy' reads model 'cranes', which is not declared",
            "location": "/models/1/sql",
            "file": "stream_project.yml",
            "line": 17,
            "column": 15,
        }
    ]
    assert [warning["code"] for warning in envelope["warnings"]] == ["W204_SELECT_STAR"]


def test_strict_fails_on_warnings_and_says_why(project: Path) -> None:
    text = CLEAN.replace("SELECT id", "SELECT *")
    (project / "stream_project.yml").write_text(text, "utf-8")

    relaxed = run_streamt("validate", "-p", project)
    strict = run_streamt("-o", "json", "validate", "--strict", "-p", project)

    assert relaxed.exit_status == 0
    assert strict.exit_status == 1
    envelope = json.loads(strict.stdout)
    assert envelope["data"]["valid"] is False
    assert [error["code"] for error in envelope["errors"]] == ["E130_STRICT_WARNINGS"]
    assert [warning["code"] for warning in envelope["warnings"]] == ["W204_SELECT_STAR"]


def test_strict_accepts_a_project_without_warnings(project: Path) -> None:
    assert run_streamt("validate", "--strict", "-p", project).exit_status == 0


def test_findings_can_be_asked_for_about_one_model(project: Path) -> None:
    (project / "stream_project.yml").write_text(FAULTY, "utf-8")

    copy = run_streamt("-o", "json", "validate", "--model", "copy", "-p", project)
    heavy = run_streamt("-o", "json", "validate", "-m", "heavy", "-p", project)

    assert copy.exit_status == 0
    assert [warning["location"] for warning in json.loads(copy.stdout)["warnings"]] == ["/models/2/sql"]
    assert heavy.exit_status == 1
    assert [error["location"] for error in json.loads(heavy.stdout)["errors"]] == ["/models/1/sql"]
    assert "warnings" not in json.loads(heavy.stdout)


def test_a_model_that_does_not_exist_is_refused(project: Path) -> None:
    done = run_streamt("validate", "--model", "heavy", "-p", project)

    assert done.exit_status == 1
    assert done.stderr == "ERROR: E102_MODEL_NOT_FOUND at model: the project has no model 'heavy'\n"


def test_comparing_with_a_registry_is_refused_not_passed_over(project: Path) -> None:
    done = run_streamt("validate", "--check-schemas", "-p", project)

    assert done.exit_status == 1
    assert done.stderr.startswith(
        "ERROR: E135_SCHEMA_CHECK_UNSUPPORTED at check_schemas: not supported yet: needs a Schema Registry\n"
    )
    assert done.stdout == ""


def test_a_project_that_does_not_load_keeps_the_code_of_loading(project: Path) -> None:
    (project / "stream_project.yml").write_text(
        "project: {name: x}\nruntime: {kafka: {bootstrap_servers: '${GONE}'}}\n"
    )
    missing = run_streamt("validate", "-p", project)
    chosen = run_streamt("validate", "-e", "prod", "-p", project)
    (project / "stream_project.yml").write_text("project: [")
    broken = run_streamt("validate", "-p", project)

    assert [done.exit_status for done in (missing, chosen, broken)] == [1, 1, 1]
    assert "ERROR: E502_ENV_VAR_ERROR at /runtime/kafka/bootstrap_servers" in missing.stderr
    assert "ERROR: E503_ENVIRONMENT_ERROR at environment" in chosen.stderr
    assert "ERROR: E501_PARSE_ERROR" in broken.stderr


def environments(project: Path) -> None:
    (project / "environments").mkdir()
    for name, flink in (("dev", ""), ("prod", ", flink: {clusters: {}}"), ("broken", ", unknown: 1")):
        runtime = f'runtime: {{kafka: {{bootstrap_servers: "{name}.example:9092"}}{flink}}}\n'
        (project / "environments" / f"{name}.yml").write_text(runtime, "utf-8")
    text = CLEAN.replace('runtime: {kafka: {bootstrap_servers: "broker.example:9092"}}\n', "")
    (project / "stream_project.yml").write_text(
        text.replace("materialized: topic", "materialized: flink"), "utf-8"
    )


def test_every_environment_is_checked_and_named(project: Path) -> None:
    environments(project)

    done = run_streamt("-o", "json", "validate", "--all-envs", "-p", project)

    assert done.exit_status == 1
    envelope = json.loads(done.stdout)
    assert envelope["data"]["valid"] is False
    assert envelope["data"]["counts"] == {"errors": 2, "warnings": 0}
    assert [(each["environment"], each["valid"]) for each in envelope["data"]["environments"]] == [
        ("broken", False),
        ("dev", False),
        ("prod", True),
    ]
    assert [(error["code"], error["location"], error["file"]) for error in envelope["errors"]] == [
        ("E501_PARSE_ERROR", "/runtime/unknown", "environments/broken.yml"),
        ("E202_FLINK_REQUIRED", "/models/0", "stream_project.yml"),
    ]
    assert envelope["errors"][0]["message"].startswith("environment 'broken': ")
    assert envelope["errors"][1]["message"] == (
        "environment 'dev': model 'all_ships' is a Flink job, and the runtime has no Flink"
    )


def test_one_environment_of_several_is_checked(project: Path) -> None:
    environments(project)

    assert run_streamt("validate", "-p", project, "--env", "prod").stdout.startswith(
        "The project is valid in environment prod: "
    )


def test_all_environments_of_a_project_without_any_are_its_one(project: Path) -> None:
    envelope = json.loads(run_streamt("-o", "json", "validate", "--all-envs", "-p", project).stdout)

    assert [each["environment"] for each in envelope["data"]["environments"]] == ["default"]


def test_one_and_all_environments_exclude_each_other(project: Path) -> None:
    done = run_streamt("validate", "--all-envs", "--env", "dev", "-p", project)

    assert done.exit_status == 2
    assert "--all-envs and --env exclude each other" in done.stderr


def test_a_thousand_faulty_models_are_each_found(project: Path) -> None:
    models = "".join(f"  - {{name: m{number}, materialized: sink}}\n" for number in range(60))
    unread = "".join(f"  - {{name: r{number}, from: [{{ref: gone}}]}}\n" for number in range(940))
    (project / "stream_project.yml").write_text(CLEAN + models + unread, "utf-8")

    envelope = json.loads(run_streamt("-o", "json", "validate", "-p", project).stdout)

    assert envelope["data"]["counts"]["errors"] == 1000
