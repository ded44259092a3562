"""`streamt events check` as a command: files, streams, formats, statuses and memory."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from golden_cases import source_path
from hypothesis import given
from hypothesis import strategies as st
from program import Done, run_streamt
from sample_events import (
    EXAMPLES,
    PRODUCER,
    custom_facet,
    dataset,
    dataset_event,
    facet,
    job_event,
    lines,
    run_event,
)

from streamt_ol.lineage.schemas import OpenLineageSchemas
from streamt_ol.review.events.event_checking import EventsChecker, EventsUnreadableError
from streamt_ol.review.events.event_findings import Finding, Remark, Tally

SCHEMAS = OpenLineageSchemas.packaged()
NO_EVENTS = "0 DatasetEvents, 0 JobEvents, 0 RunEvents"
MIB = 2**20


def check(*arguments: str | Path, cwd: Path | None = None) -> Done:
    return run_streamt("events", "check", *arguments, cwd=cwd)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Return a file with an error, a warning and a note, in the order note, warning, error, error."""
    path = tmp_path / "events.jsonl"
    path.write_bytes(
        b"\n"
        + lines([dataset_event("a", eventType="START")])
        + lines([dataset_event("b", producer="no uri")])
        + b"{]\n"
    )
    return path


# Verdicts


def test_the_examples_are_fine_but_for_notes_about_custom_facets(tmp_path: Path) -> None:
    (tmp_path / "ok.jsonl").write_bytes(lines(EXAMPLES))

    done = check("ok.jsonl", cwd=tmp_path)
    assert (done.exit_status, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "NOTE: W153_SCHEMA_NOT_PINNED at /dataset/facets/load (ok.jsonl:2): no schema is pinned for the dataset facet 'load'",
        "NOTE: W153_SCHEMA_NOT_PINNED at /job/facets/load (ok.jsonl:3): no schema is pinned for the job facet 'load'",
        "NOTE: W153_SCHEMA_NOT_PINNED at /run/facets/load (ok.jsonl:4): no schema is pinned for the run facet 'load'",
        "NOTE: W153_SCHEMA_NOT_PINNED at /inputs/0/inputFacets/counts (ok.jsonl:4): no schema is pinned for the input facet 'counts'",
        "NOTE: W153_SCHEMA_NOT_PINNED at /outputs/0/outputFacets/counts (ok.jsonl:6): no schema is pinned for the output facet 'counts'",
        "Checked 7 lines with 2 DatasetEvents, 1 JobEvents, 4 RunEvents: 0 errors, 0 warnings, 5 notes",
    ]


def test_strict_refuses_custom_facets_at_every_place(tmp_path: Path) -> None:
    custom = dataset("x", facets={"load": custom_facet()})
    (tmp_path / "x.jsonl").write_bytes(lines([dataset_event(dataset=custom), job_event(inputs=[custom])]))

    loose, strict = check("x.jsonl", cwd=tmp_path), check("--strict", "x.jsonl", cwd=tmp_path)
    assert (loose.exit_status, loose.stdout.count("W153_SCHEMA_NOT_PINNED")) == (0, 1)
    assert (strict.exit_status, strict.stdout.count("ERROR: E157_SCHEMA_NOT_PINNED")) == (1, 2)


def test_what_is_found_is_told_with_severity_code_pointer_line_and_column(broken: Path) -> None:
    done = check(broken.name, cwd=broken.parent)

    assert (done.exit_status, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "NOTE: W150_EVENTS_BLANK_LINE (events.jsonl:1): the line is blank",
        "WARNING: W152_EVENT_MISTAKABLE at /eventType (events.jsonl:2): is no key of a DatasetEvent: receivers may take the event for another kind",
        'ERROR: E153_EVENT_INVALID at /producer (events.jsonl:3): does not satisfy format "uri"',
        "ERROR: E151_EVENT_NOT_JSON (events.jsonl:4:2): is no JSON text from this column on",
        "Checked 4 lines with 2 DatasetEvents, 0 JobEvents, 0 RunEvents: 2 errors, 1 warnings, 1 notes",
    ]


