"""`streamt docs openlineage` as a process: streams, statuses, the output file and interruptions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from golden_cases import source_path
from program import run_streamt

ROOT = Path(__file__).resolve().parents[2]
INTERRUPTED = str(ROOT / "tests" / "support" / "interrupted")
PROJECT = """
apiVersion: streamt.dev/v1alpha1
project: {name: shop}
runtime:
  kafka: {bootstrap_servers: "broker.example:9092"}
sources:
  - {name: orders, topic: shop.orders}
"""
EXPORT = ("docs", "openlineage", "--job-namespace", "jobs")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "stream_project.yml").write_text(PROJECT, "utf-8")
    return folder


def test_an_interruption_exits_with_130_and_keeps_the_old_file(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "events.jsonl"
    target.write_text("old")

    done = run_streamt(*EXPORT, "-p", project, "--output-file", target, path=[INTERRUPTED])

    assert (done.exit_status, done.stdout) == (130, "")
    assert done.stderr.strip() == "ERROR: E591_INTERRUPTED: interrupted before the command was done"
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.jsonl", "project"]


def test_an_interruption_in_json_mode_is_an_envelope_that_says_so(project: Path) -> None:
    done = run_streamt("--output", "json", *EXPORT, "-p", project, path=[INTERRUPTED])

    assert done.exit_status == 130
    assert json.loads(done.stdout) == {
        "status": "error",
        "command": "docs openlineage",
        "data": {},
        "errors": [{"code": "E591_INTERRUPTED", "message": "interrupted before the command was done"}],
    }


def test_a_reader_that_goes_away_ends_the_program_quietly(project: Path) -> None:
    sources = "".join(f"  - {{name: s{number}, topic: t{number}}}\n" for number in range(2000))
    (project / "stream_project.yml").write_text(PROJECT + sources, "utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "streamt_ol", "--quiet", *EXPORT, "-p", project],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path())},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()

    assert process.stderr.read() == b""
    assert process.wait(60) == 141
    process.stderr.close()


def test_a_full_stdout_is_an_error_at_stdout(project: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "streamt_ol", "--quiet", *EXPORT, "-p", project],
            stdout=full,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path())},
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr == (
        b"ERROR: E506_OPENLINEAGE_INVALID at stdout: stdout cannot be written: No space left on device\n"
    )


def test_json_mode_with_a_file_writes_the_lines_there_and_one_envelope_to_stdout(
    project: Path, tmp_path: Path
) -> None:
    target = tmp_path / "new folder" / "events.jsonl"

    done = run_streamt("-o", "json", *EXPORT, "-p", project, "--output-file", target)
    envelope = json.loads(done.stdout)

    assert done.stderr == ""
    assert envelope["data"]["output_file"] == str(target)
    assert envelope["data"]["counts"] == {"total": 1, "datasets": 1, "jobs": 0}
    assert [warning["code"] for warning in envelope["warnings"]] == ["W110_OPENLINEAGE_SCHEMA_INCOMPLETE"]
    assert target.read_bytes() == run_streamt(*EXPORT, "-p", project).raw
    assert json.loads(target.read_bytes()) == envelope["data"]["events"][0]


def test_quiet_leaves_out_warnings_and_the_confirmation_but_writes_the_file(
    project: Path, tmp_path: Path
) -> None:
    target = tmp_path / "events.jsonl"

    done = run_streamt("--quiet", *EXPORT, "-p", project, "--output-file", target)

    assert (done.exit_status, done.stdout, done.stderr) == (0, "", "")
    assert target.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("target", ["", "folder", "link", "dangling", "fifo", "/dev/null", "-", "folder/"])
def test_what_is_no_regular_file_is_refused_before_the_project_is_read(tmp_path: Path, target: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("nowhere")
    os.mkfifo(tmp_path / "fifo")
    before = sorted(path.name for path in tmp_path.iterdir())

    done = run_streamt(*EXPORT, "--output-file", target, cwd=tmp_path)

    assert (done.exit_status, done.stdout) == (1, "")
    assert done.stderr.startswith("ERROR: E506_OPENLINEAGE_INVALID at output_file: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (tmp_path / "real").read_text() == "old"


def test_a_failed_export_leaves_the_old_file_and_nothing_else(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "events.jsonl"
    target.write_text("old")
    (project / "stream_project.yml").write_text(PROJECT + "  - {name: orders, topic: other}\n", "utf-8")

    done = run_streamt(*EXPORT, "-p", project, "--output-file", target)

    assert done.exit_status == 1
    assert done.stderr == (
        "ERROR: E506_OPENLINEAGE_INVALID at /sources/1/name (stream_project.yml:8:12): "
        "source 'orders' is declared twice: first at /sources/0\n"
    )
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.jsonl", "project"]


def test_two_errors_of_one_pass_are_both_shown(project: Path) -> None:
    (project / "stream_project.yml").write_text(
        PROJECT.replace("topic: shop.orders}", "topic: a, descripton: x, topik: y}"), "utf-8"
    )

    done = run_streamt(*EXPORT, "-p", project)

    assert done.exit_status == 1
    assert [line.split(": ")[1] for line in done.stderr.splitlines() if line.startswith("ERROR")] == [
        "E501_PARSE_ERROR at /sources/0/descripton (stream_project.yml:7:30)",
        "E501_PARSE_ERROR at /sources/0/topik (stream_project.yml:7:45)",
    ]


@pytest.mark.parametrize("arguments", [["--nope"], ["-p", "/nowhere/at/all"], ["extra"]])
def test_a_usage_error_exits_with_2(arguments: list[str]) -> None:
    assert run_streamt("docs", "openlineage", *arguments).exit_status == 2


def test_both_spellings_of_an_option_value_work(project: Path) -> None:
    assert run_streamt("docs", "openlineage", "--job-namespace=-x", "-p", project).exit_status == 0
    assert run_streamt("docs", "openlineage", "--job-namespace", "x", "-p", project).exit_status == 0


@pytest.mark.parametrize("alias", ["streamt", "streamt-ol"])
def test_both_names_are_the_same_program(alias: str) -> None:
    script = Path(sys.executable).with_name(alias)
    if not script.exists():
        pytest.skip("the package is not installed beside this interpreter")

    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)

    assert done.stdout == "streamt, version 0.1.0\n"


def test_a_trace_that_cannot_be_written_is_an_error_at_the_trace(project: Path) -> None:
    done = run_streamt("--trace", "/dev/null", *EXPORT, "-p", project)

    assert (done.exit_status, done.stdout) == (1, "")
    assert done.stderr == "ERROR: E510_OUTPUT_FILE at trace: /dev/null is a device, not a regular file\n"
