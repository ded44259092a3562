"""The four options of commands with run events: without the flag nothing is read, with it a run is sent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import orjson
import pytest
from commands import invoke
from golden_cases import source_path
from lineage_servers import answering, closed
from program import Done, run_streamt

from streamt_ol.cli.emission import Emission, emission_options

TRANSPORT = "OPENLINEAGE__TRANSPORT__"
SECRET = "hunter2"
EVERYTHING_WRONG = {
    "OPENLINEAGE_CONFIG": "",
    "OPENLINEAGE_DISABLED": "perhaps",
    "OPENLINEAGE_URL": f"http://u:{SECRET}@host",
    "OPENLINEAGE_API_KEY": SECRET,
    "OPENLINEAGE_NAMESPACE": "",
    "STREAMT_OPENLINEAGE_KAFKA_NAMESPACE": "nonsense",
    "STREAMT_OPENLINEAGE_GATEWAY_NAMESPACE": "",
    f"{TRANSPORT}TYPE": "console",
    f"{TRANSPORT}VERIFY": "never",
}
SHAPE = {
    "name": "shape",
    "model": "paid",
    "type": "schema",
    "assertions": [{"accepted_types": {"types": {"id": "string"}}}],
}
BROKEN = {**SHAPE, "name": "broken", "assertions": [{"not_null": {"columns": []}}]}
"""It names nothing, which with a Schema Registry does not pass."""
NAMESPACE = ("--openlineage-job-namespace", "jobs")
WATCHED = """
import json, sys
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
from streamt_ol.cli.entry import main
try:
    main(sys.argv[1:])
except SystemExit as status:
    print(json.dumps([status.code, opened, sorted(sys.modules)]))
