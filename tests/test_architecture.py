"""The rooms of the house: which arrows exist, and which words may not be decisions in Python."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "streamt_ol"

ARROWS = {
    "checks": {"ground", "project", "compiler", "engine", "lineage", "services"},
    "cli": {"ground", "project", "compiler", "engine", "lineage", "governance", "review", "runs", "checks"}
    | {"deploy"},
    "compiler": {"ground", "project", "engine"},
    "deploy": {"ground", "project", "compiler", "engine", "lineage", "runs", "services"},
    "engine": {"ground"},
    "governance": {"ground", "project", "compiler", "engine"},
    "ground": set(),
    "lineage": {"ground", "project", "compiler", "engine"},
    "project": {"ground"},
    "review": {"ground", "engine", "lineage"},
    "runs": {"ground", "project", "compiler", "engine", "lineage", "services"},
    "services": {"ground", "engine", "project"},
}
"""Room to the rooms that it may import."""

FACE_ONLY = {"click"}
"""Libraries that only the face may know."""


def modules(room: str) -> list[Path]:
    return sorted((PACKAGE / room).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Return every module that a file imports, inside functions and type-checking blocks too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found |= {node.module or ""} | {f"{node.module}.{name.name}" for name in node.names}
    return found


def test_every_room_is_in_the_plan() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}

    assert rooms == set(ARROWS)


@pytest.mark.parametrize("room", ARROWS)
def test_a_room_imports_only_the_rooms_it_may(room: str) -> None:
    reached = {
        name.split(".")[1]
        for path in modules(room)
        for name in imported(path)
        if name.startswith("streamt_ol.") and (PACKAGE / name.split(".")[1]).is_dir()
    }

    assert reached - {room} <= ARROWS[room]


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """Return modules of which each is imported by the one before it, the last is the first; none is best."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as found:
        return list(reversed(found.args[1]))
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
    }
    arrows = {name: imported(path) & paths.keys() for name, path in paths.items()}

    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) in (["b", "c", "b"], ["c", "b", "c"])
    assert circle(arrows) == []


BENEATH = {
    "flink_sql": {"planning", "state", "applying", "recovery", "providers"},
    "providers": {"planning", "state", "applying", "recovery"},
    "state": {"planning", "providers", "applying", "recovery", "flink_sql"},
}
"""What parts of `deploy` know nothing of: a provider its service alone, a state what was written alone."""


@pytest.mark.parametrize("part", BENEATH)
def test_what_deployments_stand_on_knows_nothing_of_them(part: str) -> None:
    reached = {
        name.split(".")[2]
        for path in modules(f"deploy/{part}")
        for name in imported(path)
        if name.startswith("streamt_ol.deploy.")
    }

    assert reached & BENEATH[part] == set()


@pytest.mark.parametrize("room", sorted(set(ARROWS) - {"cli"}))
def test_only_the_face_knows_click(room: str) -> None:
    assert {
        path.name for path in modules(room) if {name.split(".")[0] for name in imported(path)} & FACE_ONLY
    } == set()


def decisions() -> set[str]:
    """Return the names of materializations and processes, as the vocabulary lists them."""
    domains = yaml.safe_load((ROOT / "rules" / "facts.yml").read_text("utf-8"))["domains"]
    return {
        word
        for name in ("materialization", "process", "namespace")
        for word in domains[name]
        if not word.startswith("$")
    } - {
        "none",
    }


@pytest.mark.parametrize("room", ["engine", "lineage"])
def test_no_materialization_process_or_namespace_is_a_word_of_the_mapping(room: str) -> None:
    words = decisions()
    used = {
        (path.name, node.value)
        for path in modules(room)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in words
    }

    assert words >= {"topic", "flink", "virtual_topic", "sink", "gateway", "connect", "kafka"}
    assert used == set()


def test_only_the_projection_reads_compiled_projects_for_the_mapping() -> None:
    holders = {"Graph", "CompiledModel", "Project", "Model", "Source"}
    reading = {
        path.name
        for path in modules("lineage")
        for name in imported(path)
        if name.rpartition(".")[0] in {"streamt_ol.compiler.records", "streamt_ol.project.records"}
        and name.rpartition(".")[2] in holders
    }

    assert reading == {"projection.py", "exporting.py"}


def test_the_engine_knows_no_streaming_word() -> None:
    text = "\n".join(path.read_text("utf-8").lower() for path in modules("engine"))

    assert [
        word for word in ("kafka", "flink", "gateway", "topic", "openlineage", "dataset") if word in text
    ] == []
