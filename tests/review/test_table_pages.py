"""`streamt rules show`, and the reference that is generated from the same pages."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from commands import invoke
from golden_cases import ROOT

from streamt_ol.cli.documents import paper
from streamt_ol.cli.face import Face
from streamt_ol.cli.rules_show import show
from streamt_ol.engine.ruleset import load_rules
from streamt_ol.review.tables.rule_files import RuleFiles
from streamt_ol.review.tables.sheets import Line, Sheet, flow, sheets
from streamt_ol.review.tables.table_pages import page
from streamt_ol.review.tables.table_text import markdown, terminal

FACTS = """
vocabulary: pets
describes: words
domains: {animal: [cat, dog], sound: [meow, woof]}
records:
  pet: {at: pointer, name: text, animal: $animal, loud: $boolean}
"""
SOUNDS = """
table: sounds
decides: what a pet says | and how
about: [pet]
hit: first
inputs: [animal, loud]
outputs: {sound: $sound, "message?": message}
rows:
  - id: loud-dog
    when: {animal: dog, loud: true}
    then: {sound: woof, message: "`{name}` *barks* | once"}
    cites: [DS-1, NO-1]
  - {id: anybody, then: {sound: meow}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "facts.yml").write_text(FACTS, "utf-8")
    (tmp_path / "sounds.yml").write_text(SOUNDS, "utf-8")
    return tmp_path


@pytest.fixture
def files(folder: Path) -> RuleFiles:
    return RuleFiles(load_rules(folder))


def test_a_table_is_a_page_of_its_policy_inputs_rows_and_what_they_cite(files: RuleFiles) -> None:
    assert page(files, "sounds") == {
        "table": "sounds",
        "file": "sounds.yml",
        "decides": "what a pet says | and how",
        "about": ["pet"],
        "hit": "first",
        "inputs": {"animal": {"pet": ["cat", "dog"]}, "loud": {"pet": [True, False]}},
        "outputs": {"sound": "$sound", "message?": "message"},
        "rows": [
            {
                "id": "loud-dog",
                "line": 9,
                "when": {"animal": ["dog"], "loud": [True]},
                "then": {"sound": "woof", "message": "`{name}` *barks* | once"},
                "cites": ["DS-1", "NO-1"],
            },
            {"id": "anybody", "line": 13, "when": {}, "then": {"sound": "meow"}, "cites": []},
        ],
        "statements": {
            "DS-1": "Every source, and every model with an output, is exactly one DatasetEvent; nothing else is one."
        },
    }


def test_the_text_of_a_table_shows_the_same_at_the_width_asked_for(files: RuleFiles) -> None:
    shown = terminal(sheets(page(files, "sounds")), 60, colour=False)

    assert shown == (
        "sounds: what a pet says | and how\n"
        "\n"
        "file             sounds.yml\n"
        "asked about      pet\n"
        "hit policy       first: the first row that matches\n"
        "input animal     cat, dog\n"
        "input loud       true, false\n"
        "output sound     $sound\n"
        "output message?  message\n"
        "\n"
        "row        when          then                     cites\n"
        "────────────────────────────────────────────────────────────\n"
        "loud-dog   animal: dog   sound: woof              DS-1, NO-1\n"
        "           loud: true    message: `{name}`\n"
        "                         *barks* | once\n"
        "\n"
        "anybody    always        sound: meow\n"
        "\n"
        "DS-1  Every source, and every model with an output, is\n"
        "      exactly one DatasetEvent; nothing else is one.\n"
    )


def test_the_markdown_of_a_table_escapes_what_would_break_it(files: RuleFiles) -> None:
    shown = markdown(sheets(page(files, "sounds")), level=2)

    assert shown.startswith("## `sounds`\n\nWhat a pet says | and how.\n\n- file: `sounds.yml`\n")
    assert (
        "| row | when | then | cites |\n"
        "|---|---|---|---|\n"
        "| `loud-dog` | animal: `dog`<br>loud: `true` "
        "| sound: `woof`<br>message: `{name}` \\*barks\\* \\| once | DS-1, NO-1 |\n"
        "| `anybody` | always | sound: `meow` |  |\n"
    ) in shown


def test_a_pattern_stands_where_a_condition_would(tmp_path: Path) -> None:
    shown = invoke(show, "sql-shapes", "--format", "markdown").stdout

    assert "| `window-function` | pattern: `\\b(TUMBLE\\|HOP\\|SESSION\\|CUMULATE)\\s*\\(` |" in shown


def test_an_input_that_differs_by_record_shows_whose_values_are_whose() -> None:
    shown = invoke(show, "datasets").stdout

    assert re.search(r"input output +none \(source\); none, kafka, gateway \(model\)\n", shown)


def test_a_body_is_shown_as_its_author_spelled_it() -> None:
    (row,) = [
        row
        for row in invoke(show, "facets", "--format", "json").document["rows"]
        if row["id"] == "dataset-ownership"
    ]

    assert row["then"] == {"facet": "ownership", "body": {"owners": [{"name": "$owner?"}]}}