"""


def project(folder: Path, *tests: dict[str, Any]) -> Path:
    """Write a project with the tests and return its folder."""
    column = {"name": "id", "type": "STRING"}
    document = {
        "apiVersion": "streamt.dev/v1alpha1",
        "project": {"name": "shop"},
        "runtime": {
            "kafka": {"bootstrap_servers": "broker.example:9092"},
            "schema_registry": {"url": "http://registry.example:8081"},
        },
        "sources": [{"name": "orders", "topic": "orders.v1", "columns": [column]}],
        "models": [
            {
                "name": "paid",
                "materialized": "topic",
                "sql": 'SELECT id FROM {{ source("orders") }}',
                "contract": {"columns": [column]},
            }
        ],
        "tests": list(tests),
    }
    folder.mkdir(exist_ok=True)
    (folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")
    return folder


def to_file(path: Path) -> dict[str, str]:
    return {f"{TRANSPORT}TYPE": "file", f"{TRANSPORT}LOG_FILE_PATH": str(path)}


def to_server(url: str) -> dict[str, str]:
    return {f"{TRANSPORT}TYPE": "http", f"{TRANSPORT}URL": url, f"{TRANSPORT}ENDPOINT": "api"}


def run_test(folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> Done:
    return run_streamt(
        "--output", "json", "test", "--project-dir", folder, *arguments, environment=environment
    )


def events(log: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in log.read_bytes().splitlines()]


def kinds(log: Path) -> list[str]:
    return [event["eventType"] for event in events(log)]


def test_the_options_are_handed_over_as_one_argument() -> None:
    given: list[tuple[str, Emission]] = []

    @click.command()
    @click.option("--other")
    @emission_options
    def command(other: str, emission: Emission) -> None:
        given.append((other, emission))

    invoke(command, "--other", "x")
    invoke(command, "--emit-openlineage", *NAMESPACE, "--openlineage-gateway-namespace", "kafka://g:1")

    assert given == [
        (
            "x",
            Emission(
                wanted=False,
                namespaces={"job_namespace": None, "kafka_namespace": None, "gateway_namespace": None},
            ),
        ),
        (
            None,
            Emission(
                wanted=True,
                namespaces={
                    "job_namespace": "jobs",
                    "kafka_namespace": None,
                    "gateway_namespace": "kafka://g:1",
                },
            ),
        ),
    ]


def test_help_lists_the_four_options() -> None:
    shown = run_streamt("test", "--help").stdout

    for option in (
        "--emit-openlineage",
        "--openlineage-job-namespace",
        "--openlineage-kafka-namespace",
        "--openlineage-gateway-namespace",
    ):
        assert option in shown


def watched(folder: Path, environment: dict[str, str], *arguments: str) -> tuple[int, list[str], list[str]]:
    """Return exit status, opened files and imported modules of `streamt test`."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, "--quiet", "test", "--project-dir", folder, *arguments],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(source_path()),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout, done.stderr
    status, opened, modules = json.loads(done.stdout.splitlines()[-1])
    return status, opened, modules


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ((), False),
        (NAMESPACE, False),
        (("--emit-openlineage", "--coverage"), False),
        (("--emit-openlineage", "--model", "nobody"), False),
        (("--emit-openlineage", "--deploy"), False),
        (("--emit-openlineage", *NAMESPACE), True),
    ],
)
def test_nothing_of_the_configuration_is_opened_unless_a_run_is_sent(
    tmp_path: Path, arguments: tuple[str, ...], *, read: bool
) -> None:
    config, log = tmp_path / "openlineage.yml", tmp_path / "log.jsonl"
    config.write_text(f"transport: {{type: file, log_file_path: {log}}}\n", "utf-8")

    status, opened, modules = watched(
        project(tmp_path / "p", SHAPE), {"OPENLINEAGE_CONFIG": str(config)}, *arguments
    )

    assert status == 0
    assert (str(config) in opened, log.exists()) == (read, read)
    runs = {f"streamt_ol.runs.{name}" for name in ("lifecycle", "configuration", "file_transport")}
    assert runs & set(modules) == (runs if read else set())
    assert "streamt_ol.runs.http_transport" not in modules


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--emit-openlineage", "--coverage"),
        ("--emit-openlineage", "--model", "nobody"),
        ("--emit-openlineage", "--deploy"),
    ],
)
def test_a_wrong_configuration_changes_nothing_where_no_run_is_sent(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    folder = project(tmp_path / "p", SHAPE)

    wrong = run_test(folder, *arguments, environment=EVERYTHING_WRONG)

    assert wrong.exit_status == 0
    assert wrong.stdout == run_test(folder, *arguments).stdout
    assert wrong.stderr == ""


def test_without_a_job_namespace_nothing_runs_and_the_configuration_is_not_looked_at(tmp_path: Path) -> None:
    done = run_test(
        project(tmp_path / "p", SHAPE), "--emit-openlineage", environment={"OPENLINEAGE_CONFIG": ""}
    )

    assert done.exit_status == 1
    assert json.loads(done.stdout)["errors"] == [
        {
            "code": "E506_OPENLINEAGE_INVALID",
            "message": "a namespace is required: give --openlineage-job-namespace or set OPENLINEAGE_NAMESPACE",
            "location": "job_namespace",
        }
    ]
    assert "data" not in json.loads(done.stdout) or not json.loads(done.stdout)["data"]


def test_a_configuration_that_cannot_be_read_is_refused_and_its_path_not_told(tmp_path: Path) -> None:
    path = tmp_path / f"{SECRET}.yml"

    done = run_test(
        project(tmp_path / "p", SHAPE),
        "--emit-openlineage",
        *NAMESPACE,
        environment={"OPENLINEAGE_CONFIG": str(path)},
    )

    (error,) = json.loads(done.stdout)["errors"]
    assert (done.exit_status, error["code"], error["location"]) == (
        1,
        "E506_OPENLINEAGE_INVALID",
        "openlineage.config",
    )
    assert SECRET not in done.stdout + done.stderr


def test_an_option_that_nothing_needs_is_checked(tmp_path: Path) -> None:
    done = run_test(
        project(tmp_path / "p", SHAPE),
        "--emit-openlineage",
        *NAMESPACE,
        "--openlineage-gateway-namespace",
        "kafka://gateway.example",
        environment={"OPENLINEAGE_CONFIG": ""},
    )

    assert [error["location"] for error in json.loads(done.stdout)["errors"]] == ["gateway_namespace"]


def test_a_dotenv_file_may_hold_namespace_and_transport(tmp_path: Path) -> None:
    folder, log = project(tmp_path / "p", SHAPE), tmp_path / "log.jsonl"
    values = {"OPENLINEAGE_NAMESPACE": "from-dotenv", **to_file(log)}
    (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in values.items()), "utf-8")

    assert run_test(folder, "--emit-openlineage").exit_status == 0
    assert [event["job"]["namespace"] for event in events(log)] == ["from-dotenv", "from-dotenv"]
    assert run_test(folder, "--emit-openlineage", *NAMESPACE).exit_status == 0
    assert [event["job"]["namespace"] for event in events(log)[2:]] == ["jobs", "jobs"]


