"""What a command imports before it is done, and what `--version` says without the rest of the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

import streamt_ol
from streamt_ol.cli.version import VERSION_LINE

ROOT = Path(streamt_ol.__file__).parents[1]
PROJECT = ROOT / "golden" / "payments" / "project"

WATCHED = """
import json, sys
before = set(sys.modules)
from streamt_ol.cli.entry import main
try:
    main(sys.argv[1:])
except SystemExit as status:
    print(json.dumps([status.code, sorted(set(sys.modules) - before)]), file=sys.stderr)
"""

NOT_FOR_THE_VERSION = {
    "click",
    "dataclasses",
    "jsonschema_rs",
    "orjson",
    "pathlib",
    "typing",
    "yaml",
    "streamt_ol.cli.running",
}
NOT_FOR_AN_EXPORT = {
    "dotenv",  # for a dotenv file
    "hmac",
    "jinja2",  # for SQL with more than plain calls
    "jsonschema",  # for a refusal
    "logging",
    "referencing",
    "rich",
    "secrets",
    "tempfile",
    "textwrap",
    "traceback",  # for a bug
    "streamt_ol.compiler.artifacts",
    "streamt_ol.engine.checks",
    "streamt_ol.engine.missing_rows",  # for a gap in a table
    "streamt_ol.governance",
    "streamt_ol.ground.yaml_marks",  # for a place
    "streamt_ol.review",
}


def imported(*arguments: str) -> set[str]:
    """Run a command to its success and return the modules that it has imported by then."""
    command = [sys.executable, "-c", WATCHED, *arguments]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert status == 0
    return set(modules)


def version(*before: str, line: str = '"$@"', stdout: int = subprocess.PIPE) -> tuple[int, bytes, bytes]:
    """Ask for the version; in `line`, a line of bash, `"$@"` stands for the program."""
    command = ["bash", "-c", line, "bash", sys.executable, "-m", "streamt_ol", *before, "--version"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, stdout=stdout, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout or b"", done.stderr


def test_the_version_is_told_without_the_rest_of_the_program() -> None:
    assert imported("--version") & NOT_FOR_THE_VERSION == set()
    assert imported("--quiet", "--version") >= {"click", "streamt_ol.cli.running"}


def test_an_export_imports_nothing_that_it_does_not_need() -> None:
    modules = imported("docs", "openlineage", "--project-dir", str(PROJECT), "--job-namespace", "jobs")

    assert modules & NOT_FOR_AN_EXPORT == set()
    assert modules >= {"click", "jsonschema_rs", "orjson", "yaml", "streamt_ol.lineage.exporting"}


def test_an_offline_plan_loads_no_client_and_opens_no_state() -> None:
    modules = imported("plan", "--offline", "--project-dir", str(PROJECT))
    left_out = {"confluent_kafka", "httpx", "rich", "streamt_ol.deploy.state.local", "streamt_ol.runs"}

    assert modules & left_out == set()
    assert "streamt_ol.deploy.planning.planning" in modules


def test_a_dotenv_file_is_read_with_python_dotenv(tmp_path: Path) -> None:
    project = copytree(PROJECT, tmp_path / "project")
    (project / ".env").write_text("OPENLINEAGE_NAMESPACE=jobs\n", "utf-8")

    assert "dotenv" in imported("docs", "openlineage", "--project-dir", str(project))


@pytest.mark.parametrize("before", [[], ["--quiet"]], ids=["at once", "by click"])
class TestTheVersionIsTheSame:
    def test_as_a_line(self, before: list[str]) -> None:
        assert version(*before) == (0, b"streamt, version 0.1.0\n", b"")
        assert streamt_ol.__version__.encode() in VERSION_LINE

    def test_for_a_reader_that_went_away(self, before: list[str]) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        try:
            assert version(*before, stdout=writer) == (141, b"", b"")
        finally:
            os.close(writer)

    def test_where_stdout_is_closed(self, before: list[str]) -> None:
        assert version(*before, line='"$@" >&-') == (
            1,
            b"",
            b"ERROR: E511_STDOUT at stdout: stdout is closed\n",
        )

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_where_stdout_is_full(self, before: list[str]) -> None:
        assert version(*before, line='"$@" >/dev/full') == (
            1,
            b"",
            b"ERROR: E511_STDOUT at stdout: stdout cannot be written: No space left on device\n",
        )
