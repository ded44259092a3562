"""`streamt events diff`: what is printed, and the exit status."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result
from designed_events import Event, dataset, facet, one, owners, pipeline

from streamt_ol.cli.events import events
from streamt_ol.cli.face import Face


@pytest.fixture(autouse=True)
def _in_a_scratch_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, export: Sequence[Event]) -> str:
    Path(name).write_bytes(lines(export))
    return name


def lines(export: Sequence[Event]) -> bytes:
    return b"".join(orjson.dumps(event) + b"\n" for event in export)


def compare(*arguments: str, given: bytes | None = None, **options: Any) -> Result:
    return CliRunner().invoke(events, ["diff", *arguments], input=given, obj=Face(**options))


def edited(**facets: Any) -> list[Event]:
    """Return the pipeline with other facets of its first dataset."""
    export = pipeline()
    one(export, "raw")["facets"].update(facets)
    return export


SAME = pipeline()
COSMETIC = edited(documentation=facet(description="Raw"))
NOTABLE = edited(ownership=owners("bob"))
BREAKING = pipeline()[1:]


def test_two_exports_that_say_the_same_exit_with_0() -> None:
    done = compare(write("old", SAME), write("new", list(reversed(SAME))))

    assert (done.exit_code, done.stdout, done.stderr) == (0, "The exports say the same\n", "")


def test_any_change_exits_with_1_unless_told_otherwise() -> None:
    done = compare(write("old", SAME), write("new", COSMETIC))

    assert (done.exit_code, done.stderr) == (1, "")
    assert done.stdout.startswith("0 breaking, 0 notable, 1 cosmetic\n\ncosmetic\n")


@pytest.mark.parametrize(
    ("new", "statuses"), [(COSMETIC, [0, 0, 1, 0]), (NOTABLE, [0, 1, 1, 0]), (BREAKING, [1, 1, 1, 0])]
)
def test_a_change_fails_from_the_severity_asked_for(new: list[Event], statuses: list[int]) -> None:
    files = write("old", SAME), write("new", new)

    assert [
        compare(*files, "--fail-on", severity).exit_code
        for severity in ("breaking", "notable", "cosmetic", "never")
    ] == statuses


def test_json_is_a_bare_document_and_the_data_of_the_envelope() -> None:
    files = write("old", SAME), write("new", NOTABLE)
    bare = compare(*files, "--format", "json")
    enveloped = compare(*files, output="json")

    document = json.loads(bare.stdout)
    assert bare.exit_code == enveloped.exit_code == 1
    assert document["counts"] == {"breaking": 0, "notable": 1, "cosmetic": 0}
    assert json.loads(enveloped.stdout) == {"status": "ok", "command": "events diff", "data": document}


def test_markdown_is_printed() -> None:
    done = compare(write("old", SAME), write("new", NOTABLE), "--format", "markdown")

    assert done.stdout.startswith("## What changed in the lineage\n\n0 breaking, 1 notable, 0 cosmetic.\n")


def test_quiet_does_not_hide_what_was_asked_for() -> None:
    files = write("old", SAME), write("new", NOTABLE)

    assert compare(*files, quiet=True).stdout == compare(*files).stdout != ""


@pytest.mark.parametrize("order", [("-", "file"), ("file", "-")])
def test_one_side_may_be_standard_input(order: tuple[str, str]) -> None:
    write("file", SAME)
    done = compare(*order, given=lines(NOTABLE))

    assert done.exit_code == 1
    assert "owner of dataset raw was" in done.stdout


def test_standard_input_is_read_once() -> None:
    done = compare("-", "-")

    assert (done.exit_code, done.stdout) == (2, "")
    assert "standard input can be read once only" in done.stderr


RUN = b'{"run":{"runId":"x"},"job":{"namespace":"n","name":"j"}}\n'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "ERROR: E150_EVENTS_UNREADABLE at file (new): cannot be read: No such file or directory\n"),
        (b"{", "ERROR: E151_EVENT_NOT_JSON (new:1:2): the line is no JSON text from this column on\n"),
        (
            RUN,
            "ERROR: E158_EVENT_NOT_COMPARABLE at /run (new:1): a RunEvent: only DatasetEvents and JobEvents can be compared\n",
        ),
        (
            lines([dataset("a"), dataset("a")]),
            "ERROR: E155_EVENT_REPEATED at /dataset (new:2): dataset 'a' in namespace 'kafka://broker.example:9092' is described twice, first in line 1\n",
        ),
    ],
)
@pytest.mark.parametrize("fail_on", ["cosmetic", "never"])
def test_what_could_not_be_compared_exits_with_2_and_is_located(
    data: bytes | None, message: str, fail_on: str
) -> None:
    write("old", SAME)
    if data is not None:
        Path("new").write_bytes(data)
    done = compare("old", "new", "--fail-on", fail_on)

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(message)


def test_a_failure_in_json_mode_is_an_envelope() -> None:
    done = compare(write("old", SAME), "missing", output="json")

    assert done.exit_code == 2
    envelope = json.loads(done.stdout)
    assert (envelope["status"], envelope["data"]) == ("error", {})
    assert [error["code"] for error in envelope["errors"]] == ["E150_EVENTS_UNREADABLE"]


def test_rules_that_cannot_be_used_exit_with_2(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    done = compare(write("old", SAME), write("new", SAME), rules=tmp_path / "rules")

    assert done.exit_code == 2
    assert "E520_RULES_INVALID" in done.stderr


def test_the_trace_says_which_row_judged_a_change(tmp_path: Path) -> None:
    compare(write("old", SAME), write("new", NOTABLE), trace=tmp_path / "trace.jsonl")

    assert json.loads((tmp_path / "trace.jsonl").read_text("utf-8")) == {
        "at": "/dataset/kafka:~1~1broker.example:9092/raw/facets/ownership/owners",
        "table": "changes",
        "row": "owner-changed",
    }