def test_an_empty_file_is_fine(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()

    done = check("empty.jsonl", cwd=tmp_path)
    assert (done.exit_status, done.stdout) == (
        0,
        f"Checked 0 lines with {NO_EVENTS}: 0 errors, 0 warnings, 0 notes\n",
    )


def test_own_exports_pass_the_strict_check(tmp_path: Path) -> None:
    static = json.loads((Path(__file__).parents[1] / "lineage" / "static_events.json").read_bytes())
    (tmp_path / "own.jsonl").write_bytes(lines(static))

    done = check("--strict", "own.jsonl", cwd=tmp_path)
    assert (done.exit_status, done.stdout.count("\n")) == (0, 1)


def test_a_note_is_told_once_per_file(tmp_path: Path) -> None:
    custom = lines([run_event("OTHER", run={"runId": "x", "facets": {"load": custom_facet()}})])
    (tmp_path / "1.jsonl").write_bytes(custom * 3)
    (tmp_path / "2.jsonl").write_bytes(b"\n" + custom)

    shown = check("1.jsonl", "2.jsonl", cwd=tmp_path).stdout
    assert re.findall(r"^NOTE: (\w{4}).*\((\d.jsonl:\d)\)", shown, re.MULTILINE) == [
        ("W153", "1.jsonl:1"),
        ("W150", "2.jsonl:1"),
        ("W153", "2.jsonl:2"),
    ]


# What is shown


def test_the_most_severe_findings_are_shown_and_all_are_counted(broken: Path) -> None:
    assert check("--max", "2", broken).stdout.splitlines()[-2:] == [
        "Not shown: 2 more findings; --max shows more",
        "Checked 4 lines with 2 DatasetEvents, 0 JobEvents, 0 RunEvents: 2 errors, 1 warnings, 1 notes",
    ]
    shown = [line.partition(":")[0] for line in check("--max=3", broken).stdout.splitlines()]
    assert shown == [
        "WARNING",
        "ERROR",
        "ERROR",
        "Not shown",
        "Checked 4 lines with 2 DatasetEvents, 0 JobEvents, 0 RunEvents",
    ]
    none = check("--max", "0", broken)
    assert (none.exit_status, none.stdout.count("\n")) == (1, 2)


def test_quiet_shows_errors_only(broken: Path) -> None:
    done = run_streamt("--quiet", "events", "check", broken)

    assert [line.split()[1] for line in done.stdout.splitlines()] == [
        "E153_EVENT_INVALID",
        "E151_EVENT_NOT_JSON",
    ]


def test_the_document_holds_everything_that_is_shown(broken: Path) -> None:
    done = check("--format", "json", "--max", "3", broken.name, cwd=broken.parent)

    assert (done.exit_status, done.stderr) == (1, "")
    assert json.loads(done.stdout) == {
        "files": ["events.jsonl"],
        "lines": 4,
        "events": {"DatasetEvent": 2, "JobEvent": 0, "RunEvent": 0},
        "counts": {"errors": 2, "warnings": 1, "notes": 1},
        "codes": {
            "E151_EVENT_NOT_JSON": 1,
            "E153_EVENT_INVALID": 1,
            "W150_EVENTS_BLANK_LINE": 1,
            "W152_EVENT_MISTAKABLE": 1,
        },
        "findings": [
            {
                "severity": "warning",
                "code": "W152_EVENT_MISTAKABLE",
                "message": "is no key of a DatasetEvent: receivers may take the event for another kind",
                "location": "/eventType",
                "file": "events.jsonl",
                "line": 2,
            },
            {
                "severity": "error",
                "code": "E153_EVENT_INVALID",
                "message": 'does not satisfy format "uri"',
                "location": "/producer",
                "file": "events.jsonl",
                "line": 3,
            },
            {
                "severity": "error",
                "code": "E151_EVENT_NOT_JSON",
                "message": "is no JSON text from this column on",
                "file": "events.jsonl",
                "line": 4,
                "column": 2,
            },
        ],
        "left_out": 1,
    }


def test_the_envelope_holds_the_document_and_the_errors(broken: Path) -> None:
    document = json.loads(check("--format", "json", broken).stdout)
    done = run_streamt("-o", "json", "events", "check", broken)
    envelope = json.loads(done.stdout)

    assert done.exit_status == 1
    assert (envelope["status"], envelope["command"]) == ("error", "events check")
    assert envelope["data"] == document
    assert [error["code"] for error in envelope["errors"]] == ["E153_EVENT_INVALID", "E151_EVENT_NOT_JSON"]
    assert [warning["code"] for warning in envelope["warnings"]] == ["W152_EVENT_MISTAKABLE"]


def test_keys_that_steer_a_terminal_or_look_like_secrets_are_shown_as_such(tmp_path: Path) -> None:
    facets = {"\x1b[2J": {}, "postgres://u:hunter2@db/x": {}}
    (tmp_path / "x.jsonl").write_bytes(lines([dataset_event(dataset=dataset("x", facets=facets))]))

    for done in (check("x.jsonl", cwd=tmp_path), check("--format=json", "x.jsonl", cwd=tmp_path)):
        assert done.exit_status == 1
        assert "\x1b" not in done.stdout
        assert "hunter2" not in done.stdout
    assert "/dataset/facets/\\x1b[2J (x.jsonl:1)" in check("x.jsonl", cwd=tmp_path).stdout


# Files


def test_files_are_sequences_of_their_own_unless_they_are_joined(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(lines([dataset_event(), run_event("START")]))
    (tmp_path / "2.jsonl").write_bytes(lines([dataset_event(), run_event("COMPLETE")]))

    apart = check("1.jsonl", "2.jsonl", cwd=tmp_path)
    assert apart.exit_status == 1
    assert apart.stdout.splitlines() == [
        "WARNING: W154_RUN_UNFINISHED at /run/runId (1.jsonl:2): the run has no COMPLETE, FAIL or ABORT in this sequence",
        "ERROR: E156_RUN_OUT_OF_ORDER at /eventType (2.jsonl:2): COMPLETE of a run without START before it",
        "Checked 4 lines with 2 DatasetEvents, 0 JobEvents, 2 RunEvents: 1 errors, 1 warnings, 0 notes",
    ]
    joined = check("--one-sequence", "1.jsonl", "2.jsonl", cwd=tmp_path)
    assert joined.exit_status == 1
    assert joined.stdout.splitlines() == [
        "ERROR: E155_EVENT_REPEATED at /dataset (2.jsonl:1): the dataset is described already at 1.jsonl:1",
        "Checked 4 lines with 2 DatasetEvents, 0 JobEvents, 2 RunEvents: 1 errors, 0 warnings, 0 notes",
    ]


def test_a_run_that_does_not_end_in_joined_files_is_told_at_its_file(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(lines([run_event("START")]))
    (tmp_path / "2.jsonl").write_bytes(lines([run_event("RUNNING")]))

    done = check("--one-sequence", "1.jsonl", "2.jsonl", cwd=tmp_path)
    assert (done.exit_status, done.stdout.count("W154_RUN_UNFINISHED at /run/runId (1.jsonl:1)")) == (0, 1)


def test_a_file_that_cannot_be_read_gives_2_and_the_others_are_checked(tmp_path: Path, broken: Path) -> None:
    done = check("none.jsonl", tmp_path, broken)

    assert done.exit_status == 2
    assert done.stderr.splitlines() == [
        "ERROR: E150_EVENTS_UNREADABLE (none.jsonl): cannot be read: No such file or directory",
        f"ERROR: E150_EVENTS_UNREADABLE ({tmp_path}): cannot be read: Is a directory",
    ]
    assert done.stdout.endswith(": 2 errors, 1 warnings, 1 notes\n")


def test_a_file_that_cannot_be_read_stands_in_the_envelope(tmp_path: Path) -> None:
    done = run_streamt("-o", "json", "events", "check", "none.jsonl", cwd=tmp_path)

    assert done.exit_status == 2
    assert json.loads(done.stdout)["errors"] == [
        {
            "code": "E150_EVENTS_UNREADABLE",
            "message": "cannot be read: No such file or directory",
            "file": "none.jsonl",
        }
    ]


class Failing(io.BytesIO):
    """A stream whose device breaks behind its content."""

    def readline(self, size: int | None = -1, /) -> bytes:
        data = super().readline(size)
        if not data:
            raise OSError(5, "Input/output error")
        return data


def test_reading_that_fails_on_the_way_is_told_with_the_line_and_what_was_read_is_checked() -> None:
    checker = EventsChecker(SCHEMAS)

    with pytest.raises(EventsUnreadableError) as caught:
        checker.read(Failing(lines([run_event("START"), job_event(producer="x")])), "f")
    assert (caught.value.message, str(caught.value.place)) == ("cannot be read on: Input/output error", "f:3")
    assert dict(checker.tally.codes) == {"E153_EVENT_INVALID": 1, "W154_RUN_UNFINISHED": 1}


@pytest.mark.parametrize("arguments", [(), ("-", "-"), ("--max", "-1", "x"), ("--format", "xml", "x")])
def test_a_wrong_command_line_gives_2(arguments: tuple[str, ...]) -> None:
    done = check(*arguments)

    assert (done.exit_status, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: ")


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "streamt_ol", *arguments]


def surroundings() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(source_path())}


def test_a_dash_reads_standard_input() -> None:
    done = subprocess.run(
        program("events", "check", "-"),
        input=lines([run_event("ABORT")]),
        env=surroundings(),
        capture_output=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stdout.startswith(b"ERROR: E156_RUN_OUT_OF_ORDER at /eventType (-:1): ABORT of a run")


def test_closed_standard_input_cannot_be_read() -> None:
    done = run_streamt("events", "check", "-", prefix=["sh", "-c", 'exec "$@" <&-', "sh"])

    assert (done.exit_status, done.stderr) == (
        2,
        "ERROR: E150_EVENTS_UNREADABLE (-): standard input is closed\n",
    )


# Robustness

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(0, 3)
    | st.sampled_from(["START", "x", PRODUCER, "2026-03-04T05:06:07Z"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["facets", "inputFacets", "_schemaURL", "namespace", "name", "runId", "x"]), inner
        )
    ),
)
KEYS = ["eventTime", "producer", "eventType", "run", "job", "dataset", "inputs", "outputs"]
URLS = [
    SCHEMAS.event_url("RunEvent"),
    SCHEMAS.event_url("JobEvent"),
    SCHEMAS.event_url("DatasetEvent"),
    1,
    None,
]


@given(
    st.lists(
        st.fixed_dictionaries({"schemaURL": st.sampled_from(URLS)}, optional=dict.fromkeys(KEYS, JSON)),
        max_size=3,
    )
)
def test_events_of_any_shape_are_checked_without_a_fault_of_the_program(events: list[Any]) -> None:
    checker = EventsChecker(SCHEMAS, strict=True)
    checker.read(io.BytesIO(lines(events)), "f")

    assert checker.lines == len(events)


@given(st.binary(max_size=40))
def test_bytes_of_any_kind_are_checked_without_a_fault_of_the_program(data: bytes) -> None:
    checker = EventsChecker(SCHEMAS)
    checker.read(io.BytesIO(data), "f")

    assert checker.lines == len(data.split(b"\n")) - (data == b"" or data.endswith(b"\n"))


def test_a_facet_nested_deep_is_refused_without_a_fault_of_the_program() -> None:
    fields: list[Any] = [{"name": 1}]
    for _ in range(110):
        fields = [{"name": "x", "fields": fields}]
    checker = EventsChecker(SCHEMAS)
    deep = dataset("x", facets={"schema": facet("1-2-0/SchemaDatasetFacet", fields=fields)})
    checker.read(io.BytesIO(lines([dataset_event(dataset=deep)])), "f")

    assert dict(checker.tally.codes) == {"E154_FACET_INVALID": 1}


# Memory


def test_of_any_number_of_findings_only_those_that_may_be_shown_are_kept() -> None:
    before = findings_in_memory()
    tally = Tally(3)
    for number in range(100):
        for code in ("E153_EVENT_INVALID", "W152_EVENT_MISTAKABLE", "W153_SCHEMA_NOT_PINNED"):
            tally.add(Remark(code, (), f"message {number}"), "f", number)

    assert tally.counts() == {"error": 100, "warning": 100, "note": 100}
    assert [(found.severity, found.place.line) for found in tally.shown()] == [
        ("error", 0),
        ("error", 1),
        ("error", 2),
    ]
    assert findings_in_memory() - before <= 9


def findings_in_memory() -> int:
    gc.collect()
    return sum(isinstance(one, Finding) for one in gc.get_objects())


PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
sys.exit(done.returncode)
"""
"""Runs one program, prints the peak of its memory in bytes behind its output, and leaves with its status."""


def peak(*arguments: str) -> tuple[int, str, int]:
    """Return exit status, output and the peak of memory of the program."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *program(*arguments)],
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )
    *output, number = done.stdout.splitlines()
    return done.returncode, "\n".join(output), int(number)


