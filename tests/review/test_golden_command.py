"""`streamt golden` on a small folder: what is run, what fails, what is pending, what is decided."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from golden_suite import PROJECT, Suite

from streamt_ol.cli.face import Face
from streamt_ol.review.golden.running import OFFLINE

EXPORT = "harbour/expected/export"
PENDING = [f"{EXPORT}.events.jsonl.pending"]


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    suite = Suite(tmp_path_factory.mktemp("approved")).write()
    suite.approve()
    return suite.root


@pytest.fixture
def suite(approved: Path, tmp_path: Path) -> Suite:
    shutil.copytree(approved, tmp_path / "repository")
    return Suite(tmp_path / "repository")


def pending(suite: Suite) -> list[str]:
    return [name for name in suite.files() if name.endswith(".pending")]


# check


def test_a_folder_in_which_everything_is_as_approved_passes(suite: Suite) -> None:
    done = suite.check()

    assert (done.exit_status, done.stderr) == (0, "")
    assert done.stdout == "2 runs: all as approved; compared with no revision\n"


def test_other_output_fails_and_nothing_is_written(suite: Suite) -> None:
    suite.edit("harbour.ships", "harbour.vessels")
    before = suite.files()

    done = suite.check()

    path = suite.expected / "export.events.jsonl"
    assert done.exit_status == 1
    assert done.stderr == f"ERROR: E170_GOLDEN_DIFFERS ({path}): harbour/export: stdout is not as approved\n"
    assert done.stdout == "2 runs: 1 different; compared with no revision\n"
    assert suite.files() == before


def test_another_message_and_another_decision_fail(suite: Suite) -> None:
    suite.edit('source("boats")', 'source("barges")', suite.case / "case.yml")
    suite.edit("    columns: [{name: ship, type: STRING}]\n", "")

    done = suite.check("--format", "json")

    assert done.exit_status == 1
    assert done.document["differing"] == [
        {"run": "harbour/export", "parts": ["events.jsonl", "diagnostics.txt", "trace.jsonl"], "exit": 0},
        {"run": "harbour/unknown-source", "parts": ["diagnostics.txt"], "exit": 1},
    ]


def test_another_exit_status_fails_although_the_output_is_as_approved(suite: Suite) -> None:
    case = suite.case / "case.yml"
    suite.edit("exit: 1", "exit: 3", case)

    done = suite.check()

    assert done.exit_status == 1
    assert done.stderr == (
        f"ERROR: E170_GOLDEN_DIFFERS ({case}): harbour/unknown-source: exit status 1, the case says 3\n"
    )


def test_an_orphan_fails(suite: Suite) -> None:
    orphan = suite.expected / "gone.events.jsonl"
    orphan.write_text("", "utf-8")

    done = suite.check()

    assert done.exit_status == 1
    assert (
        done.stderr
        == f"ERROR: E171_GOLDEN_ORPHAN ({orphan}): belongs to no run\n  delete it, or add the run\n"
    )


def test_pending_output_that_nobody_decided_about_fails(suite: Suite) -> None:
    waiting = suite.expected / "export.events.jsonl.pending"
    waiting.write_text("{}\n", "utf-8")

    done = suite.check("--format", "json")

    assert done.exit_status == 1
    assert done.stderr.startswith(f"ERROR: E172_GOLDEN_UNDECIDED ({waiting}): is pending")
    assert done.document == {
        "passed": False,
        "runs": 2,
        "differing": [],
        "orphans": [],
        "pending": [str(waiting)],
    }


def test_only_the_cases_that_are_named_are_checked(suite: Suite) -> None:
    suite.edit("harbour.ships", "harbour.vessels")

    assert suite.check("harbour/unknown-source").stdout.startswith("1 run: all as approved")
    assert suite.check("harbour").exit_status == 1


def test_a_part_of_a_run_that_is_not_looked_at_is_no_orphan(suite: Suite) -> None:
    assert suite.check("harbour/export").exit_status == 0


def test_a_new_run_fails_until_its_output_is_approved(suite: Suite) -> None:
    suite.edit(
        "  - name: unknown-source",
        "  - {name: again, shows: more}\n  - name: unknown-source",
        suite.case / "case.yml",
    )

    done = suite.check()

    assert done.exit_status == 1
    assert [line.rpartition(": ")[2] for line in done.stderr.splitlines()] == [
        "what stands on stdout is not approved",
        "no decisions are approved",
    ]


def test_the_runs_use_the_rule_tables_of_the_command(suite: Suite) -> None:
    rules = suite.own_rules()
    suite.edit("jobType: MODEL", "jobType: TABLE", rules / "facets.yml")

    assert suite.check("--format", "json").document["differing"] == [
        {"run": "harbour/export", "parts": ["events.jsonl"], "exit": 0}
    ]


def test_the_envelope_of_json_mode_holds_the_document(suite: Suite) -> None:
    (suite.expected / "gone.events.jsonl").write_text("", "utf-8")

    done = suite.call("check", "--no-base", face=Face(output="json"))

    assert done.exit_status == 1
    assert done.document["status"] == "error"
    assert done.document["command"] == "golden check"
    assert done.document["data"]["orphans"] == [str(suite.expected / "gone.events.jsonl")]
    assert [error["code"] for error in done.document["errors"]] == ["E171_GOLDEN_ORPHAN"]


# how a run is made


def test_a_run_sees_neither_the_environment_of_the_user_nor_the_clock(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "another")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    suite.edit(", --job-namespace, harbour", "", suite.case / "case.yml")

    assert suite.check("--format", "json").document["differing"][0]["exit"] == 1
    assert b"2026-01-02T03:04:05.000000Z" in suite.files()[f"{EXPORT}.events.jsonl"]


def test_whoever_opens_a_socket_on_the_path_of_a_run_fails() -> None:
    program = "import socket; socket.create_connection(('127.0.0.1', 9))"

    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(OFFLINE)}, capture_output=True, check=False
    )

    assert done.stderr.endswith(b"AssertionError: the program opened a socket\n")


def test_a_run_leaves_nothing_in_the_project(suite: Suite) -> None:
    suite.edit(
        "exit: 1\n",
        "exit: 1\n  - {name: file, shows: x, arguments: [docs, openlineage, --job-namespace, x, --output-file, lines]}\n",
        suite.case / "case.yml",
    )

    suite.call("run")

    assert [path.name for path in suite.project.parent.iterdir()] == ["stream_project.yml"]


def test_a_project_may_be_the_repository_itself(suite: Suite) -> None:
    suite.project.rename(suite.root / "stream_project.yml")
    suite.edit("shows: ships that arrive", "shows: ships\nproject: ../..", suite.case / "case.yml")

    assert suite.check().exit_status == 0


def test_a_change_of_a_run_cannot_leave_its_copy_of_the_project(suite: Suite) -> None:
    suite.edit(
        'file: stream_project.yml, replace: source("ships"), with: source("boats")',
        "file: ../../out.yml, write: x",
        suite.case / "case.yml",
    )

    done = suite.check()

    assert done.exit_status == 2
    assert "E161_GOLDEN_RUN" in done.stderr
    assert "harbour/unknown-source: ../../out.yml lies outside of the project" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("shows: ships that arrive", "show: ships", "E160_GOLDEN_CASE", "has the unknown key 'show'; known are shows, project, arguments, environment, runs"),
        ("name: unknown-source", "name: export", "E160_GOLDEN_CASE", "two runs are called 'export'"),
        ("arguments: [docs, openlineage, --job-namespace, harbour]\n", "", "E160_GOLDEN_CASE", "has arguments"),
        ("runs:", "runs: [", "E160_GOLDEN_CASE", "case.yml"),
        ('replace: source("ships")', 'replace: source("shops")', "E161_GOLDEN_RUN", "does not stand in stream_project.yml exactly once"),
        ("shows: ships that arrive", "shows: ships\nproject: elsewhere", "E161_GOLDEN_RUN", "cannot be laid out"),
    ],
    ids=["key", "twice", "arguments", "syntax", "change", "project"],
)  # fmt: skip
def test_what_cannot_be_run_is_no_verdict(suite: Suite, old: str, new: str, code: str, said: str) -> None:
    suite.edit(old, new, suite.case / "case.yml")

    done = suite.check()

    assert done.exit_status == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"ERROR: {code}")
    assert said in done.stderr
    assert str(suite.case / "case.yml") in done.stderr


def test_a_folder_without_cases_and_an_unknown_case_are_no_verdict(suite: Suite) -> None:
    assert suite.check("harbor").stderr == (
        f"ERROR: E160_GOLDEN_CASE at golden: {suite.golden} has neither a case nor a run 'harbor'\n"
    )
    shutil.rmtree(suite.case)

    done = suite.check()

    assert done.exit_status == 2
    assert done.stderr.startswith(f"ERROR: E160_GOLDEN_CASE at golden: {suite.golden} has no cases\n")


# run, accept, reject


def test_new_output_waits_beside_what_is_approved(suite: Suite) -> None:
    before = suite.files()
    suite.edit("harbour.ships", "harbour.vessels")

    done = suite.call("run")

    after = suite.files()
    assert done.exit_status == 0
    assert done.stdout == f"{suite.golden / PENDING[0]}\n2 runs: 1 file pending\n"
    assert pending(suite) == PENDING
    assert after[f"{EXPORT}.events.jsonl"] == before[f"{EXPORT}.events.jsonl"]
    assert b"harbour.vessels" in after[PENDING[0]]


def test_what_is_as_approved_again_waits_no_longer(suite: Suite) -> None:
    suite.edit("harbour.ships", "harbour.vessels")
    suite.call("run")
    suite.project.write_text(PROJECT, "utf-8")

    suite.call("run")

    assert pending(suite) == []


@pytest.mark.parametrize(
    "path",
    [".", "harbour", "harbour/expected", f"{EXPORT}.events.jsonl", PENDING[0]],
    ids=["folder", "case", "expected", "approved", "pending"],
)
def test_what_is_pending_is_accepted_by_any_path_that_leads_to_it(suite: Suite, path: str) -> None:
    suite.edit("harbour.ships", "harbour.vessels")
    suite.call("run")

    done = suite.call("accept", suite.golden / path)

    assert done.stdout == f"accepted {suite.expected / 'export.events.jsonl'}\n"
    assert pending(suite) == []
    assert suite.check().exit_status == 0


def test_what_is_rejected_is_gone_and_what_was_approved_stays(suite: Suite) -> None:
    before = suite.files()
    suite.edit("harbour.ships", "harbour.vessels")
    suite.call("run")

    done = suite.call("reject", suite.case)

    assert done.exit_status == 0
    assert {**suite.files(), "harbour/project/stream_project.yml": b""} == {
        **before,
        "harbour/project/stream_project.yml": b"",
    }


def test_a_part_that_becomes_empty_has_no_file_after_it_is_accepted(suite: Suite) -> None:
    suite.edit(
        'replace: source("ships"), with: source("boats")',
        "replace: harbour.ships, with: harbour.vessels",
        suite.case / "case.yml",
    )
    suite.edit("exit: 1", "exit: 0", suite.case / "case.yml")
    suite.call("run")
    assert suite.files()["harbour/expected/unknown-source.diagnostics.txt.pending"] == b""

    suite.call("accept", suite.golden)

    assert "harbour/expected/unknown-source.diagnostics.txt" not in suite.files()
    assert pending(suite) == []
    assert suite.check().exit_status == 0


def test_an_exit_status_is_declared_and_never_accepted(suite: Suite) -> None:
    suite.edit("exit: 1", "exit: 0", suite.case / "case.yml")

    done = suite.call("run")

    assert done.stdout == "harbour/unknown-source: exit status 1, the case says 0\n2 runs: 0 files pending\n"


@pytest.mark.parametrize("command", ["accept", "reject"])
def test_a_path_where_nothing_is_pending_is_an_error_and_nothing_is_decided(
    suite: Suite, command: str
) -> None:
    suite.edit("harbour.ships", "harbour.vessels")
    suite.call("run")

    done = suite.call(command, suite.case, suite.golden / "harbor")

    assert done.exit_status == 2
    assert done.stderr.startswith(
        f"ERROR: E164_GOLDEN_NOTHING_PENDING at paths: nothing is pending at {suite.golden / 'harbor'}\n"
    )
    assert pending(suite) == PENDING


def test_a_review_without_a_terminal_says_what_to_use_instead(suite: Suite) -> None:
    done = suite.call("review")

    assert done.exit_status == 2
    assert done.stderr == (
        "ERROR: E174_GOLDEN_NO_TERMINAL at stdin: a review needs a terminal\n"
        "  in scripts use `streamt golden run`, then `accept` or `reject`\n"
    )
    assert json.loads(suite.call("review", face=Face(output="json")).stdout)["status"] == "error"
