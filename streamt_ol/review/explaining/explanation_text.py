"""Explanations as lines for people: parts of events, below each the rows, and at the end what they cite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def explanation_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the document that `rules explain` gives."""
    for explained in document["explained"]:
        yield from _declaration(explained)
        yield ""
    if document["warnings"]:
        yield "About the whole project"
        yield from _warnings(document["warnings"], set())
        yield ""
    if not document["complete"]:
        yield _end(document["decided_up_to"])
        yield ""
    if document["statements"]:
        yield "Cited"
        for number, sentence in document["statements"].items():
            yield f"  {number}: {sentence}"
        yield ""
    yield f"Files of rows are in {document['rules']}"


def _end(last: Mapping[str, Any] | None) -> str:
    if last is None:
        return "The export failed before anything was decided"
    return f"The export failed; the last decision was {last['table']}/{last['row']} about {last['at']}"


def _declaration(explained: Mapping[str, Any]) -> Iterator[str]:
    place = f" ({explained['file']}:{explained['line']})" if "file" in explained else ""
    yield f"{explained['kind']} '{explained['name']}' at {explained['at']}{place}"
    told: set[tuple[str, str]] = set()
    for event in explained["events"]:
        yield ""
        yield f"  {event['kind']}, line {event['line']} of the export"
        for part in event["parts"]:
            yield from _part(part, told)
    for part in explained["left_out"]:
        yield ""
        yield f"  No {part['at'][1:]} event: {part['left_out']}"
        yield from _rows(part["rows"], told)
    if explained["warnings"]:
        yield ""
        yield from _warnings(explained["warnings"], told)
    rest = [one for one in explained["decisions"] if (one["table"], one["row"]) not in told]
    if rest:
        yield ""
        yield "  Decided on the way"
        for decision in rest:
            yield from _rows([decision], set())


def _warnings(warnings: Sequence[Mapping[str, Any]], told: set[tuple[str, str]]) -> Iterator[str]:
    for warning in warnings:
        location = f" at {warning['location']}" if "location" in warning else ""
        yield f"  {warning['code']}{location}: {warning['message']}"
        yield from _rows(warning["rows"], told)


def _part(part: Mapping[str, Any], told: set[tuple[str, str]]) -> Iterator[str]:
    said = (
        f"left out: {part['left_out']}"
        if "left_out" in part
        else json.dumps(part["value"], ensure_ascii=False, sort_keys=True)
    )
    yield f"    {part['at']}: {said}"
    yield from _rows(part["rows"], told)


def _rows(rows: Sequence[Mapping[str, Any]], told: set[tuple[str, str]]) -> Iterator[str]:
    for row in rows:
        told.add((row["table"], row["row"]))
        cites = f", {', '.join(row['cites'])}" if row["cites"] else ""
        yield f"        {row['table']}/{row['row']} ({row['file']}:{row['line']}{cites})"
