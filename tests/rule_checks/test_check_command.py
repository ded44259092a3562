"""`streamt rules check` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest
from program import Done, run_streamt

from streamt_ol.ground.resources import rules_folder

UNUSED = "  W999_NOBODY: {severity: warning, title: nobody, meaning: nothing, remedy: none}\n"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Give a copy of the shipped tables in the folder `rules` of a scratch folder."""
    return copytree(rules_folder(), tmp_path / "rules")


def check(rules: Path, *options: str, before: tuple[str, ...] = ()) -> Done:
    return run_streamt(*before, "rules", "check", "--rules", "rules", *options, cwd=rules.parent)


def plant(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text("utf-8") + text, "utf-8")


def faulty(rules: Path) -> Path:
    """Plant an error in each of three files, one of which is no YAML."""
    plant(rules / "jobs.yml", "  - {id: no-process, when: {process: none}, cites: [JOB-2]}\n", "")
    plant(rules / "reach.yml", "{trait: long_name}", "{trait: [long_name, many_links]}")
    (rules / "columns.yml").write_text("table: [\n", "utf-8")
    return rules


def test_the_shipped_tables_pass() -> None:
    done = run_streamt("rules", "check")

    assert (done.exit_status, done.stderr) == (0, "")
    assert done.stdout.startswith("Checked ")
    assert done.stdout.endswith(": 0 errors, 0 warnings, 0 notes\n")
    assert done.stdout.count("\n") == 1


def test_every_fault_of_every_file_is_told_with_its_place_and_what_helps(rules: Path) -> None:
    done = check(faulty(rules))

    assert (done.exit_status, done.stderr) == (1, "")
    assert done.stdout.splitlines()[2:-1] == [
        "ERROR not-yaml rules/columns.yml:2:1: The file is not YAML, while parsing a flow node: expected the node "
        "content, but found '<stream end>'.",
        "  write one YAML document",
        "ERROR gap rules/jobs.yml:13:3: no row decides about model records with process none",
        "  add this row:",
        "  - {id: none, when: {process: none}, then: {}}",
        "ERROR conflict rules/reach.yml:26:5: rows 'many-links' (reach.yml:20) and 'long-name' (reach.yml:26) say "
        "different things about reach records with trait many_links",
        "  narrow `when` of one of them, or remove one",
    ]
    assert done.stdout.splitlines()[-1].endswith("catalogues in rules: 3 errors, 0 warnings, 2 notes")


def test_what_could_not_be_checked_is_a_note(rules: Path) -> None:
    notes = check(faulty(rules)).stdout.splitlines()[:2]

    assert notes == [
        "NOTE unmet-need rules: whether a table is missing is not checked: some files cannot be read or understood",
        "NOTE unused-code rules: unused codes are not looked for: some files cannot be read or understood",
    ]


def test_what_several_parts_of_the_program_need_is_missed_once(rules: Path) -> None:
    (rules / "texts.yml").unlink()

    missed = [line for line in check(rules).stdout.splitlines() if "'texts'" in line]

    assert missed == ["ERROR unmet-need rules: the rule set has no table 'texts'"]


def test_the_missing_row_as_printed_fills_the_gap(rules: Path) -> None:
    plant(rules / "jobs.yml", "  - {id: no-process, when: {process: none}, cites: [JOB-2]}\n", "")
    row = check(rules).stdout.splitlines()[2]
    add(rules / "jobs.yml", f"{row}\n")

    assert check(rules).exit_status == 0


def test_the_document_has_every_finding_with_a_stable_id(rules: Path) -> None:
    plant(rules / "effective.yml", "cites: [MAT-8]}", "cites: [MAT-99]}")

    document = json.loads(check(rules, "--format", "json").stdout)
    plant(rules / "effective.yml", "rows:\n", "# a comment that moves every line\nrows:\n")
    moved = json.loads(check(rules, "--format", "json").stdout)

    assert document["folder"] == "rules"
    assert document["counts"] == {"errors": 1, "warnings": 0, "notes": 0}
    assert document["findings"] == [
        {
            "id": "effective/as-it-is/unknown-citation/MAT-99",
            "check": "unknown-citation",
            "severity": "error",
            "message": "row 'as-it-is' cites MAT-99, which docs/contract.md does not have",
            "file": "rules/effective.yml",
            "line": 12,
            "column": 62,
            "location": "/rows/1/cites/0",
            "remedy": "correct the number, or write the statement",
        }
    ]
    assert moved["findings"] == [{**document["findings"][0], "line": 13}]


def test_json_mode_gives_the_same_document_in_an_envelope(rules: Path) -> None:
    faulty(rules)
    add(rules / "diagnostics.yml", UNUSED)

    done = check(rules, before=("--output", "json"))
    envelope = json.loads(done.stdout)

    assert (done.exit_status, envelope["status"], envelope["command"]) == (1, "error", "rules check")
    assert envelope["data"] == json.loads(check(rules, "--format", "json").stdout)
    assert [error["code"] for error in envelope["errors"]] == ["E520_RULES_INVALID"] * 3
    assert envelope["errors"][1]["suggestion"].endswith("- {id: none, when: {process: none}, then: {}}")


@pytest.mark.parametrize(
    ("options", "status"),
    [((), 1), (("--fail-on", "warning"), 1), (("--fail-on", "error"), 0), (("--fail-on", "note"), 1)],
)
def test_warnings_fail_unless_only_errors_shall(rules: Path, options: tuple[str, ...], status: int) -> None:
    add(rules / "diagnostics.yml", UNUSED)

    done = check(rules, *options)

    assert done.exit_status == status
    assert done.stdout.startswith("WARNING unused-code rules/diagnostics.yml:")


def test_quiet_leaves_all_but_errors_out(rules: Path) -> None:
    add(rules / "diagnostics.yml", UNUSED)

    assert check(rules, before=("--quiet",)).stdout == ""


def test_the_yaml_parser_changes_no_byte(rules: Path) -> None:
    faulty(rules)

    assert check(rules, before=("--yaml-loader", "pure")).raw == check(rules).raw


def test_the_global_option_names_the_tables_too(rules: Path) -> None:
    faulty(rules)

    assert run_streamt("--rules", "rules", "rules", "check", cwd=rules.parent).raw == check(rules).raw


def test_a_folder_without_tables_is_not_checked(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()

    done = check(tmp_path / "rules")

    assert (done.exit_status, done.stdout) == (2, "")
    assert (
        done.stderr
        == "ERROR: E520_RULES_INVALID at rules: the directory of rule tables holds no *.yml file\n"
    )


def test_a_contract_beside_the_tables_is_the_one_that_they_cite(rules: Path) -> None:
    (rules.parent / "docs").mkdir()
    (rules.parent / "docs" / "contract.md").write_text("- **MAT-1.** A sentence.\n", "utf-8")

    findings = json.loads(check(rules, "--format", "json").stdout)["findings"]

    cited = {finding["id"].rpartition("/")[2] for finding in findings}
    assert {finding["check"] for finding in findings} == {"unknown-citation"}
    assert "MAT-1" not in cited
    assert "MAT-2" in cited
