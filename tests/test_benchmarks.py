"""The benchmarks measure what they say: the projects, the floor, the client, the arithmetic. No test looks at times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from benchmarks import page, parts
from benchmarks.client import left_out, serialized
from benchmarks.goals import Goal, growth
from benchmarks.processes import PROGRAM, Command, CommandFailedError, Cost, Runs, in_turns, run
from benchmarks.projects import SHAPES, Design
from benchmarks.results import EXPORT, FLOOR, PAUSED, Client, Exported, Results, Stages, load, save
from benchmarks.tables import TABLES, all_tables, table

ROOT = Path(__file__).resolve().parents[1]
EMPTY: list[Any] = [{}, []]


def exported(design: Design) -> bytes:
    """Return the export of a generated project."""
    with parts.written(design) as (folder, scratch):
        run(parts.export(folder, scratch / "events.jsonl"))
        return (scratch / "events.jsonl").read_bytes()


# Projects


@pytest.mark.parametrize(
    ("shape", "reads"),
    [
        ("chain", {0: [], 1: [0], 2: [1], 19: [18]}),
        ("fan-out", {0: [], 1: [0], 2: [0], 19: [0]}),
        ("fan-in", {0: [], 1: [], 18: [], 19: list(range(19))}),
        ("layers", {0: [], 1: [], 2: [0, 1], 3: [1, 0], 19: [17, 16]}),
    ],
)
def test_a_shape_says_which_models_a_model_reads(shape: Any, reads: dict[int, list[int]]) -> None:
    assert {number: list(Design(20, shape).reads(number)) for number in reads} == reads


def test_a_model_of_wide_layers_reads_three() -> None:
    assert list(Design(100).reads(29)) == [19, 10, 11]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_export_of_a_shape_has_its_edges(shape: Any) -> None:
    design = Design(20, shape)
    events = [orjson.loads(line) for line in exported(design).splitlines()]
    jobs = {event["job"]["name"]: event for event in events if "job" in event}

    assert len(events) == design.events == 41
    for number in range(20):
        inputs = {read["name"] for read in jobs[f"streamt/generated/models/model_{number}"]["inputs"]}
        assert inputs == ({f"generated.{read}.v1" for read in design.reads(number)} or {"generated.raw"})


@pytest.mark.parametrize(
    "other", [Design(20, files="each"), Design(20, macros=True)], ids=lambda design: design.variation
)
def test_the_layers_give_the_same_events_however_they_are_written(other: Design) -> None:
    assert exported(other) == exported(Design(20))


def test_columns_are_those_that_were_asked_for() -> None:
    event = orjson.loads(exported(Design(1, columns=200)).splitlines()[0])

    assert [field["name"] for field in event["dataset"]["facets"]["schema"]["fields"]] == [
        f"c{number}" for number in range(200)
    ]


# The floor


def test_the_floor_writes_the_bytes_of_the_export_and_says_what_to_deduct(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    Design(20, files="each").write(tmp_path / "project")
    (tmp_path / "events.jsonl").write_bytes(exported(Design(20)))

    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "floor.py", tmp_path / "project", tmp_path / "events.jsonl"],
        capture_output=True,
        check=True,
    )

    assert done.stdout == (tmp_path / "events.jsonl").read_bytes()
    assert len([float(number) for number in done.stderr.split()]) == 2


def test_a_floor_that_writes_other_bytes_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(_folder: Path, _events: Path, output: Path, *_options: str) -> Command:
        return Command([sys.executable, "-c", "print('another event')"], output)

    monkeypatch.setattr(parts, "_floor", other)

    with pytest.raises(parts.DifferentBytesError):
        parts.exported(Design(5), 1)


# The client


def without_empty(value: Any, path: str, dropped: set[str]) -> Any:
    """Return plain data without empty values, and note where they were."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if inner in EMPTY:
                dropped.add(f"{path}.{key}")
        return {
            key: without_empty(inner, f"{path}.{key}", dropped)
            for key, inner in value.items()
            if inner not in EMPTY
        }
    if isinstance(value, list):
        return [without_empty(inner, path, dropped) for inner in value]
    return value


