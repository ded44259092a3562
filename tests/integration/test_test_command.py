"""`streamt test` as a user runs it: a process of its own, a real broker, real signals, real transports."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import trustme
from brokers import Broker, noida_broker, until
from checked import write_project
from flink_stand_in import flink_stand_in
from program import Done, in_background, run_streamt
from scripted_servers import Script, answer, drip, hang, refusing, reset, say, serving, tls_of

TRANSPORT = "OPENLINEAGE__TRANSPORT__"
NOT_NULL = {"not_null": {"columns": ["id"]}}
PLANTED = "planted-in-a-message"
EMIT = ("--emit-openlineage", "--openlineage-job-namespace", "jobs")


@pytest.fixture
def orders(broker: Broker) -> str:
    """Return a topic with a message that is as asserted and one that is not."""
    topic = broker.new_topic()
    broker.produce(topic, [b'{"id": "a", "n": 1}', b'{"id": null, "note": "%s"}' % PLANTED.encode()])
    return topic


def project(folder: Path, address: str, topic: str, *assertions: Mapping[str, Any], **more: Any) -> Path:
    """Write a project with one sample test about the topic; the test asserts what the topic does not hold."""
    folder.mkdir(exist_ok=True)
    test = {
        "name": "looked_at",
        "model": "orders",
        "type": "sample",
        "assertions": [*assertions] or [NOT_NULL],
    }
    document: dict[str, Any] = {
        "runtime": {"kafka": {"bootstrap_servers": address}},
        "sources": [{"name": "orders", "topic": topic, "columns": [{"name": "id", "type": "STRING"}]}],
        "tests": [test],
        **more,
    }
    return write_project(folder, **document)


FINE = {"range": {"column": "n", "min": 1, "max": 1}}


def to_file(path: Path) -> dict[str, str]:
    return {f"{TRANSPORT}TYPE": "file", f"{TRANSPORT}LOG_FILE_PATH": str(path)}


def to_server(url: str, **more: str) -> dict[str, str]:
    keys = {"TYPE": "http", "URL": url, "ENDPOINT": "api/v1/lineage", **more}
    return {f"{TRANSPORT}{key}": value for key, value in keys.items()}


def run_test(
    folder: Path, *options: str, environment: Mapping[str, str] | None = None, prefix: Sequence[str] = ()
) -> Done:
    return run_streamt(
        "--output", "json", "test", "-p", folder, *options, environment=environment, prefix=prefix
    )


def events(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def kinds(log: Path) -> list[str]:
    return [event["eventType"] for event in events(log)]


def test_a_topic_that_is_as_asserted_completes(broker: Broker, orders: str, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"

    done = run_test(project(tmp_path / "p", broker.address, orders, FINE), *EMIT, environment=to_file(log))

    assert (done.exit_status, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["data"]["results"] == [
        {
            "name": "looked_at",
            "model": "orders",
            "type": "sample",
            "status": "passed",
            "topic": orders,
            "sampled": 2,
        }
    ]
    assert kinds(log) == ["START", "COMPLETE"]
    inputs = [{"name": orders, "namespace": f"kafka://{broker.address}"}]
    assert [event["inputs"] for event in events(log)] == [inputs, inputs]
    assert run_streamt("events", "check", "--strict", log).exit_status == 0


def test_a_failing_assertion_fails_and_its_detail_is_in_no_event(
    broker: Broker, orders: str, tmp_path: Path
) -> None:
    log, report = tmp_path / "log.jsonl", tmp_path / "report.xml"
    folder = project(tmp_path / "p", broker.address, orders)

    done = run_test(folder, *EMIT, "--junit", str(report), environment=to_file(log))

    assert done.exit_status == 1
    (result,) = json.loads(done.stdout)["data"]["results"]
    assert result["status"] == "failed"
    assert result["errors"] == [
        {
            "assertion": "not_null",
            "message": "`id` is null or missing in 1 of 2 messages",
            "messages": [{"partition": 0, "offset": 1}],
            "more": 0,
        }
    ]
    assert kinds(log) == ["START", "FAIL"]
    facet = events(log)[1]["run"]["facets"]["errorMessage"]
    assert facet["message"] == "streamt test command did not complete successfully"
    assert not any(detail in log.read_text("utf-8") for detail in ("not_null", "looked_at", "null", PLANTED))
    assert ET.parse(report).getroot().attrib["failures"] == "1"  # noqa: S314 - it was just made


def test_values_of_messages_are_nowhere_unless_somebody_asks(
    broker: Broker, orders: str, tmp_path: Path
) -> None:
    asserted = {"accepted_values": {"column": "note", "values": ["other"]}}
    folder = project(tmp_path / "p", broker.address, orders, asserted)
    report = tmp_path / "report.xml"

    quiet = run_streamt("-v", "test", "-p", folder, "--junit", report)
    silent = report.read_text("utf-8")
    asked = run_streamt("-v", "test", "-p", folder, "--junit", report, "--show-values")

    assert (quiet.exit_status, asked.exit_status) == (1, 1)
    assert PLANTED not in quiet.stdout + quiet.stderr + silent
    assert (PLANTED in asked.stdout, PLANTED in report.read_text("utf-8")) == (True, True)


def test_a_project_may_mix_all_types_of_tests(broker: Broker, orders: str, tmp_path: Path) -> None:
    with flink_stand_in() as flink:
        flink.jobs = [("test_steady", "RUNNING")]
        runtime = {
            "kafka": {"bootstrap_servers": broker.address},
            "flink": {"default": "main", "clusters": {"main": {"rest_url": flink.url}}},
        }
        about = {"model": "orders", "assertions": [FINE]}
        tests = [
            {"name": "looked_at", "type": "sample", **about},
            {"name": "steady", "type": "continuous", **about},
            {"name": "shape", "type": "schema", **about},
        ]
        folder = project(tmp_path / "p", broker.address, orders, runtime=runtime, tests=tests)
        done = run_streamt("test", "-p", folder)

    assert (done.exit_status, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"passed  looked_at  sample      orders  2 messages of {orders}",
        "passed  steady     continuous  orders",
        "passed  shape      schema      orders",
        "3 tests: 3 passed",
    ]


def test_an_unknown_topic_is_an_error_of_its_test_and_the_others_run(
    broker: Broker, orders: str, tmp_path: Path
) -> None:
    sources = [{"name": "orders", "topic": orders}, {"name": "lost", "topic": f"{orders}-lost"}]
    tests = [
        {"name": f"of_{name}", "model": name, "type": "sample", "assertions": [FINE]}
        for name in ("lost", "orders")
    ]
    folder = project(tmp_path / "p", broker.address, orders, sources=sources, tests=tests)

    done = run_test(folder)

    told = json.loads(done.stdout)
    assert [result["status"] for result in told["data"]["results"]] == ["error", "passed"]
    assert [error["code"] for error in told["errors"]] == ["E540_TOPIC_UNKNOWN", "E530_TESTS_FAILED"]
    assert f"{orders}-lost" not in broker.topics()


def test_a_broker_that_is_gone_fails_the_run_and_is_said(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    address = f"127.0.0.1:{refusing()}"

    done = run_test(project(tmp_path / "p", address, "orders"), *EMIT, environment=to_file(log))

    told = json.loads(done.stdout)
    assert done.exit_status == 1
    assert [error["code"] for error in told["errors"]] == ["E406_CONNECTION_REFUSED", "E530_TESTS_FAILED"]
    assert address in told["errors"][0]["message"]
    assert [result["status"] for result in told["data"]["results"]] == ["error"]
    assert kinds(log) == ["START", "FAIL"]


# Ctrl-C


@contextmanager
def stopped_broker(folder: Path) -> Iterator[Broker]:
    """Give a broker that has a topic `orders` and then stops answering; connections to it still come about."""
    folder.mkdir()
    with noida_broker(folder) as running:
        running.produce("orders", [b'{"id": "a"}'])
        running.process.send_signal(signal.SIGSTOP)
        try:
            yield running
        finally:
            running.process.send_signal(signal.SIGCONT)


def connected_to(address: str) -> bool:
    """Return whether somebody on this machine has a connection to the port."""
    port = f"{int(address.rpartition(':')[2]):04X}"
    rows = [line.split()[2:4] for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    return any(remote.endswith(f":{port}") and state == "01" for remote, state in rows)


def interrupted(tmp_path: Path, output: str, environment: Mapping[str, str]) -> tuple[int, bytes, str]:
    """Run the command, press Ctrl-C while it reads a topic, and return status, stdout and stderr."""
    with stopped_broker(tmp_path / "broker") as broker:
        folder = project(tmp_path / "p", broker.address, "orders")
        asked = ("--output", output, "test", "-p", folder, *EMIT)
        with in_background(*asked, environment=environment) as process:
            until(lambda: connected_to(broker.address))
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=60)

    return process.returncode, stdout, stderr.decode().strip()


INTERRUPTED = "ERROR: E591_INTERRUPTED: interrupted before the command was done"


@pytest.mark.parametrize("output", ["text", "json"])
def test_ctrl_c_while_a_topic_is_read_aborts(tmp_path: Path, output: str) -> None:
    log = tmp_path / "log.jsonl"

    status, stdout, stderr = interrupted(tmp_path, output, to_file(log))

    assert (status, stderr) == (130, INTERRUPTED)
    assert kinds(log) == ["START", "ABORT"]
    assert "facets" not in events(log)[1]["run"]
    if output == "json":
        told = json.loads(stdout)
        assert (told["status"], [error["code"] for error in told["errors"]]) == (
            "error",
            ["E591_INTERRUPTED"],
        )
    else:
        assert stdout == b""


def test_what_was_not_delivered_is_told_beside_the_interruption(tmp_path: Path) -> None:
    with serving(answer(500)) as server:
        status, stdout, stderr = interrupted(tmp_path, "json", to_server(server.url))

    told = json.loads(stdout)
    assert (status, stderr) == (130, INTERRUPTED)
    assert [error["code"] for error in told["errors"]] == ["E591_INTERRUPTED"]
    assert [warning["location"] for warning in told["warnings"]] == [
        "openlineage.start",
        "openlineage.terminal",
    ]


# transports that do not take events


@pytest.fixture(params=[FINE, NOT_NULL], ids=["passes", "fails"])
def checked(request: pytest.FixtureRequest, broker: Broker, orders: str, tmp_path: Path) -> tuple[Path, Done]:
    """Return a project with one test, and what the command says of it without run events."""
    folder = project(tmp_path / "p", broker.address, orders, request.param)
    return folder, run_test(folder)


def assert_same_but_for_warnings(done: Done, silent: Done, *locations: str) -> None:
    told = json.loads(done.stdout)
    warnings = told.pop("warnings", [])
    assert (done.exit_status, told, done.stderr) == (
        silent.exit_status,
        json.loads(silent.stdout),
        silent.stderr,
    )
    assert [(warning["code"], warning["location"]) for warning in warnings] == [
        ("W112_OPENLINEAGE_EMIT_FAILED", location) for location in locations
    ]


BOTH = ("openlineage.start", "openlineage.terminal")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "script",
    [
        answer(500),
        answer(302, Location="http://127.0.0.1:1/"),
        hang,
        drip(b""),
        drip(HEAD + b"X-Long: "),
        drip(HEAD + b"Content-Length: 100000\r\n\r\n"),
        reset(HEAD + b"Content-Length: 100\r\n\r\n{"),
        say(b"220 mail.example\r\n", goes_on=False),
    ],
    ids=["500", "redirect", "hangs", "drips", "drips headers", "drips a body", "breaks off", "no http"],
)
def test_a_server_that_takes_no_events_changes_nothing_but_two_warnings(
    checked: tuple[Path, Done], script: Script
) -> None:
    folder, silent = checked

    with serving(script) as server:
        environment = to_server(server.url, TIMEOUT="1")
        done = run_test(folder, *EMIT, environment=environment)

    assert_same_but_for_warnings(done, silent, *BOTH)
    assert len(server.requests) == 2


def test_a_server_with_broken_tls_changes_nothing_but_two_warnings(checked: tuple[Path, Done]) -> None:
    folder, silent = checked

    with serving(at_once=say(b"\x00" * 64)) as server:
        environment = to_server(f"https://localhost:{server.port}", TIMEOUT="2")
        done = run_test(folder, *EMIT, environment=environment)

    assert_same_but_for_warnings(done, silent, *BOTH)


def test_a_server_with_an_unknown_certificate_changes_nothing_but_two_warnings(
    checked: tuple[Path, Done],
) -> None:
    folder, silent = checked

    with serving(tls=tls_of(trustme.CA(), "localhost")) as server:
        done = run_test(folder, *EMIT, environment=to_server(server.url))

    assert_same_but_for_warnings(done, silent, *BOTH)
    assert server.requests == []


def without_override() -> list[str]:
    """Return what makes permissions hold for root, too."""
    return ["setpriv", "--bounding-set", "-dac_override"] if os.geteuid() == 0 else []


def test_a_log_file_that_is_read_only_changes_nothing_but_two_warnings(
    checked: tuple[Path, Done], tmp_path: Path
) -> None:
    folder, silent = checked
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"{}\n")
    log.chmod(0o444)

    done = run_test(folder, *EMIT, environment=to_file(log), prefix=without_override())

    assert_same_but_for_warnings(done, silent, *BOTH)
    assert log.read_bytes() == b"{}\n"


def test_a_log_file_that_takes_no_more_bytes_changes_nothing_but_two_warnings(
    checked: tuple[Path, Done], tmp_path: Path
) -> None:
    folder, silent = checked

    limited = ["prlimit", "--fsize=0"]
    done = run_test(folder, *EMIT, environment=to_file(tmp_path / "log.jsonl"), prefix=limited)

    assert_same_but_for_warnings(done, silent, *BOTH)
