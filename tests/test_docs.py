"""What the pages show and list is true: examples, options, variables, keys, tables, arrows, links."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import orjson
import pytest
from doc_examples import examples, mismatches

from streamt_ol.cli.app import streamt

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if examples(page.read_text("utf-8"))]
FOREIGN_OPTIONS = {"--snapshot-update"}
"""Options of other programs that pages mention."""

ROWS_ON_ONE_LINE = {"tables.md"}
"""Generated pages: a row of a Markdown table cannot be wrapped."""

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def name_of(page: Path) -> str:
    return page.name


def prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    return FENCED.sub("", page.read_text("utf-8"))


def words(text: str) -> set[str]:
    """Return the words that stand in code spans."""
    return {word for span in CODE.findall(text) for word in re.findall(r"[A-Za-z][A-Za-z0-9_-]*", span)}


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Examples


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_every_example_of_a_page_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    assert [str(mismatch) for mismatch in mismatches(page.read_text("utf-8"), tmp_path)] == []


def test_the_pages_that_teach_have_examples() -> None:
    assert {page.name for page in WITH_EXAMPLES} >= {
        "README.md",
        "quickstart.md",
        "commands.md",
        "rule-tables.md",
    }


@pytest.mark.parametrize(
    ("shown", "exit_status"),
    [("3\n", ""), ("2\n", " exit=1"), ("[...]3\n", "")],
    ids=["text", "status", "elision"],
)
def test_an_example_that_is_wrong_is_noticed(tmp_path: Path, shown: str, exit_status: str) -> None:
    page = f"<!-- run: .{exit_status} -->\n```console\n$ echo 2\n{shown}```\n"

    assert [mismatch.printed for mismatch in mismatches(page, tmp_path)] == ["2\n"]


def test_the_example_of_the_document_is_the_golden_one() -> None:
    shown = [
        block.text
        for block in examples((DOCS / "quickstart.md").read_text("utf-8"))
        if "payments" in block.where
    ]

    assert shown[0] == (ROOT / "golden/payments/project/stream_project.yml").read_text("utf-8")


# Commands


def commands(group: click.Group = streamt, path: str = "streamt") -> Iterator[tuple[str, click.Command]]:
    """Yield the words of every command that does something, and the program itself for the global options."""
    yield path, group
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from list(commands(command, f"{path} {name}"))[1:]
        elif command is not None:
            yield f"{path} {name}", command


COMMANDS = dict(commands())


def options(command: click.Command) -> set[str]:
    """Return the options of a command and those of help, which every command has from the program.

    Click makes the help option when a command first runs, and keeps it: what it is then depends on who ran it.
    """
    return {"--help", "-h"} | {
        option
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
    }


@pytest.mark.parametrize("path", COMMANDS)
def test_the_section_of_a_command_lists_exactly_its_options(path: str) -> None:
    text = (DOCS / "commands.md").read_text("utf-8")
    section = text.partition(f"\n## `{path}`\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`-[^|]*) \|", section, re.MULTILINE)

    assert {
        option for row in rows for span in CODE.findall(row) for option in OPTION.findall(span)
    } == options(COMMANDS[path])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_names_an_option_that_does_not_exist(page: Path) -> None:
    known = {option for command in COMMANDS.values() for option in options(command)} | FOREIGN_OPTIONS
    spans = [span.split()[0].partition("=")[0] for span in CODE.findall(prose(page))]
    named = {span for span in spans if OPTION.fullmatch(span) and span.startswith("--")}
    typed = {
        option
        for line in re.findall(r"^(?:\$ .*)?\bstreamt [^\n|]*", page.read_text("utf-8"), re.MULTILINE)
        for option in re.findall(r"(?<= )--[a-z-]+", line.partition("streamt ")[2])
    }

    assert (named | typed) - known == set()


def test_every_environment_variable_that_the_program_reads_is_documented() -> None:
    sources = [*(ROOT / "streamt_ol").rglob("*.py"), *(ROOT / "rules").glob("*.yml")]
    read = {
        name
        for source in sources
        for name in re.findall(r"\b(?:STREAMT|OPENLINEAGE|SOURCE)_[A-Z_]*[A-Z]\b", source.read_text("utf-8"))
    }
    section = (DOCS / "commands.md").read_text("utf-8").partition("\n## Environment variables\n")[2]
    rows = set(re.findall(r"^\| `([A-Z_]+)` \|", section.partition("\n## ")[0], re.MULTILINE))

    assert rows == read


# The language


def keys_of(schema: Any) -> Iterator[str]:
    """Yield every property name of a JSON Schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield from schema["properties"]
        for part in schema.values():
            yield from keys_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from keys_of(part)


