"""Which files are read, in which order, and what cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from streamt_ol.ground.errors import Place
from streamt_ol.ground.yaml_errors import YamlError
from streamt_ol.project.errors import (
    FileUnreadableError,
    FolderFileShapeError,
    MainFileMissingError,
    WrongTypeError,
)
from streamt_ol.project.load import load_project

MAIN = 'project: {name: %s}\nruntime: {kafka: {bootstrap_servers: "b:1"}}\n'


def source(*names: str) -> str:
    return "sources:\n" + "".join(f"  - {{name: {name}, topic: t.{name}}}\n" for name in names)


def test_yml_is_read_before_yaml(folder):
    directory = folder({"stream_project.yml": MAIN % "first", "stream_project.yaml": MAIN % "second"})
    loaded = load_project(directory, environment=None, process_environment={}, materializations=())

    assert loaded.project.name == "first"


def test_yaml_is_read_where_yml_is_absent(folder):
    directory = folder({"stream_project.yaml": MAIN % "second"})
    loaded = load_project(directory, environment=None, process_environment={}, materializations=())

    assert loaded.project.name == "second"


def test_folders_above_are_not_searched(folder):
    directory = folder({"stream_project.yml": MAIN % "above", "below/x.txt": ""}) / "below"

    with pytest.raises(MainFileMissingError) as caught:
        load_project(directory, environment=None, process_environment={}, materializations=())
    assert caught.value.location == "project_dir"
    assert caught.value.place == Place("stream_project.yml")


def test_folder_files_follow_the_main_file_sorted_by_name_within_each_ending(load):
    files = {
        "sources/b.yml": source("b"),
        "sources/a.yaml": source("a"),
        "sources/.hidden.yml": source("dot"),
        "sources/B.yml": source("upper"),
        "sources/deep/c.yml": source("not_recursive"),
        "sources/d.yml.bak": source("other_ending"),
    }
    names = [entry.name for entry in load(source("main"), files).project.sources]

    assert names == ["main", "dot", "upper", "b", "a"]


def test_all_four_sections_have_folders(load):
    project = load(
        files={
            "sources/a.yml": source("s"),
            "models/a.yml": "models: [{name: m}]",
            "tests/a.yml": "tests: [{name: t, model: m, type: schema}]",
            "exposures/a.yml": "exposures: [{name: e, type: api}]",
        }
    ).project

    assert [len(part) for part in (project.sources, project.models, project.tests, project.exposures)] == [
        1
    ] * 4
    assert project.document["tests"] == [{"name": "t", "model": "m", "type": "schema"}]


@pytest.mark.parametrize("content", ["", "# only a comment\n", "---\n", "\ufeff", "sources: []"])
def test_an_empty_folder_file_is_fine(load, content):
    assert load(files={"sources/a.yml": content}).project.sources == ()


@pytest.mark.parametrize("key", ["apiVersion", "models", "project", "udfs"])
def test_a_folder_file_may_hold_only_its_own_key(failure, key):
    error = failure(files={"sources/a.yml": f"sources: []\n{key}: []\n"})

    assert type(error) is FolderFileShapeError
    assert error.location == f"/{key}"
    assert error.place == Place("sources/a.yml", 2, 1)


@pytest.mark.parametrize(("content", "read"), [("sources:", "null"), ("sources: {name: a}", "a mapping")])
def test_the_section_of_a_folder_file_must_be_a_list(failure, content, read):
    error = failure(files={"sources/a.yml": content})

    assert error.message == f"`sources` must be a list, but YAML read {read}"
    assert error.location == "/sources"
    assert error.place.file == "sources/a.yml"


@pytest.mark.parametrize("main", ["- a\n", "text\n"])
def test_the_root_of_the_main_file_must_be_a_mapping(failure, main):
    error = failure(main=main)

    assert type(error) is WrongTypeError
    assert (error.location, error.place) == ("", Place("stream_project.yml", 1, 1))


@pytest.mark.parametrize("main", ["", "# nothing\n"])
def test_an_empty_main_file_lacks_project_and_runtime(failures, main):
    assert [(error.code, error.location) for error in failures(main=main)] == [
        ("E501_PARSE_ERROR", "/project"),
        ("E501_PARSE_ERROR", "/runtime"),
    ]


def test_a_yaml_error_in_a_folder_file_has_its_index_in_the_merged_list(failure):
    error = failure(source("a", "b"), {"sources/x.yml": "sources:\n  - {name: c, topic: t, name: d}\n"})

    assert error.location == "/sources/2/name"
    assert (error.place.file, error.place.line) == ("sources/x.yml", 2)


def test_a_yaml_error_in_a_section_that_is_no_list_keeps_its_location(failure):
    assert failure(files={"sources/x.yml": "sources: {a: 1, a: 2}\n"}).location == "/sources/a"


@pytest.mark.parametrize(
    "main", ["a: [\n", "a: 1\n---\nb: 2\n", "a: !env X\n", "a: 1\na: 2\n", "1: 2\n", b"a: \xff\n"]
)
def test_a_file_that_is_no_yaml_is_refused_with_its_place(failure, main):
    error = failure(main=main)

    assert error.code == "E501_PARSE_ERROR"
    assert error.location is not None
    assert error.place.file == "stream_project.yml"
    assert error.place.line is not None


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.parametrize("make", [make_fifo, Path.mkdir, make_dangling_link, make_loop])
@pytest.mark.parametrize(
    ("name", "location"),
    [("models/x.yml", "/models"), ("stream_project.yml", ""), (".env", "dotenv"), ("environments/e.yml", "")],
)
def test_what_is_no_regular_file_is_refused_at_once(folder, make, name, location):
    directory = folder({"stream_project.yml": MAIN % "p", "models/a.txt": "", "environments/a.txt": ""})
    if not name.startswith("environments"):
        (directory / "environments" / "a.txt").unlink()
        (directory / "environments").rmdir()
    path = directory / name
    path.unlink(missing_ok=True)
    make(path)

    with pytest.raises(FileUnreadableError) as caught:
        load_project(
            directory,
            environment="e" if name.startswith("environments") else None,
            process_environment={},
            materializations=(),
        )
    assert caught.value.location == location
    assert caught.value.place == Place(name)


def test_a_link_to_a_regular_file_is_followed(load, tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "x.yml").symlink_to("../real")

    assert [model.name for model in load(files={"real": "models: [{name: m}]"}).project.models] == ["m"]


def test_a_file_without_permission_is_refused(failure, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "x.yml").touch(mode=0)

    assert type(failure()) is FileUnreadableError


def test_files_and_folders_of_the_other_kind_are_no_sections(load):
    project = load(
        files={"sources": "a plain file", "environments": "a plain file", "macros/x.yml": "[["}
    ).project

    assert (project.sources, project.environment.name) == ((), "default")


def test_a_file_name_that_is_no_text_can_be_shown(folder):
    directory = folder({"stream_project.yml": MAIN % "p", "models/a.txt": ""})
    try:
        (directory / "models" / os.fsdecode(b"\xff.yml")).write_text("[")
    except OSError:
        pytest.skip("the file system takes text only")

    with pytest.raises(YamlError) as caught:
        load_project(directory, environment=None, process_environment={}, materializations=())
    assert caught.value.place.file == "models/\\udcff.yml"
