"""Runs through the transports that users configure: real files, real servers, and what is told when they fail."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from commands import invoke
from finite_runs import RULES, SCHEMAS, request
from lineage_servers import answering, closed, silent

from streamt_ol.cli.events_check import check
from streamt_ol.ground.errors import Diagnostic, StreamtError
from streamt_ol.runs.lifecycle import CommandRun, prepare_run

TRANSPORT = "OPENLINEAGE__TRANSPORT__"
SECRET = "hunter2"


def to_file(path: Path) -> dict[str, str]:
    return {f"{TRANSPORT}TYPE": "file", f"{TRANSPORT}LOG_FILE_PATH": str(path)}


def to_server(url: str, retries: int = 0, timeout: str = "1") -> dict[str, str]:
    return {
        f"{TRANSPORT}TYPE": "http",
        f"{TRANSPORT}URL": url,
        f"{TRANSPORT}ENDPOINT": "api/v1/lineage",
        f"{TRANSPORT}TIMEOUT": timeout,
        f"{TRANSPORT}RETRY__TOTAL": str(retries),
    }


def prepared(variables: dict[str, str], command: str = "test") -> CommandRun:
    return prepare_run(request(command=command, variables=variables), RULES, SCHEMAS)


def worked(variables: dict[str, str], outcome: str = "succeeded", command: str = "test") -> list[Diagnostic]:
    """Return the warnings of a run."""
    with prepared(variables, command) as run:
        run.start()
        run.finish(outcome)
    return run.warnings


def failed_deliveries(reason: str) -> list[Diagnostic]:
    code = "W112_OPENLINEAGE_EMIT_FAILED"
    return [
        Diagnostic(code, f"the START event was not delivered: {reason}", "openlineage.start"),
        Diagnostic(code, f"the last event of the run was not delivered: {reason}", "openlineage.terminal"),
    ]


@pytest.mark.parametrize("command", ["test", "apply"])
@pytest.mark.parametrize(
    ("outcome", "end"), [("succeeded", "COMPLETE"), ("failed", "FAIL"), ("interrupted", "ABORT")]
)
def test_a_run_is_two_lines_of_a_file_that_events_check_accepts(
    tmp_path: Path, command: str, outcome: str, end: str
) -> None:
    log = tmp_path / "openlineage.jsonl"

    assert worked(to_file(log), outcome, command) == []

    lines = log.read_bytes().splitlines(keepends=True)
    assert [orjson.loads(line)["eventType"] for line in lines] == ["START", end]
    assert lines == [
        orjson.dumps(orjson.loads(line), option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
        for line in lines
    ]
    checked = invoke(check, log, "--strict", "--format", "json")
    assert (checked.exit_status, checked.document["findings"]) == (0, [])
    assert checked.document["events"] == {"DatasetEvent": 0, "JobEvent": 0, "RunEvent": 2}


def test_runs_are_appended_to_what_the_file_holds(tmp_path: Path) -> None:
    log = tmp_path / "openlineage.jsonl"
    log.write_bytes(b'{"earlier": true}\n')

    for _ in range(2):
        assert worked(to_file(log)) == []

    kinds = [orjson.loads(line).get("eventType") for line in log.read_bytes().splitlines()]
    assert kinds == [None, "START", "COMPLETE", "START", "COMPLETE"]


def test_a_run_that_is_only_prepared_creates_no_file(tmp_path: Path) -> None:
    prepared(to_file(tmp_path / "openlineage.jsonl")).close()

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_goes_away_costs_both_events_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / SECRET
    folder.mkdir()
    with prepared(to_file(folder / "openlineage.jsonl")) as run:
        folder.rmdir()
        run.start()
        run.finish("succeeded")

    assert run.warnings == failed_deliveries("the folder of the log file does not exist")


def test_a_server_receives_the_bytes_of_both_lines(tmp_path: Path) -> None:
    log = tmp_path / "openlineage.jsonl"
    worked(to_file(log))
    with answering(200) as receiver:
        assert worked(to_server(receiver.url, timeout="5")) == []

    assert b"".join(receiver.bodies) == log.read_bytes()


@pytest.mark.parametrize("status", [500, 503, 404, 301])
def test_a_server_that_refuses_costs_both_events_and_nothing_else(status: int) -> None:
    with answering(status) as receiver:
        warnings = worked(to_server(receiver.url, timeout="5"))

    redirected = ", a redirect, and none is followed" if status == 301 else ""
    assert warnings == failed_deliveries(f"the server answered {status}{redirected}")
    assert [orjson.loads(body)["eventType"] for body in receiver.bodies] == ["START", "COMPLETE"]


def test_a_server_that_refuses_start_still_receives_the_last_event() -> None:
    with answering(500, 200) as receiver:
        (warning,) = worked(to_server(receiver.url, timeout="5"))

    assert (warning.location, warning.message) == (
        "openlineage.start",
        "the START event was not delivered: the server answered 500",
    )
    assert [orjson.loads(body)["eventType"] for body in receiver.bodies] == ["START", "COMPLETE"]


def test_a_second_attempt_that_succeeds_is_no_warning() -> None:
    with answering(503, 200) as receiver:
        assert worked(to_server(receiver.url, retries=1, timeout="5")) == []

    assert [orjson.loads(body)["eventType"] for body in receiver.bodies] == ["START", "START", "COMPLETE"]


def test_a_server_that_says_nothing_is_given_up() -> None:
    with silent() as url:
        assert worked(to_server(url)) == failed_deliveries("the server did not answer in time")


def test_a_port_that_nobody_listens_on_costs_both_events_and_nothing_else() -> None:
    assert worked(to_server(closed())) == failed_deliveries(
        "the server cannot be reached, or broke the connection off before it answered"
    )


@pytest.mark.parametrize(
    ("variables", "location"),
    [
        ({}, "openlineage.transport"),
        ({"OPENLINEAGE_CONFIG": f"/nowhere/{SECRET}.yml"}, "openlineage.config"),
        ({"OPENLINEAGE_DISABLED": "true", **to_server("http://localhost")}, "openlineage.disabled"),
        ({"OPENLINEAGE_URL": f"http://u:{SECRET}@host"}, "openlineage.environment"),
        (to_server(f"http://{SECRET}.example"), "openlineage.transport.url"),
        (to_file(Path(f"/nowhere/{SECRET}/log")), "openlineage.transport.log_file_path"),
    ],
)
def test_a_configuration_that_is_refused_lets_nothing_begin(variables: dict[str, str], location: str) -> None:
    with pytest.raises(StreamtError) as refused:
        prepared(variables)

    assert (refused.value.code, refused.value.location) == ("E506_OPENLINEAGE_INVALID", location)
    assert SECRET not in f"{refused.value.message} {refused.value.suggestion}"
    assert len(refused.value.message) <= 1024
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)


def test_a_wrong_namespace_is_told_before_a_wrong_configuration() -> None:
    asked = request(options={"kafka_namespace": "nonsense"}, variables={"OPENLINEAGE_CONFIG": ""})

    with pytest.raises(StreamtError) as refused:
        prepare_run(asked, RULES, SCHEMAS)

    assert refused.value.location == "kafka_namespace"


def test_invalid_events_are_told_before_a_wrong_configuration() -> None:
    asked = request(run_id="no identity", variables={"OPENLINEAGE_CONFIG": ""})

    with pytest.raises(StreamtError) as refused:
        prepare_run(asked, RULES, SCHEMAS)

    assert refused.value.location == "openlineage.events"
