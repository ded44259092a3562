import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import streamt_ol
from streamt_ol.cli.report import Result, StdoutError, printable, show, write_line, write_stdout
from streamt_ol.ground.errors import Diagnostic, Place

TEXT = "→ 模型 é 😀"

ERROR = Diagnostic(
    "E501_PARSE_ERROR",
    "`no` was read as the boolean false",
    location="/models/3/name",
    place=Place("models/a.yml", 7, 11),
    suggestion="quote it:\nname: 'no'",
)
WARNING = Diagnostic("W000_WARNING", TEXT, location="/models/0")

FULL_PIPE = """
import os
from streamt_ol.cli.report import write_stdout
os.set_blocking(1, False)
write_stdout(b"x" * 3_000_000)
"""


def run(code, *arguments, line=None, **variables):
    """Run a driver; in `line`, a line of bash, `"$@"` stands for it. Return status, stdout and stderr."""
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    if line:
        command = ["bash", "-c", f"set -o pipefail; {line}", "bash", *command]
    environment = {**os.environ, "PYTHONPATH": str(Path(streamt_ol.__file__).parents[1]), **variables}
    done = subprocess.run(command, check=False, capture_output=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def shown(capfdbinary, result, **options):
    """Show the result; return the bytes of stdout and stderr."""
    show(result, **options)
    return tuple(capfdbinary.readouterr())


# JSON mode


def test_a_success_is_one_indented_document_in_ascii(capfdbinary):
    out, err = shown(capfdbinary, Result("docs openlineage", {"topic": "é😀", "events": []}), output="json")

    assert out == (
        b'{\n  "status": "ok",\n  "command": "docs openlineage",\n'
        b'  "data": {\n    "topic": "\\u00e9\\ud83d\\ude00",\n    "events": []\n  }\n}\n'
    )
    assert err == b""


def test_warnings_are_in_the_document_and_not_on_stderr(capfdbinary):
    out, err = shown(capfdbinary, Result("validate", {}, [WARNING]), output="json")

    assert json.loads(out) == {
        "status": "ok",
        "command": "validate",
        "data": {},
        "warnings": [{"code": "W000_WARNING", "message": TEXT, "location": "/models/0"}],
    }
    assert err == b""


@pytest.mark.parametrize("quiet", [False, True])
def test_a_failure_has_no_data_and_its_errors_are_on_stderr_too(capfdbinary, quiet):
    result = Result("validate", {"half": "done"}, [WARNING], [ERROR])
    out, err = shown(capfdbinary, result, output="json", quiet=quiet)

    assert json.loads(out) == {
        "status": "error",
        "command": "validate",
        "data": {},
        "errors": [
            {
                "code": "E501_PARSE_ERROR",
                "message": "`no` was read as the boolean false",
                "location": "/models/3/name",
                "file": "models/a.yml",
                "line": 7,
                "column": 11,
                "suggestion": "quote it:\nname: 'no'",
            }
        ],
        "warnings": [{"code": "W000_WARNING", "message": TEXT, "location": "/models/0"}],
    }
    assert list(json.loads(out)) == ["status", "command", "data", "errors", "warnings"]
    assert err.decode().splitlines()[0].startswith("ERROR: E501_PARSE_ERROR at /models/3/name")
    assert b"W000" not in err


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none() | st.lists(st.booleans())))
def test_the_document_reads_back_as_the_data(data):
    out = io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(out):
        show(Result("compile", data), output="json")

    assert out.buffer.getvalue().isascii()
    assert json.loads(out.buffer.getvalue())["data"] == data


def test_half_a_surrogate_pair_is_spelled_because_json_readers_refuse_it(capfdbinary):
    out, _ = shown(capfdbinary, Result("compile", {"output_file": "\udcff.jsonl"}), output="json")

    assert json.loads(out)["data"] == {"output_file": r"\udcff.jsonl"}


# Text mode


def test_text_mode_shows_warnings_and_errors_on_stderr_with_their_places_and_remedies(capfdbinary):
    out, err = shown(capfdbinary, Result("validate", {"a": 1}, [WARNING], [ERROR]), output="text")

    assert out == b""
    assert err.decode() == (
        f"WARNING: W000_WARNING at /models/0: {TEXT}\n"
        "ERROR: E501_PARSE_ERROR at /models/3/name (models/a.yml:7:11): `no` was read as the boolean false\n"
        "  quote it:\n"
        "  name: 'no'\n"
    )


