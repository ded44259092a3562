"""`streamt test` with topics that are values: what it shows, what its run events tell, and how it ends.

The broker is real in tests/integration. Here what runs tests is given, and everything else is the program.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from checked import GivenTopics, messages, runner, sample_test, write_project
from golden_cases import source_path
from program import Done, run_streamt
from scripted_servers import answer, refusing, serving
from terminals import read_all

from streamt_ol.checks import records
from streamt_ol.checks.records import Message
from streamt_ol.checks.runners import runner_for
from streamt_ol.checks.sampling_errors import SampleDeadlineError
from streamt_ol.cli.emission import Emission
from streamt_ol.cli.face import Face
from streamt_ol.cli.testing import ChecksRequest, RunnerOf, run_tests

TRANSPORT = "OPENLINEAGE__TRANSPORT__"
PLANTED = "planted-in-a-message"
NOT_NULL = {"not_null": {"columns": ["id"]}}
ACCEPTED = {"accepted_values": {"column": "id", "values": ["a"]}}
Given = Mapping[str, Sequence[Message] | BaseException]
FINE: Given = {"shop.orders": messages({"id": "a"}, {"id": "a"})}
BAD: Given = {"shop.orders": messages({"id": "a"}, {"id": PLANTED}, {})}


def given(topics: Given) -> RunnerOf:
    @contextmanager
    def runner_of(graph: Any, _rules: Any) -> Iterator[Any]:
        yield runner(graph, topics)

    return runner_of


def request(
    folder: Path, *, emit: bool = False, environment: Mapping[str, str] | None = None, **says: Any
) -> ChecksRequest:
    namespaces = {
        "job_namespace": "jobs" if emit else None,
        "kafka_namespace": None,
        "gateway_namespace": None,
    }
    return ChecksRequest(
        **{
            "directory": folder,
            "environment": None,
            "process_environment": environment or {},
            "model": None,
            "kind": None,
            "coverage": False,
            "deploy": False,
            "show_values": False,
            "junit": None,
            "emission": Emission(emit, namespaces),
            **says,
        }
    )


def run(asked: ChecksRequest, runner_of: RunnerOf, face: Face | None = None) -> int:
    face = face or Face()
    return face.run("test", lambda: run_tests(asked, face, runner_of))


def document(asked: ChecksRequest, runner_of: RunnerOf, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the envelope of JSON mode."""
    run(asked, runner_of, Face("json"))
    return json.loads(capsys.readouterr().out)


def to_file(path: Path) -> dict[str, str]:
    return {f"{TRANSPORT}TYPE": "file", f"{TRANSPORT}LOG_FILE_PATH": str(path)}


def to_server(url: str) -> dict[str, str]:
    return {f"{TRANSPORT}TYPE": "http", f"{TRANSPORT}URL": url, f"{TRANSPORT}ENDPOINT": "api"}


def events(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def kinds(log: Path) -> list[str]:
    return [event["eventType"] for event in events(log)]


# what is shown


def test_lines_are_aligned_and_problems_name_messages_by_their_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(
        tmp_path,
        tests=[
            sample_test(NOT_NULL, ACCEPTED, name="orders_whole"),
            sample_test({"throughput": {}}, {"range": {"column": "n", "max": 1}}, name="n"),
        ],
    )

    status = run(request(tmp_path), given(BAD))

    shown = capsys.readouterr()
    assert status == 1
    assert shown.out.splitlines() == [
        "failed  orders_whole  sample  orders  3 messages of shop.orders",
        "  not_null: `id` is null or missing in 1 of 3 messages; at partition 0 offset 2",
        "  accepted_values: `id` is none of the accepted values in 1 of 3 messages; at partition 0 offset 1",
        "passed  n             sample  orders  3 messages of shop.orders",
        "  throughput not evaluated: a sample is read as fast as it comes: "
        "it does not tell how fast messages are written",
        "2 tests: 1 passed, 1 failed",
    ]
    assert shown.err == "ERROR: E530_TESTS_FAILED: 1 of 2 tests did not pass\n"


def test_values_are_shown_only_if_somebody_asks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(tmp_path, tests=[sample_test(ACCEPTED)])
    report = tmp_path / "report.xml"

    shown = {}
    for asked in (False, True):
        for output in ("text", "json"):
            face = Face("json" if output == "json" else "text")
            run(request(tmp_path, show_values=asked, junit=str(report)), given(BAD), face)
            shown[asked, output] = capsys.readouterr().out
        shown[asked, "junit"] = report.read_text("utf-8")

    assert {key: PLANTED in text for key, text in shown.items()} == {key: key[0] for key in shown}
    assert f'    partition 0 offset 1: "{PLANTED}"\n' in shown[True, "text"]


def test_quiet_shows_what_did_not_pass_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, tests=[sample_test(name="fine"), sample_test(NOT_NULL, name="bad")])

    run(request(tmp_path), given(BAD), Face(quiet=True))

    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["failed", "bad"],
        ["not_null:", "`id`"],
    ]