def test_a_run_of_schema_tests_is_a_pair_without_inputs(tmp_path: Path) -> None:
    folder, log = project(tmp_path / "p", SHAPE), tmp_path / "log.jsonl"

    for _ in range(2):
        assert run_test(folder, "--emit-openlineage", *NAMESPACE, environment=to_file(log)).exit_status == 0

    first, _, second, _ = runs = [event["run"]["runId"] for event in events(log)]
    assert runs == [first, first, second, second]
    assert first != second
    assert kinds(log) == ["START", "COMPLETE"] * 2
    assert {"inputs", "outputs"} & {key for event in events(log) for key in event} == set()
    assert run_streamt("events", "check", "--strict", log).exit_status == 0


def test_a_test_that_does_not_pass_fails_the_run_which_tells_nothing_of_it(tmp_path: Path) -> None:
    folder, log = project(tmp_path / "p", SHAPE, BROKEN), tmp_path / "log.jsonl"

    done = run_test(folder, "--emit-openlineage", *NAMESPACE, environment=to_file(log))

    assert done.exit_status == 1
    assert kinds(log) == ["START", "FAIL"]
    detail = "it names nothing to check"
    assert detail in done.stdout
    assert detail not in log.read_text("utf-8")
    assert b"broken" not in log.read_bytes()
    assert run_streamt("events", "check", "--strict", log).exit_status == 0


@pytest.mark.parametrize("tests", [(SHAPE,), (SHAPE, BROKEN)])
def test_what_cannot_be_delivered_is_two_warnings_beside_the_same_result(
    tmp_path: Path, tests: tuple[dict[str, Any], ...]
) -> None:
    folder = project(tmp_path / "p", *tests)
    without = run_test(folder)
    with answering(500) as receiver:
        environment = to_server(receiver.url)
        done = run_test(folder, "--emit-openlineage", *NAMESPACE, environment=environment)

    told, untold = json.loads(done.stdout), json.loads(without.stdout)
    assert done.exit_status == without.exit_status
    assert done.stderr == without.stderr
    assert told["warnings"] == [
        {"code": "W112_OPENLINEAGE_EMIT_FAILED", "message": message, "location": location}
        for message, location in (
            ("the START event was not delivered: the server answered 500", "openlineage.start"),
            ("the last event of the run was not delivered: the server answered 500", "openlineage.terminal"),
        )
    ]
    for document in (told, untold):
        document.pop("warnings", None)
        for result in document.get("data", {}).get("results", ()):
            result.pop("seconds", None)
    assert told == untold


def test_in_text_mode_the_warnings_are_on_stderr_and_gone_when_quiet(tmp_path: Path) -> None:
    arguments = ["test", "--project-dir", project(tmp_path / "p", SHAPE), "--emit-openlineage", *NAMESPACE]
    environment = to_server(closed())

    loud, quiet = (
        run_streamt(*options, *arguments, environment=environment) for options in ((), ("--quiet",))
    )

    assert (loud.exit_status, quiet.exit_status) == (0, 0)
    assert loud.stderr.count("W112_OPENLINEAGE_EMIT_FAILED") == 2
    assert quiet.stderr == ""