def test_quiet_text_mode_shows_errors_only(capfdbinary):
    _, err = shown(
        capfdbinary, Result("x", {}, [WARNING], [Diagnostic("E1", "no")]), output="text", quiet=True
    )

    assert err == b"ERROR: E1: no\n"


@pytest.mark.parametrize(
    ("diagnostic", "line"),
    [
        (Diagnostic("E1", "no"), "ERROR: E1: no"),
        (Diagnostic("E1", "no", location=""), "ERROR: E1: no"),
        (Diagnostic("E1", "no", place=Place("a.yml", 3)), "ERROR: E1 (a.yml:3): no"),
        (Diagnostic("E1", "no", location="stdout", place=Place("a.yml")), "ERROR: E1 at stdout (a.yml): no"),
    ],
)
def test_what_is_not_known_is_left_out_of_the_line(capfdbinary, diagnostic, line):
    _, err = shown(capfdbinary, Result("x", errors=[diagnostic]), output="text")

    assert err.decode() == f"{line}\n"


def test_a_project_cannot_steer_the_terminal_or_forge_a_line(capfdbinary):
    hostile = "a\x1b[2J\rERROR\nERROR: b\u202e\x9b\u2028\udcff\x00"
    spelled = r"a\x1b[2J\rERROR\nERROR: b\u202e\x9b\u2028\udcff\x00"
    error = Diagnostic("E1", hostile, location=hostile, place=Place(hostile), suggestion=hostile)
    _, err = shown(capfdbinary, Result("x", errors=[error]), output="text")

    assert err.decode().splitlines() == [
        f"ERROR: E1 at {spelled} ({spelled}): {spelled}",
        r"  a\x1b[2J",
        "  ERROR",
        r"  ERROR: b\u202e\x9b",
        r"  \udcff\x00",
    ]


@given(st.text(st.characters()))
def test_printable_text_is_one_line_that_every_encoder_of_utf_8_takes(text):
    assert printable(text).isprintable()
    assert printable(text).encode().decode() == printable(text)


@pytest.mark.parametrize("output", ["text", "json"])
def test_secrets_are_struck_out_of_messages_locations_and_remedies(capfdbinary, output):
    secret = "postgres://u:hunter2@h/db"
    diagnostic = Diagnostic("E1", f"no {secret}", "/a/password=hunter2", None, f"use {secret}")
    out, err = shown(capfdbinary, Result("x", {}, [diagnostic], [diagnostic]), output=output)

    assert b"hunter2" not in out + err
    assert b"ERROR: E1 at /a/password=***: no postgres://***\n  use postgres://***\n" in err


# Exit status


def test_the_exit_status_is_one_only_for_errors():
    assert Result("x", {}, [WARNING]).exit_status == 0
    assert Result("x", {}, [], [ERROR]).exit_status == 1