def test_the_client_says_what_the_export_says_but_for_empty_values() -> None:
    events = [orjson.loads(line) for line in exported(Design(20)).splitlines()]
    dropped: set[str] = set()

    said = [without_empty(json.loads(serialized(event)), "", dropped) for event in events]

    assert said == events
    assert dropped == {
        ".dataset.facets.schema.fields.fields",
        ".inputs.facets",
        ".inputs.inputFacets",
        ".outputs.facets",
        ".outputs.outputFacets",
    }
    assert [name for event in events for name in left_out(event)] == []


def test_a_facet_that_the_client_has_no_class_for_is_left_out_and_named() -> None:
    event = orjson.loads(exported(Design(1)).splitlines()[0])
    event["dataset"]["facets"]["x_retention"] = {"days": 7}

    assert left_out(event) == ["dataset x_retention"]
    assert "x_retention" not in serialized(event)


# Processes


def test_the_peak_of_a_process_is_its_own_and_not_that_of_its_parent() -> None:
    large = bytearray(300 * 1024 * 1024)

    assert run(Command([sys.executable, "-c", "pass"])).mebibytes < 100
    assert run(Command([sys.executable, "-c", "bytearray(100 * 1024 * 1024)"])).mebibytes > 100
    assert len(large) == 300 * 1024 * 1024


def test_what_a_process_says_it_deducts_is_deducted() -> None:
    says = [sys.executable, "-c", "import sys; sys.stderr.write('1000 2000')"]

    cost = run(Command(says, deducts=True))

    assert -1000 < cost.seconds < -900
    assert -2000 < cost.cpu < -1900


def test_a_process_gets_a_bare_environment_in_which_bytecode_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("STREAMT_ENV", "prod")
    shown = "import os, sys; print(sys.dont_write_bytecode, *sorted(os.environ.keys() - {'LC_CTYPE'}))"

    run(Command([sys.executable, "-c", shown], tmp_path / "output"))

    assert (tmp_path / "output").read_text("utf-8") == "False PATH\n"


def test_a_command_that_fails_ends_the_run_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(CommandFailedError, match="ended with 1: ERROR: E501_PARSE_ERROR") as raised:
        run(parts.export(tmp_path, Path(os.devnull)))

    assert PROGRAM in str(raised.value)


def test_commands_run_in_turns(tmp_path: Path) -> None:
    log = tmp_path / "log"
    note = "import sys; open(sys.argv[1], 'a').write(sys.argv[2])"
    commands = {name: Command([sys.executable, "-c", note, str(log), name]) for name in ("a", "b", "c")}

    runs = in_turns(commands, 2)

    assert log.read_text("utf-8") == "abcabc"
    assert {name: len(costs) for name, costs in runs.costs.items()} == {"a": 2, "b": 2, "c": 2}


# Arithmetic


def costs(*seconds: float) -> list[Cost]:
    return [Cost(each, each / 2, 10 * each) for each in seconds]


def made(models: int, export: float, floor: float = 1) -> Exported:
    return Exported(Design(models), 2.5, Runs({EXPORT: costs(export), FLOOR: costs(floor)}))


def test_times_are_medians_ratios_are_medians_of_pairs_and_peaks_are_the_largest() -> None:
    runs = Runs({"one": costs(1, 6, 4), "other": costs(4, 8, 4)})

    assert runs.seconds("one") == 4
    assert runs.cpu("one") == 2
    assert runs.mebibytes("one") == 60
    assert runs.ratio("one", "other") == 0.75


def test_growth_is_time_against_time_divided_by_models_against_models() -> None:
    assert growth(made(1_000, 1), made(10_000, 11)) == 1.1
    assert growth(made(1_000, 1), made(10_000, 11), deducted=0.5) == 2.1


def test_steps_and_client_are_medians_over_runs() -> None:
    steps = [{"mapping": second, "writing": 1.0} for second in (3.0, 1.0, 2.0)]
    measured = [
        {"datasets": 3, "jobs": 2, "dataset_seconds": second, "job_seconds": 1.0}
        for second in (3.0, 9.0, 6.0)
    ]

    assert Stages(Design(10), steps).microseconds("mapping", "writing") == 3_000_000
    assert Client(Design(10), measured).per_event("dataset") == 2_000_000
    assert Client(Design(10), measured).per_event("dataset", "job") == 1_400_000


@pytest.mark.parametrize(
    ("numbers", "met"),
    [([0.3, 0.4], True), ([0.3, 0.41], False), ([], None)],
    ids=["met", "missed", "unknown"],
)
def test_the_worst_number_decides_whether_a_goal_is_met(numbers: list[float], met: Any) -> None:
    assert Goal("anything", 0.4, "", lambda _results: numbers).met(Results({})) is met


