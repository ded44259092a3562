"""`streamt events send` as a command: what is sent, what ends it, and how it goes on from there."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from commands import Invoked, invoke
from golden_cases import source_path
from program import run_streamt
from sample_events import dataset_event, lines
from scripted_servers import PATIENCE, Script, Server, answer, hang, serving

from streamt_ol.cli import events_sending
from streamt_ol.cli.events_send import send
from streamt_ol.cli.face import Face
from streamt_ol.ground.watching import Watch

PREFIX = "OPENLINEAGE__TRANSPORT__"
EVENTS = [dataset_event(name) for name in ("a", "b", "c", "größer")]
LINES = lines(EVENTS).splitlines(keepends=True)
SECRET = "pl4nted"


def over_http(server: Server, path: str = "api", timeout: str = "3") -> dict[str, str | None]:
    """Return the environment of a transport to a server, without what the environment of the test has."""
    own = {name: None for name in os.environ if name.startswith("OPENLINEAGE")}
    return {
        **own,
        f"{PREFIX}TYPE": "http",
        f"{PREFIX}URL": server.url,
        f"{PREFIX}ENDPOINT": path,
        f"{PREFIX}TIMEOUT": timeout,
    }


def into(path: Path) -> dict[str, str | None]:
    return {f"{PREFIX}TYPE": "file", f"{PREFIX}LOG_FILE_PATH": str(path)}


def write(folder: Path, data: bytes) -> Path:
    path = folder / "export.jsonl"
    path.write_bytes(data)
    return path


def bodies(server: Server) -> list[bytes]:
    return [request.body for request in server.requests]


def errors(done: Invoked) -> list[str]:
    return done.stderr.splitlines()


# What is sent


def test_every_line_is_sent_in_order_as_the_bytes_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(LINES))
    with serving(answer(201)) as server:
        done = invoke(send, path, environment=over_http(server))

    assert (done.exit_status, done.stdout, done.stderr) == (0, "Sent 4 events (lines 1 to 4)\n", "")
    assert bodies(server) == LINES


def test_lines_are_appended_to_a_file_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(LINES))
    log = tmp_path / "log.jsonl"
    done = invoke(send, path, environment=into(log))

    assert (done.exit_status, done.stdout) == (0, "Sent 4 events (lines 1 to 4)\n")
    assert log.read_bytes() == path.read_bytes()


def test_blanks_inside_a_line_are_sent_and_what_ends_it_is_one_line_feed(tmp_path: Path) -> None:
    spaced = json.dumps(EVENTS[0], ensure_ascii=True, indent=None).encode()
    path = write(tmp_path, b"\xef\xbb\xbf" + spaced + b"\r\n" + b"\n  \n" + LINES[1] + LINES[2].rstrip(b"\n"))
    with serving() as server:
        done = invoke(send, path, environment=over_http(server))

    assert (done.exit_status, done.stdout) == (0, "Sent 3 events (lines 1 to 5)\n")
    assert bodies(server) == [spaced + b"\n", LINES[1], LINES[2]]


def test_the_summary_of_json_mode_says_where_to_go_on(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(LINES))
    with serving() as server:
        done = invoke(send, path, "--from-line", "2", face=Face("json"), environment=over_http(server))

    assert done.exit_status == 0
    assert done.document == {
        "status": "ok",
        "command": "events send",
        "data": {"file": str(path), "sent": 3, "from_line": 2, "next_line": 5},
    }


def test_quiet_says_nothing_of_a_success(tmp_path: Path) -> None:
    path = write(tmp_path, LINES[0])
    done = invoke(send, path, face=Face(quiet=True), environment=into(tmp_path / "log.jsonl"))

    assert (done.exit_status, done.stdout, done.stderr) == (0, "", "")


def test_events_come_from_standard_input_too(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    program = [sys.executable, "-m", "streamt_ol", "events", "send", "-"]
    done = subprocess.run(
        program,
        input=b"".join(LINES),
        env=environment(into(log)),
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )

    assert (done.stdout, done.stderr) == (b"Sent 4 events (lines 1 to 4)\n", b"")
    assert log.read_bytes() == b"".join(LINES)


def environment(variables: dict[str, str | None]) -> dict[str, str]:
    more = {name: value for name, value in variables.items() if value is not None}
    return {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path()), **more}


def test_an_export_without_a_line_is_sent_in_no_time(tmp_path: Path) -> None:
    with serving() as server:
        done = invoke(send, write(tmp_path, b""), environment=over_http(server))

    assert (done.exit_status, done.stdout) == (0, "Sent 0 events\n")
    assert server.connections == 0


def test_the_lines_of_a_long_file_are_told_while_they_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, int, int | None]] = []

    @contextmanager
    def listening(*, quiet: bool) -> Iterator[Watch]:
        assert not quiet
        yield lambda *what: told.append(what)

    monkeypatch.setattr(events_sending, "shown_progress", listening)
    path = write(tmp_path, LINES[0] + b"\n" + LINES[1])
    invoke(send, path, environment=into(tmp_path / "log.jsonl"))

    assert told == [("Sending events", number, None) for number in (1, 1, 2)]


# Going on


def test_lines_before_the_first_are_not_looked_at(tmp_path: Path) -> None:
    path = write(tmp_path, b"{no event\n" + b"".join(LINES[1:]))
    with serving() as server:
        done = invoke(send, path, "--from-line", "3", environment=over_http(server))

    assert (done.exit_status, done.stdout) == (0, "Sent 2 events (lines 3 to 4)\n")
    assert bodies(server) == LINES[2:]


def test_going_on_behind_the_last_line_is_nothing_to_do(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(LINES))
    with serving() as server:
        done = invoke(send, path, "--from-line", "5", environment=over_http(server))

    assert (done.exit_status, done.stdout) == (0, "Sent 0 events\n")
    assert server.connections == 0


def test_a_line_that_the_file_does_not_have_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(LINES))
    done = invoke(send, path, "--from-line", "6", environment=into(tmp_path / "log.jsonl"))

    assert done.exit_status == 1
    assert errors(done) == [f"ERROR: E552_EVENTS_LINE_MISSING ({path}): the events end at line 4"]


@pytest.mark.parametrize(
    "arguments", [("--from-line", "0", "x"), ("--from-line", "one", "x"), (), ("x", "y")]
)
def test_a_command_line_that_cannot_be_meant_is_a_matter_of_usage(arguments: tuple[str, ...]) -> None:
    assert run_streamt("events", "send", *arguments).exit_status == 2


# What ends the work


def test_an_invalid_line_is_not_sent_and_neither_is_what_follows(tmp_path: Path) -> None:
    broken = lines([dataset_event("b", producer=f"no uri {SECRET}")])
    path = write(tmp_path, LINES[0] + broken + LINES[2])
    with serving() as server:
        done = invoke(send, path, environment=over_http(server))

    assert (done.exit_status, done.stdout) == (1, "")
    assert errors(done) == [
        f'ERROR: E153_EVENT_INVALID at /producer ({path}:2): does not satisfy format "uri"',
        f"ERROR: E551_EVENT_NOT_SENT ({path}:2): the line is no valid event: neither it nor what follows was sent",
        "  1 events were delivered, up to line 1; correct it, then go on with --from-line 2",
    ]
    assert bodies(server) == LINES[:1]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{]", "E151_EVENT_NOT_JSON"),
        (b'{"a":1,"a":1}', "E151_EVENT_NOT_JSON"),
        (b"[]", "E152_EVENT_KIND_UNKNOWN"),
    ],
)
def test_a_line_that_is_no_event_at_all_is_told_with_its_code(line: bytes, code: str, tmp_path: Path) -> None:
    path = write(tmp_path, line + b"\n" + LINES[0])
    with serving() as server:
        done = invoke(send, path, face=Face("json"), environment=over_http(server))

    assert done.exit_status == 1
    assert [error["code"] for error in done.document["errors"]] == [code, "E551_EVENT_NOT_SENT"]
    assert done.document["data"] == {"file": str(path), "sent": 0, "from_line": 1, "next_line": 1}
    assert server.connections == 0


def test_a_delivery_that_fails_ends_the_work_at_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(LINES))
    refusal = answer(503, f"<h1>{SECRET}</h1>".encode())
    with serving(answer(200), answer(200), refusal, answer(200)) as server:
        done = invoke(send, path, environment=over_http(server, f"{SECRET}/api"))

    assert (done.exit_status, done.stdout) == (1, "")
    assert errors(done) == [
        f"ERROR: E550_EVENT_NOT_DELIVERED at openlineage.transport ({path}:3): the server answered 503",
        "  2 events were delivered, up to line 2; go on with --from-line 3",
    ]
    assert bodies(server) == LINES[:3]


def test_what_was_left_is_sent_by_going_on(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(LINES))
    with serving(answer(200), answer(500), answer(200)) as server:
        failed = invoke(send, path, face=Face("json"), environment=over_http(server))
        next_line = failed.document["data"]["next_line"]
        done = invoke(send, path, "--from-line", str(next_line), environment=over_http(server))

    assert (failed.exit_status, done.exit_status) == (1, 0)
    assert done.stdout == "Sent 3 events (lines 2 to 4)\n"
    assert bodies(server) == [LINES[0], *LINES[1:2], *LINES[1:]]


def test_a_server_that_hangs_ends_the_work_in_time(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(LINES))
    with serving(hang) as server:
        done = invoke(send, path, environment=over_http(server, timeout="0.3"))

    assert errors(done) == [
        f"ERROR: E550_EVENT_NOT_DELIVERED at openlineage.transport ({path}:1): the server did not answer in time",
        "  no event was delivered; go on with --from-line 1",
    ]


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with serving() as server:
        missing = invoke(send, tmp_path / "no", environment=over_http(server))
        folder = invoke(send, tmp_path, environment=over_http(server))

    assert (missing.exit_status, folder.exit_status) == (1, 1)
    assert errors(missing) == [
        f"ERROR: E150_EVENTS_UNREADABLE ({tmp_path / 'no'}): cannot be read: No such file or directory"
    ]
    assert errors(folder)[0].endswith(": cannot be read: Is a directory")
    assert server.connections == 0


@pytest.mark.parametrize("piped", [False, True], ids=["path", "stdin"])
def test_a_file_is_not_sent_into_itself(piped: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    path = write(tmp_path, LINES[0])
    (tmp_path / "link").hardlink_to(path)
    with path.open("rb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "streamt_ol", "events", "send", "-" if piped else path],
            stdin=stream,
            env=environment(into(tmp_path / "link")),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    assert done.returncode == 1
    message = "is the log file of the transport: it would be sent into itself"
    assert done.stderr == f"ERROR: E553_EVENTS_SENT_INTO_ITSELF ({'-' if piped else path}): {message}\n"
    assert path.read_bytes() == LINES[0]


# Configuration


def test_without_a_transport_nothing_is_sent(tmp_path: Path) -> None:
    done = run_streamt("events", "send", write(tmp_path, LINES[0]))

    assert done.exit_status == 1
    assert done.stderr.startswith("ERROR: E506_OPENLINEAGE_INVALID at openlineage.transport: ")


def test_events_that_are_disabled_are_not_sent(tmp_path: Path) -> None:
    with serving() as server:
        variables = {**over_http(server), "OPENLINEAGE_DISABLED": "true"}
        done = invoke(send, write(tmp_path, LINES[0]), environment=variables)

    assert done.exit_status == 1
    assert errors(done)[0].startswith("ERROR: E506_OPENLINEAGE_INVALID at openlineage.disabled: ")
    assert server.connections == 0


# Interruptions


def interrupted(server: Server, reached: Event, path: Path, *options: str) -> tuple[int, str, list[str]]:
    """Return status, stdout and stderr of a sending that is interrupted when something is reached."""
    process = subprocess.Popen(
        [sys.executable, "-m", "streamt_ol", *options, "events", "send", path],
        env=environment(over_http(server, timeout="5")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert reached.wait(PATIENCE)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    return process.returncode, stdout, stderr.splitlines()


def hanging_at(reached: Event) -> Script:
    def script(connection: socket.socket, server: Server) -> bool:
        reached.set()
        return hang(connection, server)

    return script


@pytest.mark.parametrize("output", ["text", "json"])
def test_an_interruption_says_what_was_delivered_last(output: str, tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(LINES))
    reached = Event()
    with serving(answer(200), answer(200), hanging_at(reached)) as server:
        status, stdout, stderr = interrupted(server, reached, path, "--output", output)

    assert status == 130
    assert stderr == [
        "ERROR: E591_INTERRUPTED: interrupted; the next line may have arrived, too",
        "  2 events were delivered, up to line 2; go on with --from-line 3",
    ]
    if output == "json":
        document = json.loads(stdout)
        assert (document["status"], document["data"]["next_line"]) == ("error", 3)
        assert [error["code"] for error in document["errors"]] == ["E591_INTERRUPTED"]
    else:
        assert stdout == ""


def test_a_handshake_without_end_can_be_interrupted(tmp_path: Path) -> None:
    path = write(tmp_path, LINES[0])
    reached = Event()
    with serving(at_once=hanging_at(reached)) as server:
        server.scheme = "https"
        status, _stdout, stderr = interrupted(server, reached, path)

    assert status == 130
    assert stderr[1] == "  no event was delivered; go on with --from-line 1"


# Secrets


def test_neither_key_nor_address_nor_event_is_in_any_output(tmp_path: Path) -> None:
    event = lines([dataset_event(f"topic-{SECRET}")])
    path = write(tmp_path, event)
    with serving(answer(401, SECRET.encode())) as server:
        done = run_streamt(
            "--verbose",
            "events",
            "send",
            path,
            environment={
                name: value for name, value in over_http(server, f"{SECRET}/api").items() if value is not None
            },
        )

    assert done.exit_status == 1
    assert SECRET not in done.stdout + done.stderr
    assert str(server.port) not in done.stdout + done.stderr