# The streams


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "C"},
        {"PYTHONUNBUFFERED": "1"},
    ],
)
def test_both_streams_are_utf_8_whatever_the_locale(variables):
    code = r"""
from streamt_ol.cli.report import *
from streamt_ol.ground.errors import Diagnostic
text = "\u2192 \u6a21\u578b \u00e9 \U0001f600"
write_stdout(text.encode() + b"\n")
write_line(text)
show(Result("x", {}, [Diagnostic("W1", text)], [Diagnostic("E1", text + "\udcff")]), output="text")
"""

    assert run(code, **variables) == (
        0,
        f"{TEXT}\n{TEXT}\n".encode(),
        f"WARNING: W1: {TEXT}\nERROR: E1: {TEXT}\\udcff\n".encode(),
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_every_byte_arrives_through_a_pipe(unbuffered):
    code = "from streamt_ol.cli.report import *; write_stdout(bytes(range(256)) * 20_000)"

    assert run(code, PYTHONUNBUFFERED=unbuffered) == (0, bytes(range(256)) * 20_000, b"")


def test_every_byte_arrives_through_a_full_pipe_in_non_blocking_mode():
    assert run(FULL_PIPE, line='"$@" | { read -r -N 1 first; printf %s "$first"; cat; }') == (
        0,
        b"x" * 3_000_000,
        b"",
    )


def test_what_was_printed_before_comes_before():
    code = 'from streamt_ol.cli.report import *; print("first"); write_line("second")'

    assert run(code, PYTHONUNBUFFERED="") == (0, b"first\nsecond\n", b"")


def test_a_line_of_human_output_is_escaped_and_ended(capfdbinary):
    write_line(f"{TEXT}\x1b\n")

    assert capfdbinary.readouterr().out == rf"{TEXT}\x1b\n".encode() + b"\n"


@pytest.mark.parametrize(
    ("write", "unbuffered"),
    [
        ('write_stdout(b"x\\n" * 1_000_000)', ""),
        ('write_stdout(b"x\\n" * 1_000_000)', "1"),
        ('print("x" * 3000); write_stdout(b"x\\n" * 1_000_000)', ""),
        ('show(Result("x", {"a": "x" * 1_000_000}), output="json")', ""),
        ('show(Result("x", {"a": "x" * 1_000_000}), output="json")', "1"),
    ],
)
def test_a_reader_that_goes_away_ends_the_program_quietly_with_141(write, unbuffered):
    code = f"from streamt_ol.cli.report import *\n{write}\nraise AssertionError"

    assert run(code, line='"$@" | head -c 1 >/dev/null', PYTHONUNBUFFERED=unbuffered) == (141, b"", b"")


def test_a_print_that_waits_when_the_reader_has_gone_ends_as_quietly():
    code = """
import os
from streamt_ol.cli.report import *

reader, writer = os.pipe()
os.close(reader)
os.dup2(writer, 1)
print("waiting")
write_stdout(b"x")
"""

    assert run(code, PYTHONUNBUFFERED="") == (141, b"", b"")


def test_a_reader_that_goes_away_ends_a_click_command_quietly_with_141():
    code = """
import click
from streamt_ol.cli.report import write_stdout

@click.command()
def command():
    write_stdout(b"x" * 1_000_000)

command()
"""

    assert run(code, line='"$@" | head -c 1 >/dev/null') == (141, b"", b"")


REPORTING = """
import sys
from streamt_ol.cli.report import *

result = Result("x", {"a": 1})
try:
    write_stdout(b"x\\n") if sys.argv[1] == "text" else show(result, output="json")
except StdoutError as error:
    result = Result("x", errors=[error.diagnostic()])
show(result, output=sys.argv[1])
sys.exit(result.exit_status)
"""


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('"$@" >/dev/full', "stdout cannot be written: No space left on device"),
        ('"$@" >&-', "stdout is closed"),
        ('"$@" 1</dev/null', "stdout cannot be written: Bad file descriptor"),
    ],
)
def test_a_stdout_that_cannot_be_written_is_an_error_told_once(output, line, message):
    assert run(REPORTING, output, line=line) == (
        1,
        b"",
        f"ERROR: E511_STDOUT at stdout: {message}\n".encode(),
    )


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_print_that_still_waits_in_the_buffer_fails_with_the_rest(output):
    code = f'print("waiting")\n{REPORTING}'

    assert run(code, output, line='"$@" >/dev/full', PYTHONUNBUFFERED="") == (
        1,
        b"",
        b"ERROR: E511_STDOUT at stdout: stdout cannot be written: No space left on device\n",
    )


@pytest.mark.parametrize("line", ['"$@" 2>&-', '"$@" 2>/dev/full', '"$@" 2> >(true)'])
def test_a_stderr_that_cannot_be_written_changes_nothing_else(line):
    code = """
import sys
from streamt_ol.cli.report import *
from streamt_ol.ground.errors import Diagnostic

result = Result("x", {}, [Diagnostic("W1", "w" * 100_000)])
show(result, output="text")
write_stdout(b"out")
sys.exit(result.exit_status)
"""

    assert run(code, line=line) == (0, b"out", b"")


def test_both_streams_closed_is_a_failure_without_a_word():
    assert run(REPORTING, "json", line='"$@" >&- 2>&-') == (1, b"", b"")


def test_the_test_runner_of_click_sees_both_streams():
    @click.command()
    def command():
        show(Result("x", {}, [WARNING]), output="text")
        write_stdout(TEXT.encode())

    seen = CliRunner().invoke(command)

    assert seen.exit_code == 0
    assert seen.stdout == TEXT
    assert seen.stderr == f"WARNING: W000_WARNING at /models/0: {TEXT}\n"


def test_a_failure_in_memory_is_an_error_as_well(monkeypatch):
    class Full(io.RawIOBase):
        def writable(self):
            return True

        def write(self, _):
            raise OSError(28, os.strerror(28))

    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(Full())))

    with pytest.raises(StdoutError) as caught:
        write_stdout(b"x")
    assert caught.value.diagnostic() == Diagnostic(
        "E511_STDOUT", "stdout cannot be written: No space left on device", "stdout"
    )