def test_json_keeps_its_data_when_tests_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(
        tmp_path, tests=[sample_test(NOT_NULL), sample_test({"custom_sql": {"where": "x"}}, name="sql")]
    )

    status = run(request(tmp_path), given(BAD), Face("json"))

    told = json.loads(capsys.readouterr().out)
    assert (status, told["status"]) == (1, "error")
    about = {"model": "orders", "type": "sample"}
    read = {"topic": "shop.orders", "sampled": 3}
    assert told["data"] == {
        "results": [
            {
                "name": "looked_at",
                **about,
                "status": "failed",
                **read,
                "errors": [
                    {
                        "assertion": "not_null",
                        "message": "`id` is null or missing in 1 of 3 messages",
                        "messages": [{"partition": 0, "offset": 2}],
                        "more": 0,
                    }
                ],
            },
            {
                "name": "sql",
                **about,
                "status": "skipped",
                **read,
                "errors": [{"message": "none of its assertions was evaluated"}],
                "not_evaluated": [
                    {"assertion": "custom_sql", "reason": "a sample is read without an SQL engine"}
                ],
            },
        ],
        "passed": 0,
        "failed": 2,
        "total": 2,
    }
    assert told["errors"] == [{"code": "E530_TESTS_FAILED", "message": "2 of 2 tests did not pass"}]


def test_what_passes_has_no_errors_and_the_status_is_ok(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, tests=[sample_test(NOT_NULL)])

    status = run(request(tmp_path), given(FINE), Face("json"))

    told = json.loads(capsys.readouterr().out)
    assert (status, told["status"], set(told)) == (0, "ok", {"status", "command", "data"})
    assert [set(result) & {"errors", "not_evaluated"} for result in told["data"]["results"]] == [set()]


def test_why_a_test_could_not_be_carried_out_is_an_error_at_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, tests=[sample_test(NOT_NULL)])

    told = document(request(tmp_path), given({"shop.orders": SampleDeadlineError("the time is up")}), capsys)

    (result,) = told["data"]["results"]
    assert result["status"] == "error"
    assert result["errors"] == [{"code": "E542_SAMPLE_DEADLINE", "message": "the time is up"}]
    first, second = told["errors"]
    assert (first["code"], first["location"], first["file"]) == (
        "E542_SAMPLE_DEADLINE",
        "/tests/0",
        "stream_project.yml",
    )
    assert first["message"] == "test 'looked_at': the time is up"
    assert second["code"] == "E530_TESTS_FAILED"


def test_names_cannot_steer_a_terminal_and_secrets_are_struck_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, tests=[sample_test(ACCEPTED, name="a\x1b[31m\nb")])
    topics = {"shop.orders": messages({"id": "password=planted"})}

    for face in (Face(), Face("json")):
        run(request(tmp_path, show_values=True), given(topics), face)
        shown = capsys.readouterr().out
        assert "planted" not in shown
        assert ("\x1b" in shown, "***" in shown) == (False, True)


