"""`streamt rules coverage`: approved traces against the rows of the tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Invoked, invoke

from streamt_ol.cli.face import Face
from streamt_ol.cli.rules_coverage import coverage

FACTS = """
vocabulary: pets
describes: words
domains: {animal: [cat, dog, fish], sound: [meow, woof, blub]}
records:
  pet: {at: pointer, animal: $animal}
"""
SOUNDS = """
table: sounds
decides: what a pet says
about: [pet]
hit: unique
inputs: [animal]
outputs: {sound: $sound}
rows:
  - {id: cat, when: {animal: cat}, then: {sound: meow}}
  - {id: dog, when: {animal: dog}, then: {sound: woof}}
  - {id: fish, when: {animal: fish}, then: {sound: blub}}
"""
EXEMPT = "sounds/fish: {test: tests/pets.py::test_a_fish, why: Nobody hears it.}\n"


def decision(row: str, table: str = "sounds", at: str = "/pets/0") -> str:
    return json.dumps({"at": at, "table": table, "row": row}) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a rule set in `rules`, and two cases in `golden` that fire a cat and a dog."""
    for name, text in (("facts.yml", FACTS), ("sounds.yml", SOUNDS)):
        (tmp_path / "rules").mkdir(exist_ok=True)
        (tmp_path / "rules" / name).write_text(text, "utf-8")
    trace(tmp_path, "farm/more", decision("cat") + decision("cat", at="/pets/1") + decision("dog"))
    trace(tmp_path, "attic/export", decision("cat"))
    return tmp_path


def trace(folder: Path, run: str, lines: str, golden: str = "golden") -> Path:
    case, _slash, name = run.partition("/")
    path = folder / golden / case / "expected" / f"{name}.trace.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lines, "utf-8")
    return path


def measure(folder: Path, *arguments: str | Path, output: str = "text") -> Invoked:
    face = Face(rules=folder / "rules", output=output)
    return invoke(coverage, *(arguments or [folder / "golden"]), face=face)


def test_a_row_that_never_fires_is_an_error_and_the_others_are_counted(
    folder: Path,
) -> None:
    done = measure(folder)

    assert done.exit_status == 1
    assert done.stdout == (
        "sounds: 2 of 3 rows are fired\n"
        "  cat   2 runs, such as attic/export\n"
        "  dog   1 run, such as farm/more\n"
        "  fish  never (sounds.yml:11)\n"
        "\n"
        "2 of 3 rows are fired by 2 golden runs, 0 by tests, 1 by none\n"
    )
    assert done.stderr == (
        f"ERROR: E167_ROW_NEVER_FIRES ({folder}/rules/sounds.yml:11): "
        "row 'fish' of table 'sounds' is fired by no golden run\n"
    )


def test_the_document_says_the_same(folder: Path) -> None:
    done = measure(folder, folder / "golden", "--format", "json")

    assert done.exit_status == 1
    assert done.document == {
        "tables": [
            {
                "table": "sounds",
                "rows": [
                    {"row": "cat", "file": "sounds.yml", "line": 9, "runs": 2, "sample": "attic/export"},
                    {"row": "dog", "file": "sounds.yml", "line": 10, "runs": 1, "sample": "farm/more"},
                    {"row": "fish", "file": "sounds.yml", "line": 11, "runs": 0},
                ],
            }
        ],
        "never": [{"table": "sounds", "row": "fish", "file": "sounds.yml", "line": 11, "cites": []}],
        "stale": [],
        "counts": {"traces": 2, "rows": 3, "fired": 2, "proved_by_tests": 0, "never": 1},
    }
    envelope = measure(folder, output="json").document
    assert (envelope["status"], envelope["data"]) == ("error", done.document)
    assert [error["code"] for error in envelope["errors"]] == ["E167_ROW_NEVER_FIRES"]