@pytest.mark.parametrize("name", ["v1alpha1.schema.json", "environment.schema.json"])
def test_every_key_of_the_language_is_described(name: str) -> None:
    schema = orjson.loads((ROOT / "schemas" / "project" / name).read_bytes())

    assert set(keys_of(schema)) - words(prose(DOCS / "project-language.md")) == set()


def test_every_filter_that_templates_may_use_is_listed() -> None:
    from streamt_ol.compiler.template_offer import COLLECTION_FILTERS, TEXT_FILTERS

    offered = {*COLLECTION_FILTERS, *TEXT_FILTERS, "indent", "join", "replace", "round", "sum"}
    row = prose(DOCS / "project-language.md").partition("\n| filters | ")[2].partition("\n| tests | ")[0]

    assert set(CODE.findall(row)) == offered


# Rule tables


def test_the_table_language_is_described_whole() -> None:
    language = orjson.loads((ROOT / "schemas" / "tables" / "tables.schema.json").read_bytes())["$defs"]
    types = language["type"]["anyOf"][0]["enum"]
    policies = language["table"]["properties"]["hit"]["enum"]

    keys = {key for kind in ("vocabulary", "catalogue", "table") for key in keys_of(language[kind])}
    page = (DOCS / "rule-tables.md").read_text("utf-8")
    documented = words(page) | set(re.findall(r"^ *(\w+):", page, re.MULTILINE))

    assert {*types, *policies, *keys} - documented == set()


def test_the_page_of_diagnostics_is_that_of_the_catalogue() -> None:
    assert tool("document_diagnostics").main(["--check"]) == 0


def test_a_stale_page_of_diagnostics_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = tool("document_diagnostics")
    module.PAGE = tmp_path / "diagnostics.md"
    shutil.copy(DOCS / "diagnostics.md", module.PAGE)
    module.PAGE.write_text(module.PAGE.read_text("utf-8").replace("E101", "E999"), "utf-8")

    assert module.main(["--check"]) == 1
    assert "is stale" in capsys.readouterr().out
    assert module.main([]) == 0
    assert module.PAGE.read_text("utf-8") == (DOCS / "diagnostics.md").read_text("utf-8")


# Architecture


def test_the_arrows_of_the_page_are_those_that_are_kept() -> None:
    spec = importlib.util.spec_from_file_location("kept_arrows", ROOT / "tests" / "test_architecture.py")
    assert spec is not None
    assert spec.loader is not None
    kept = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kept)
    section = (
        (DOCS / "architecture.md").read_text("utf-8").partition("\n## Arrows\n")[2].partition("\n## ")[0]
    )
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE)

    assert {room: set(CODE.findall(imported)) for room, imported in rows} == kept.ARROWS


def test_every_file_that_a_page_names_exists() -> None:
    folders = [ROOT, ROOT / "streamt_ol", ROOT / "golden" / "payments"]
    named = {
        (page.name, span)
        for page in (DOCS / "architecture.md", DOCS / "rule-tables.md", ROOT / "README.md")
        for span in CODE.findall(prose(page))
        if re.fullmatch(r"[a-z_]+/[a-z_/-]*(\.[a-z]+)?", span)
    }

    assert {
        (page, name) for page, name in named if not any((folder / name).exists() for folder in folders)
    } == set()


# All pages


def anchors(page: Path) -> set[str]:
    """Return the anchors that a reader of the rendered page can jump to."""
    headings = HEADING.findall(prose(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(prose(page)):
        if target.startswith("http"):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(target)

    assert broken == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in ROWS_ON_ONE_LINE], ids=name_of)
def test_lines_have_at_most_120_characters(page: Path) -> None:
    # The name of a proof is one word, however long: it cannot be broken.
    lines = [line for line in prose(page).splitlines() if " " in line.strip().removeprefix("Proof: ")]
    long = [line for line in lines if len(line) > 120]

    assert long == []


def test_every_page_is_linked_from_the_readme() -> None:
    linked = {target.partition("#")[0] for target in LINK.findall((ROOT / "README.md").read_text("utf-8"))}

    assert {f"docs/{page.name}" for page in DOCS.glob("*.md")} | {"CHANGELOG.md"} <= linked


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE))

    assert named <= targets