def test_the_goals_find_what_was_measured() -> None:
    results = Results({}, exported=[made(1_000, 1, 2), made(10_000, 12, 40), made(50_000, 66, 100)])

    assert [line.split("|")[2:5] for line in TABLES["goals"](results).splitlines()[2:6]] == [
        ["     0.4 ", "      0.3 ", "          yes "],
        ["     0.6 ", "          ", " not measured "],
        ["     1.1 ", "      1.2 ", "       **no** "],
        ["     1.1 ", "      1.1 ", "          yes "],
    ]


def test_a_table_pads_its_cells() -> None:
    assert table(["project", "s"], [["a", "1.0"], ["bc", "10.0"]]) == (
        "| project |    s |\n| ------- | ---: |\n| a       |  1.0 |\n| bc      | 10.0 |"
    )


# A whole run


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, str]:
    """Return the results and the tables of a run on small projects, each measured once."""
    file = tmp_path_factory.mktemp("benchmarks") / "results.json"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--models", "20", "--repeats", "1", "--results", file],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return load(file), done.stdout


def test_a_run_measures_every_part_of_every_project(smoke: tuple[Results, str]) -> None:
    results, _printed = smoke

    assert {
        one.design.variation: {name: len(of) for name, of in one.runs.costs.items()}
        for one in results.exported
    } == {
        "chain, one file": {EXPORT: 3, FLOOR: 3},
        "fan-out, one file": {EXPORT: 3, FLOOR: 3},
        "fan-in, one file": {EXPORT: 3, FLOOR: 3},
        "layers, one file": {EXPORT: 3, FLOOR: 3, PAUSED: 3},
        "layers, a file per model": {EXPORT: 3, FLOOR: 3, PAUSED: 3},
        "layers, one file, macros": {EXPORT: 3, FLOOR: 3},
    }
    assert results.stages is not None
    assert [sorted(steps) for steps in results.stages.steps] == [
        ["compiling", "loading", "mapping", "writing"]
    ]
    assert results.client is not None
    assert [(run["datasets"], run["jobs"], run["left_out"]) for run in results.client.measured] == [
        (21, 20, {})
    ]
    assert results.started is not None
    assert {name: len(of) for name, of in results.started.costs.items()} == {
        "python -c pass": 7,
        "streamt --version": 7,
        "streamt docs openlineage": 7,
    }
    assert results.compared is not None
    assert {name: len(of) for name, of in results.compared.runs.costs.items()} == {
        "export": 1,
        "the same, later": 1,
        "one type changed": 1,
        "every model changed": 1,
    }


def test_a_run_prints_the_tables_of_its_results(smoke: tuple[Results, str]) -> None:
    results, printed = smoke

    assert printed == "\n".join(all_tables(results))
    assert [line for line in printed.splitlines() if line in TABLES] == [
        name for name in TABLES if name != "growth"
    ]


def test_results_are_read_as_they_were_saved(smoke: tuple[Results, str], tmp_path: Path) -> None:
    results = replace(smoke[0], exported=[*smoke[0].exported, made(1_000, 0.25)])
    save(results, tmp_path / "again.json")

    assert load(tmp_path / "again.json") == results
    assert load(tmp_path / "again.json").exported[-1] == made(1_000, 0.25)


def test_the_changed_exports_are_changed_as_they_say() -> None:
    lines = exported(Design(20)).splitlines(keepends=True)
    changed = {name: sum(change(line) != line for line in lines) for name, change in parts.CHANGES.items()}

    assert changed == {"the same, later": 41, "one type changed": 1, "every model changed": 20}


# The page


def test_the_page_has_every_table_of_the_results_and_no_other() -> None:
    assert page.BLOCK.findall(page.PAGE.read_text("utf-8")) != []
    assert sorted(name for _start, name, _end in page.BLOCK.findall(page.PAGE.read_text("utf-8"))) == sorted(
        TABLES
    )
    assert page.main(["--check"]) == 0


def test_a_stale_page_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = load(page.RESULTS)
    results.machine["cores"] = "1000000"
    save(results, tmp_path / "results.json")
    monkeypatch.setattr(page, "RESULTS", tmp_path / "results.json")

    assert page.main(["--check"]) == 1
    assert "is stale" in capsys.readouterr().out