TERMINAL = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from checked import messages
from test_test_command import given, request, run
run(request(Path({folder!r})), given({{"shop.orders": messages({{"id": None}}, {{"id": 1}})}}))
"""


@pytest.mark.parametrize("no_colour", [False, True])
def test_on_a_terminal_there_is_a_table(tmp_path: Path, *, no_colour: bool) -> None:
    write_project(tmp_path, tests=[sample_test(NOT_NULL), sample_test(name="fine")])
    script = TERMINAL.format(path=sys.path, folder=str(tmp_path))
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=end,
        stderr=subprocess.DEVNULL,
        env={
            "PATH": os.environ["PATH"],
            "TERM": "xterm",
            "COLUMNS": "100",
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *source_path()]),
            **({"NO_COLOR": "1"} if no_colour else {}),
        },
    )
    os.close(end)
    shown = read_all(terminal).decode()
    assert process.wait(60) == 0

    assert "What was found" in shown
    assert "`id` is null or missing in 1 of 2 messages" in shown
    assert ("\x1b[31mfailed" in shown, "\x1b[32mpassed" in shown) == (not no_colour, not no_colour)
    assert shown.rstrip().endswith("2 tests: 1 passed, 1 failed")


# the JUnit report


def test_a_report_is_written_whatever_the_tests_came_to(tmp_path: Path) -> None:
    write_project(tmp_path, tests=[sample_test(NOT_NULL)])
    report = tmp_path / "out" / "report.xml"

    for topics, failures in ((FINE, "0"), (BAD, "1")):
        run(request(tmp_path, junit=str(report)), given(topics))
        assert ET.parse(report).getroot().attrib["failures"] == failures  # noqa: S314 - it was just made


def test_an_empty_selection_is_a_report_of_no_tests(tmp_path: Path) -> None:
    write_project(tmp_path, tests=[sample_test()])
    report = tmp_path / "report.xml"

    assert run(request(tmp_path, model="nobody", junit=str(report)), given({})) == 0
    assert ET.parse(report).getroot().attrib["tests"] == "0"  # noqa: S314 - it was just made


def test_a_report_that_cannot_be_written_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, tests=[sample_test()])

    told = document(request(tmp_path, junit=str(tmp_path)), nobody_runs, capsys)

    assert [(error["code"], error["location"]) for error in told["errors"]] == [("E510_OUTPUT_FILE", "junit")]


def test_a_report_that_could_not_be_written_is_an_error_beside_the_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, tests=[sample_test(NOT_NULL)])
    report = tmp_path / "report.xml"

    @contextmanager
    def spoiling(graph: Any, _rules: Any) -> Iterator[Any]:
        report.mkdir()
        yield runner(graph, FINE)

    told = document(request(tmp_path, junit=str(report)), spoiling, capsys)

    assert [(error["code"], error["location"]) for error in told["errors"]] == [("E510_OUTPUT_FILE", "junit")]
    assert (told["status"], told["data"]["passed"]) == ("error", 1)


@contextmanager
def nobody_runs(_graph: Any, _rules: Any) -> Iterator[Any]:
    pytest.fail("a runner is made")
    yield


# before anything runs


def test_what_validate_calls_an_error_stops_the_command_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tests = [sample_test(NOT_NULL), {"name": "lost", "model": "nobody", "type": "schema"}]
    write_project(tmp_path, tests=tests)

    told = document(request(tmp_path, model="orders"), nobody_runs, capsys)

    assert [(error["code"], error["location"]) for error in told["errors"]] == [
        ("E107_TEST_MODEL_NOT_FOUND", "/tests/1/model")
    ]
    assert told["data"] == {}


def test_findings_that_only_warn_do_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(
        tmp_path, sources=[{"name": "orders", "topic": "shop.orders"}], tests=[sample_test(NOT_NULL)]
    )

    assert document(request(tmp_path), given(FINE), capsys)["status"] == "ok"


@pytest.mark.parametrize("wanted", [{"coverage": True}, {"model": "nobody"}, {"kind": "continuous"}])
def test_coverage_and_an_empty_selection_run_nothing_and_succeed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wanted: dict[str, Any]
) -> None:
    write_project(tmp_path, models=[{"name": "clean", "materialized": "topic"}], tests=[sample_test()])

    told = document(request(tmp_path, **wanted), nobody_runs, capsys)

    empty = {"results": [], "passed": 0, "failed": 0, "total": 0}
    covered = {"coverage": [{"model": "clean", "covered": False}], "covered": 0, "total": 1, "percent": 0}
    assert told == {"status": "ok", "command": "test", "data": covered if "coverage" in wanted else empty}


def test_coverage_excludes_what_is_about_running_tests(tmp_path: Path) -> None:
    write_project(tmp_path)

    for options in (["--model", "orders"], ["--type", "sample"], ["--junit", "x.xml"]):
        done = run_streamt("test", "-p", tmp_path, "--coverage", *options)
        assert (done.exit_status, "--coverage runs no tests" in done.stderr) == (2, True)


def test_deploy_is_a_warning_and_tests_run_from_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, tests=[sample_test(NOT_NULL)])

    told = document(request(tmp_path, deploy=True, emit=True), given(FINE), capsys)

    assert (told["status"], told["data"]["passed"]) == ("ok", 1)
    assert told["warnings"] == [
        {
            "code": "W000_WARNING",
            "message": "--deploy does nothing yet: tests run from here, and no run events are sent",
            "location": "deploy",
        }
    ]


# run events


def test_no_runner_is_made_when_the_run_cannot_be_prepared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, tests=[sample_test()])
    asked = request(
        tmp_path,
        emission=Emission(
            wanted=True, namespaces=dict.fromkeys(("job_namespace", "kafka_namespace", "gateway_namespace"))
        ),
    )

    told = document(asked, nobody_runs, capsys)

    assert [set(error) for error in told["errors"]] == [{"code", "message", "location"}]
    assert (told["errors"][0]["code"], told["errors"][0]["location"]) == (
        "E506_OPENLINEAGE_INVALID",
        "job_namespace",
    )


def test_a_mixed_selection_has_the_topics_of_its_sample_tests_sorted_on_both_events(tmp_path: Path) -> None:
    write_project(
        tmp_path,
        models=[
            {"name": "named", "materialized": "topic", "topic": {"name": "a.named"}},
            {"name": "plain", "materialized": "topic"},
            {"name": "shaped", "materialized": "topic"},
        ],
        tests=[
            sample_test(name="one"),
            sample_test(name="two"),
            *({"name": f"of_{name}", "model": name, "type": "sample"} for name in ("plain", "named")),
            {"name": "shape", "model": "shaped", "type": "schema"},
        ],
    )
    log = tmp_path / "log.jsonl"
    topics = dict.fromkeys(("shop.orders", "a.named", "plain"), messages({}))

    assert run(request(tmp_path, emit=True, environment=to_file(log)), given(topics)) == 0

    kafka = "kafka://broker.example:9092"
    inputs = [{"name": name, "namespace": kafka} for name in ("a.named", "plain", "shop.orders")]
    start, end = events(log)
    assert (start["inputs"], end["inputs"]) == (inputs, inputs)
    assert ("outputs" in start, "outputs" in end) == (False, False)
    assert start["job"] == end["job"]
    assert start["job"]["name"] == "streamt/shop/commands/test"
    job_type = start["job"]["facets"]["jobType"]
    assert (job_type["processingType"], job_type["integration"], job_type["jobType"]) == (
        "BATCH",
        "STREAMT",
        "TEST",
    )


def test_options_beat_variables_and_inputs_are_never_of_the_gateway(tmp_path: Path) -> None:
    write_project(tmp_path, tests=[sample_test()])
    log = tmp_path / "log.jsonl"
    variables = {
        "OPENLINEAGE_NAMESPACE": "of-the-variable",
        "STREAMT_OPENLINEAGE_KAFKA_NAMESPACE": "kafka://variable:1",
        "STREAMT_OPENLINEAGE_GATEWAY_NAMESPACE": "kafka://gateway-variable:1",
    }
    emission = Emission(
        wanted=True,
        namespaces={
            "job_namespace": "of-the-option",
            "kafka_namespace": "kafka://option:1",
            "gateway_namespace": "kafka://gateway-option:1",
        },
    )

    run(request(tmp_path, emission=emission, environment={**variables, **to_file(log)}), given(FINE))

    for event in events(log):
        assert event["job"]["namespace"] == "of-the-option"
        assert event["inputs"] == [{"name": "shop.orders", "namespace": "kafka://option:1"}]


def test_the_run_is_a_new_one_each_time_and_the_same_in_both_events(tmp_path: Path) -> None:
    write_project(tmp_path, tests=[sample_test()])
    log = tmp_path / "log.jsonl"

    for _ in range(2):
        run(request(tmp_path, emit=True, environment=to_file(log)), given(FINE))

    ids = [event["run"]["runId"] for event in events(log)]
    assert (ids[0] == ids[1], ids[2] == ids[3], ids[0] == ids[2]) == (True, True, False)
    assert [uuid.UUID(each).version for each in ids] == [4] * 4


SQL_ONLY = sample_test({"custom_sql": {"where": "x"}})


@pytest.mark.parametrize(
    ("test", "topics", "status", "end"),
    [
        (sample_test(NOT_NULL), FINE, 0, "COMPLETE"),
        (sample_test(NOT_NULL, ACCEPTED), BAD, 1, "FAIL"),
        (SQL_ONLY, FINE, 1, "FAIL"),
        (sample_test(NOT_NULL), {"shop.orders": SampleDeadlineError(f"of {PLANTED}")}, 1, "FAIL"),
    ],
    ids=["passed", "failed", "skipped", "error"],
)
def test_only_what_passed_completes_and_no_detail_reaches_an_event(
    tmp_path: Path, test: dict[str, Any], topics: Given, status: int, end: str
) -> None:
    write_project(tmp_path, tests=[test])
    log = tmp_path / "log.jsonl"

    assert run(request(tmp_path, emit=True, environment=to_file(log)), given(topics)) == status

    last = events(log)[-1]
    assert kinds(log) == ["START", end]
    facets = last["run"].get("facets")
    if end == "COMPLETE":
        assert facets is None
    else:
        assert facets["errorMessage"]["message"] == "streamt test command did not complete successfully"
        assert "stackTrace" not in facets["errorMessage"]
    text = log.read_text("utf-8")
    for detail in (PLANTED, "not_null", "accepted_values", "looked_at", "`id`"):
        assert detail not in text


@pytest.mark.parametrize("results", [[], ["passed"]], ids=["none", "one of two"])
def test_fewer_results_than_selected_tests_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], results: list[records.Status]
) -> None:
    write_project(tmp_path, tests=[sample_test(name="a"), sample_test(name="b")])
    log = tmp_path / "log.jsonl"

    class Forgetful:
        def run(self, _tests: Any, _watch: Any) -> list[records.TestResult]:
            return [records.TestResult("/tests/0", "a", "orders", "sample", status) for status in results]

    @contextmanager
    def forgetful(_graph: Any, _rules: Any) -> Iterator[Any]:
        yield Forgetful()

    told = document(request(tmp_path, emit=True, environment=to_file(log)), forgetful, capsys)

    assert (told["status"], told["data"]["total"]) == ("error", len(results))
    assert told["errors"] == [
        {
            "code": "E531_TESTS_INCOMPLETE",
            "message": f"of 2 selected tests only {len(results)} have a result",
        }
    ]
    assert kinds(log) == ["START", "FAIL"]


@pytest.mark.parametrize(
    ("raised", "end"),
    [(ZeroDivisionError(PLANTED), "FAIL"), (KeyboardInterrupt(), "ABORT")],
    ids=["bug", "ctrl-c"],
)
def test_an_exception_ends_the_run_and_escapes_as_it_is(
    tmp_path: Path, raised: BaseException, end: str
) -> None:
    write_project(tmp_path, tests=[sample_test()])
    log = tmp_path / "log.jsonl"

    with pytest.raises(type(raised)) as caught:
        run(request(tmp_path, emit=True, environment=to_file(log)), given({"shop.orders": raised}))

    assert caught.value is raised
    assert kinds(log) == ["START", end]
    assert PLANTED not in log.read_text("utf-8")


def test_a_runner_that_cannot_be_made_has_no_events(tmp_path: Path) -> None:
    write_project(tmp_path, tests=[sample_test()])
    log = tmp_path / "log.jsonl"

    def broken(_graph: Any, _rules: Any) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(request(tmp_path, emit=True, environment=to_file(log)), broken)

    assert not log.exists()


@pytest.mark.parametrize(("topics", "code"), [(FINE, 0), (BAD, 1)], ids=["passed", "failed"])
@pytest.mark.parametrize(
    ("statuses", "locations"),
    [
        ((500, 200), ["openlineage.start"]),
        ((200, 500), ["openlineage.terminal"]),
        ((500,), ["openlineage.start", "openlineage.terminal"]),
    ],
)
def test_what_is_not_delivered_is_a_warning_beside_the_same_result(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    topics: Given,
    code: int,
    statuses: tuple[int, ...],
    locations: list[str],
) -> None:
    write_project(tmp_path, tests=[sample_test(NOT_NULL)])
    silent = document(request(tmp_path), given(topics), capsys)

    with serving(*map(answer, statuses)) as server:
        asked = request(tmp_path, emit=True, environment=to_server(server.url))
        status = run(asked, given(topics), Face("json"))

    shown = capsys.readouterr()
    told = json.loads(shown.out)
    warnings = told.pop("warnings")
    assert (status, told) == (code, silent)
    assert [(warning["code"], warning["location"]) for warning in warnings] == [
        ("W112_OPENLINEAGE_EMIT_FAILED", location) for location in locations
    ]
    assert "W112" not in shown.err
    assert len(server.requests) == 2


def test_an_undelivered_end_does_not_replace_the_exception_and_both_are_shown(tmp_path: Path) -> None:
    write_project(tmp_path, tests=[sample_test()])
    face = Face("json")
    raised = ZeroDivisionError()

    with serving(answer(500)) as server:
        asked = request(tmp_path, emit=True, environment=to_server(server.url))
        with pytest.raises(ZeroDivisionError) as caught:
            run(asked, given({"shop.orders": raised}), face)

    assert caught.value is raised
    assert [warning.location for warning in face.warnings] == ["openlineage.start", "openlineage.terminal"]


def test_topics_are_read_once_per_test_that_needs_them_and_clients_made_for_none_else(tmp_path: Path) -> None:
    write_project(tmp_path, tests=[{"name": "shape", "model": "orders", "type": "schema"}, sample_test()])
    topics = GivenTopics(FINE)

    @contextmanager
    def counted(graph: Any, _rules: Any) -> Iterator[Any]:
        yield runner(graph, topics)

    run(request(tmp_path), counted)

    assert topics.asked == [("shop.orders", 100)]


def test_a_project_without_tests_has_none_selected(tmp_path: Path) -> None:
    done: Done = run_streamt("test", "-p", write_project(tmp_path))

    assert (done.exit_status, done.stdout, done.stderr) == (0, "No test is selected\n", "")


def test_a_negative_sample_size_needs_no_broker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(tmp_path, tests=[sample_test(NOT_NULL, sample_size=-1)])

    told = document(request(tmp_path), runner_for, capsys)

    assert [result["status"] for result in told["data"]["results"]] == ["failed"]


def test_secrets_of_the_runtime_and_of_transports_are_shown_nowhere(tmp_path: Path) -> None:
    planted = "hunter2"
    kafka = {
        "bootstrap_servers": f"127.0.0.1:{refusing()}",
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_username": f"{planted}-user",
        "sasl_password": f"{planted}-kafka",
    }
    log, report, trace = tmp_path / "log.jsonl", tmp_path / "report.xml", tmp_path / "trace.jsonl"
    with serving(answer(401, b"hunter2 is wrong")) as server:
        address = server.url.replace("://", f"://{planted}:{planted}@")
        clusters = {
            "inline": {"rest_url": address},
            "named": {"rest_url": server.url, "username": planted, "password": planted, "api_key": planted},
        }
        runtime = {
            "kafka": kafka,
            "schema_registry": {"url": server.url, "username": planted, "password": planted},
            "flink": {"default": "inline", "clusters": clusters},
        }
        tests = [
            sample_test(NOT_NULL),
            *(
                {"name": name, "model": "orders", "type": "continuous", "flink_cluster": name}
                for name in clusters
            ),
        ]
        write_project(tmp_path, runtime=runtime, tests=tests)
        environment = {**to_file(log), "OPENLINEAGE_NAMESPACE": "jobs"}
        options = ["test", "-p", tmp_path, "--emit-openlineage", "--junit", report, "--show-values"]
        told = [
            run_streamt("-v", "-o", output, "--trace", trace, *options, environment=environment)
            for output in ("text", "json")
        ]

    assert [done.exit_status for done in told] == [1, 1]
    statuses = [result["status"] for result in json.loads(told[1].stdout)["data"]["results"]]
    assert statuses == ["error"] * 3
    shown = [part for done in told for part in (done.stdout, done.stderr)]
    written = [path.read_text("utf-8") for path in (log, report, trace)]
    assert [planted in text for text in (*shown, *written)] == [False] * 7