def test_a_file_of_200_000_lines_is_checked_within_200_mib(tmp_path: Path) -> None:
    """A quarter of the lines each: datasets with fields, jobs, starts of runs, and their ends or none."""
    columns = [{"name": f"column_{number}", "type": "VARCHAR"} for number in range(20)]
    facets = {
        "schema": facet("1-2-0/SchemaDatasetFacet", fields=columns),
        "documentation": facet("1-1-0/DocumentationDatasetFacet", description="x" * 3000),
    }
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        for number in range(50_000):
            name, run_id = f"entity_{number}", f"00000000-0000-0000-0000-{number:012}"
            last = run_event("COMPLETE" if number % 2 else "START", run_id, name)
            file.write(
                lines(
                    [
                        dataset_event(dataset=dataset(name, facets=facets)),
                        job_event(name, inputs=[dataset(name)]),
                        run_event("START", run_id, name),
                        last,
                    ]
                )
            )

    status, output, memory = peak("events", "check", str(path))
    assert status == 1
    assert output.splitlines()[-1] == (
        "Checked 200000 lines with 50000 DatasetEvents, 50000 JobEvents, 100000 RunEvents: "
        "25000 errors, 25000 warnings, 0 notes"
    )
    assert memory < 200 * MIB < path.stat().st_size


def test_a_line_of_any_length_takes_no_more_memory_than_the_longest_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.truncate(1024 * MIB)  # zero bytes that take no room on the disk
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + lines([job_event()]))

    status, output, memory = peak("events", "check", str(path))
    assert (status, output.splitlines()[-1]) == (
        1,
        "Checked 2 lines with 0 DatasetEvents, 1 JobEvents, 0 RunEvents: 1 errors, 0 warnings, 0 notes",
    )
    assert memory < 200 * MIB