@pytest.mark.parametrize(
    ("value", "line"),
    [("a: b", "a: b"), (True, "true"), (7, "7"), (["x", True], "[x, true]"), ({"some": "$x"}, "{some: $x}")],
)
def test_a_value_is_one_line_of_yaml(value: object, line: str) -> None:
    assert flow(value) == line


def test_a_catalogue_is_shown_entry_by_entry() -> None:
    document = invoke(show, "bounds", "--format", "json").document

    assert document["catalogue"] == "bounds"
    assert document["entries"]["topic_name"] == {
        "limit": 249,
        "reason": "the longest topic name that Kafka accepts",
    }
    assert "topic_name    limit: 249\n" in invoke(show, "bounds").stdout


def test_without_a_name_all_tables_and_catalogues_are_listed_with_what_they_decide() -> None:
    rules = load_rules(ROOT / "rules")
    shown = invoke(show)

    assert shown.exit_status == 0
    index = invoke(show, "--format", "json").document["index"]
    assert [table["name"] for table in index["tables"]] == sorted(rules.tables)
    assert [entry["name"] for entry in index["catalogues"]] == sorted(rules.catalogues)
    words = [line.split(maxsplit=2) for line in shown.stdout.splitlines()]
    assert ["columns", "unique", "which declared columns describe the dataset"] in words


def test_an_unknown_table_is_an_error_with_the_nearest_name() -> None:
    done = invoke(show, "facet")

    assert (done.exit_status, done.stdout) == (1, "")
    assert done.stderr == (
        "ERROR: E145_TABLE_NOT_FOUND at table: the rule set has no table or catalogue 'facet'\n"
        "  did you mean 'facets'?\n"
    )
    assert invoke(show, "zzz").stderr.endswith("\n  `streamt rules show` lists them all\n")


def test_other_rules_are_shown_when_they_are_asked_for(folder: Path) -> None:
    by_the_global_option = invoke(show, "sounds", face=Face(rules=folder))

    assert by_the_global_option.stdout.startswith("sounds: what a pet says")
    assert invoke(show, "sounds", "--rules", folder).stdout == by_the_global_option.stdout


def test_json_mode_holds_the_document_of_the_json_format() -> None:
    envelope = invoke(show, "bounds", face=Face(output="json")).document

    assert (envelope["status"], envelope["command"]) == ("ok", "rules show")
    assert envelope["data"] == invoke(show, "bounds", "--format", "json").document


@pytest.mark.parametrize(
    ("columns", "width"), [(None, 100), ("", 100), ("0", 100), ("wide", 100), ("72", 72), ("240", 240)]
)
def test_what_is_no_terminal_is_plain_and_as_wide_as_columns_says(
    monkeypatch: pytest.MonkeyPatch, columns: str | None, width: int
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)

    assert paper() == (width, False)


class Terminal:
    """A stdout that is a terminal, as far as anybody asks it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("no_color", "colour"), [(None, True), ("", True), ("1", False)])
def test_a_terminal_shows_colours_unless_it_shall_not(
    monkeypatch: pytest.MonkeyPatch, no_color: str | None, *, colour: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("COLUMNS", "81")
    monkeypatch.setattr("sys.stdout", Terminal())

    assert paper() == (81, colour)


def test_colours_change_no_character_of_the_text() -> None:
    sheet = Sheet(
        "t", "s", [Line("f", "[red]v[/red] :smile: 12")], ("a", "b"), [[[Line("", "x")], [Line("n", "v")]]]
    )
    plain, coloured = (terminal([sheet], 40, colour=colour) for colour in (False, True))

    assert "\x1b[36m" in coloured
    assert "\x1b" not in plain
    assert "[red]v[/red] :smile: 12\n" in plain
    uncoloured = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines()]
    assert uncoloured == plain.splitlines()


def test_no_environment_variable_of_the_library_changes_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    before = invoke(show, "texts").stdout
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "JUPYTER_COLUMNS", "LINES"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("TERM", "dumb")

    assert invoke(show, "texts").stdout == before


# The reference


@pytest.fixture
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("document_tables", ROOT / "tools" / "document_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_of_all_tables_is_that_of_the_tables(generator: ModuleType) -> None:
    assert generator.main(["--check"]) == 0, "docs/tables.md is stale: run make docs"


def test_the_reference_has_a_section_per_table_and_catalogue(generator: ModuleType) -> None:
    rules = load_rules(ROOT / "rules")
    sections = re.findall(r"^## `(.*)`$", generator.PAGE.read_text("utf-8"), re.MULTILINE)

    assert sections == [*sorted(rules.tables), *sorted(set(rules.catalogues) - {"diagnostics"})]


def test_a_stale_reference_is_noticed_and_made_anew(
    generator: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generator.RULES, generator.PAGE = tmp_path / "rules", tmp_path / "tables.md"
    shutil.copytree(ROOT / "rules", generator.RULES)
    assert generator.main(["--check"]) == 1
    assert generator.main([]) == 0
    assert generator.main(["--check"]) == 0
    texts = generator.RULES / "texts.yml"
    texts.write_text(texts.read_text("utf-8").replace("id: only-white-space", "id: blank"), "utf-8")

    assert generator.main(["--check"]) == 1
    assert capsys.readouterr().out == "tables.md is stale: run make docs\n" * 2