def test_an_exception_names_the_test_that_fires_a_row_instead(folder: Path) -> None:
    (folder / "golden" / "coverage.yml").write_text(EXEMPT, "utf-8")
    done = measure(folder)

    assert (done.exit_status, done.stderr) == (0, "")
    assert "  fish  a test: tests/pets.py::test_a_fish\n" in done.stdout
    assert done.stdout.endswith("\n2 of 3 rows are fired by 2 golden runs, 1 by tests, 0 by none\n")


def test_several_folders_are_measured_as_one(folder: Path) -> None:
    trace(folder, "sea/export", decision("fish"), golden="more")

    assert measure(folder, folder / "golden", folder / "more").exit_status == 0


def test_golden_is_the_folder_that_is_read_by_default(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "golden" / "coverage.yml").write_text(EXEMPT, "utf-8")
    monkeypatch.chdir(folder)

    assert invoke(coverage, face=Face(rules=folder / "rules")).exit_status == 0


@pytest.mark.parametrize(("table", "row"), [("sounds", "bird"), ("songs", "cat")])
def test_a_trace_of_a_row_that_no_table_has_is_an_error_at_its_line(
    folder: Path, table: str, row: str
) -> None:
    (folder / "golden" / "coverage.yml").write_text(EXEMPT, "utf-8")
    path = trace(folder, "zoo/export", decision("cat") + decision(row, table))
    done = measure(folder)

    assert done.exit_status == 1
    assert done.stderr == f"ERROR: E168_TRACE_STALE ({path}:2): no table '{table}' has a row '{row}'\n"
    stale = measure(folder, folder / "golden", "--format", "json").document["stale"]
    assert stale == [{"table": table, "row": row, "file": str(path), "line": 2}]


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        ("sounds/bird", "no table 'sounds' has a row 'bird'"),
        ("sounds/cat", "'sounds/cat' is fired by golden run attic/export"),
    ],
)
def test_an_exception_without_need_is_an_error_at_its_line(
    folder: Path, exception: str, message: str
) -> None:
    path = folder / "golden" / "coverage.yml"
    path.write_text(EXEMPT + EXEMPT.replace("sounds/fish", exception), "utf-8")
    done = measure(folder)

    assert done.exit_status == 1
    location = "/" + exception.replace("/", "~1")
    assert done.stderr == f"ERROR: E169_COVERAGE_EXCEPTION_STALE at {location} ({path}:2:1): {message}\n"


@pytest.mark.parametrize("line", ["{", "[]", '{"table": "sounds"}', "7"])
def test_a_trace_that_cannot_be_understood_leaves_nothing_measured(folder: Path, line: str) -> None:
    path = trace(folder, "zoo/export", f"{decision('cat')}{line}\n")
    done = measure(folder)

    assert (done.exit_status, done.stdout) == (2, "")
    message = "a line of a trace is an object with `table` and `row`"
    assert done.stderr == f"ERROR: E166_TRACE_UNREADABLE ({path}:2): {message}\n"


def test_a_folder_without_traces_leaves_nothing_measured(folder: Path) -> None:
    done = measure(folder, folder / "rules")

    assert done.exit_status == 2
    assert (
        f"E166_TRACE_UNREADABLE at golden ({folder}/rules): {folder}/rules has no approved traces"
        in done.stderr
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("sounds: {test: a, why: b}\n", "at /sounds ({path}:1:1)"),
        ("a/b: {test: a, why: b}\nsounds/fish: {test: a}\n", "at /sounds~1fish ({path}:2:1)"),
        ("sounds/fish: {test: a, why: 7}\n", "at /sounds~1fish ({path}:1:1)"),
        ("sounds/fish: why\n", "at /sounds~1fish ({path}:1:1)"),
        ("[sounds/fish]\n", "({path})"),
        ("{\n", "({path}:2:1)"),
    ],
)
def test_exceptions_that_cannot_be_understood_leave_nothing_measured(
    folder: Path, text: str, place: str
) -> None:
    path = folder / "golden" / "coverage.yml"
    path.write_text(text, "utf-8")
    done = measure(folder)

    assert (done.exit_status, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ERROR: E166_TRACE_UNREADABLE {place.format(path=path)}: ")
