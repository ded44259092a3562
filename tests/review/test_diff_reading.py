"""Reading exports to compare: what is accepted, and what is refused with its place."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from designed_events import Event, dataset, job, pipeline

from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.errors import Place, StreamtError
from streamt_ol.review.diffs.diff import diff_exports
from streamt_ol.review.diffs.exports import (
    EventIncompleteError,
    EventRepeatedError,
    NoDesignEventError,
    NotJsonLinesError,
    read_export,
)
from streamt_ol.review.events.event_checking import EventsUnreadableError

RULES = load_rules(Path(__file__).resolve().parents[2] / "rules")


def lines(*events: Any) -> bytes:
    return b"".join(orjson.dumps(event) + b"\n" for event in events)


def test_a_file_and_a_stream_give_their_events(tmp_path: Path) -> None:
    (tmp_path / "export.jsonl").write_bytes(lines(*pipeline()))

    assert read_export(tmp_path / "export.jsonl") == pipeline()
    assert read_export(BytesIO(lines(*pipeline()))) == pipeline()


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b" \r\n"])
def test_nothing_is_an_empty_export(data: bytes) -> None:
    assert read_export(BytesIO(data)) == []


def test_blank_lines_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    data = b"\xef\xbb\xbf" + lines(pipeline()[0]).rstrip() + b"\r\n\r\n" + lines(pipeline()[1]).rstrip()

    assert read_export(BytesIO(data)) == pipeline()[:2]


REFUSED: dict[str, tuple[bytes, type[StreamtError], str | None, str]] = {
    "no JSON": (b"{]", NotJsonLinesError, None, "the line is no JSON text from this column on"),
    "a key twice": (b'{"a":1,"a":2}', NotJsonLinesError, "/a", "the key stands twice in its object"),
    "no object": (b"[]", NoDesignEventError, None, "no event: an object is needed"),
    "a run event": (
        lines({"run": {"runId": "x"}, "job": {"namespace": "n", "name": "j"}}),
        NoDesignEventError,
        "/run",
        "a RunEvent: only DatasetEvents and JobEvents can be compared",
    ),
    "neither": (
        b"{}",
        NoDesignEventError,
        None,
        "no DatasetEvent or JobEvent: it has neither `dataset` nor `job`",
    ),
    "both": (
        lines({**dataset("d"), **job("j")}),
        NoDesignEventError,
        None,
        "no DatasetEvent or JobEvent: it has both `dataset` and `job`",
    ),
    "no name": (
        lines({"job": {"namespace": "n"}}),
        EventIncompleteError,
        "/job",
        "cannot be compared: what is here lacks 'name'",
    ),
    "a namespace of another type": (
        lines({"job": {"namespace": 1, "name": "j"}}),
        EventIncompleteError,
        "/job/namespace",
        'cannot be compared: what is here does not satisfy type "string"',
    ),
    "inputs that are none": (
        lines({**job("j"), "inputs": [{"name": "d"}]}),
        EventIncompleteError,
        "/inputs/0",
        "cannot be compared: what is here lacks 'namespace'",
    ),
    "facets that are none": (
        lines(dataset("d", vendor=3)),
        EventIncompleteError,
        "/dataset/facets/vendor",
        'cannot be compared: what is here does not satisfy type "object"',
    ),
    "fields without a name": (
        lines(dataset("d", {"name": "row", "fields": [{"type": "INT"}]})),
        EventIncompleteError,
        "/dataset/facets/schema/fields/0/fields/0",
        "cannot be compared: what is here lacks 'name'",
    ),
    "owners that are names": (
        lines(dataset("d", ownership={"owners": ["ann"]})),
        EventIncompleteError,
        "/dataset/facets/ownership/owners/0",
        'cannot be compared: what is here does not satisfy type "object"',
    ),
    "two things about one input": (
        lines(
            {**job("j"), "inputs": [{"namespace": "n", "name": "d"}, {"namespace": "n", "name": "d", "a": 1}]}
        ),
        EventRepeatedError,
        "/inputs/1",
        "dataset 'd' is named twice, and different things are said about it",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_compared_is_refused_with_its_line(name: str) -> None:
    data, error, location, message = REFUSED[name]

    with pytest.raises(error) as caught:
        read_export(BytesIO(lines(dataset("first")) + b"\n" + data), "new.jsonl")

    assert (caught.value.location, caught.value.message) == (location, message)
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.line) == ("new.jsonl", 3)


def test_bad_json_is_located_to_the_column() -> None:
    with pytest.raises(NotJsonLinesError) as caught:
        read_export(BytesIO(b'{"dataset":]'), "old.jsonl")

    assert caught.value.place == Place("old.jsonl", 1, 12)


def test_an_identity_that_is_described_twice_is_refused_with_both_lines() -> None:
    with pytest.raises(EventRepeatedError) as caught:
        read_export(BytesIO(lines(dataset("a"), dataset("b"), dataset("a", "id"))))

    assert caught.value.message == (
        "dataset 'a' in namespace 'kafka://broker.example:9092' is described twice, first in line 1"
    )
    assert caught.value.place == Place("-", 3)


def test_a_dataset_and_a_job_may_share_a_name() -> None:
    assert len(read_export(BytesIO(lines(dataset("a", namespace="n"), job("a", namespace="n"))))) == 2


@pytest.mark.parametrize("path", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, path: str) -> None:
    with pytest.raises(EventsUnreadableError) as caught:
        read_export(tmp_path / path)

    assert caught.value.place == Place(str(tmp_path / path))


def bad(*events: Event) -> list[Event]:
    return list(events)


def test_events_that_no_file_holds_are_refused_too() -> None:
    with pytest.raises(EventRepeatedError) as repeated:
        diff_exports([], bad(dataset("a"), job("j"), dataset("a")), RULES)
    with pytest.raises(NoDesignEventError):
        diff_exports(bad({"run": {}}), [], RULES)

    assert repeated.value.message.endswith("is described twice, first in event 1, again in event 3")
