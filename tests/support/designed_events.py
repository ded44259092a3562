"""DatasetEvents and JobEvents to compare: builders, and generated exports with edits whose effect is known."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

Event = dict[str, Any]

KAFKA = "kafka://broker.example:9092"
JOBS = "jobs"
PRODUCER = "https://producer.example/1"
RELEASE = "https://openlineage.example/spec/2-0-2/OpenLineage.json"


def facet(**said: Any) -> dict[str, Any]:
    """Return a facet that says this, under the keys that every facet has."""
    return {"_producer": PRODUCER, "_schemaURL": f"{RELEASE}#/$defs/Facet", **said}


def schema(*fields: Any) -> dict[str, Any]:
    """Return a schema facet: of fields, or of the names of fields of type STRING."""
    spelled = [
        {"name": field, "type": "STRING"} if isinstance(field, str) else dict(field) for field in fields
    ]
    return facet(
        fields=[{**field, "ordinal_position": position} for position, field in enumerate(spelled, 1)]
    )


def dataset(name: str, *fields: Any, namespace: str = KAFKA, **facets: Any) -> Event:
    """Return a DatasetEvent; with a schema facet, where fields are given."""
    said = {"schema": schema(*fields), **facets} if fields else facets
    return event("dataset", {"namespace": namespace, "name": name, "facets": said})


def job(
    name: str, reads: Sequence[str] = (), writes: Sequence[str] = (), namespace: str = JOBS, **facets: Any
) -> Event:
    """Return a JobEvent that reads and writes datasets of the Kafka namespace."""
    made = event("job", {"namespace": namespace, "name": name, "facets": facets})
    for side, names in (("inputs", reads), ("outputs", writes)):
        if names:
            made[side] = [{"namespace": KAFKA, "name": each} for each in names]
    return made


def event(kind: str, subject: dict[str, Any]) -> Event:
    return {
        "eventTime": "2026-01-02T03:04:05.000000Z",
        "producer": PRODUCER,
        "schemaURL": f"{RELEASE}#/$defs/{kind.capitalize()}Event",
        kind: subject,
    }


def pipeline() -> list[Event]:
    """Return raw -> clean -> paid and clean -> late, with a job between each."""
    return [
        dataset(
            "raw", "id", "amount", documentation=facet(description="As it comes"), ownership=owners("ann")
        ),
        dataset("clean", "id", "amount"),
        dataset("paid", "id"),
        dataset("late", "id"),
        job("cleaning", ["raw"], ["clean"], jobType=facet(processingType="STREAMING", jobType="MODEL")),
        job("paying", ["clean"], ["paid"]),
        job("waiting", ["clean"], ["late"]),
    ]


def owners(*names: str) -> dict[str, Any]:
    return facet(owners=[{"name": name} for name in names])


def one(export: list[Event], name: str) -> dict[str, Any]:
    """Return what an export says about the dataset or job of a name."""
    return next(
        event[kind]
        for event in export
        for kind in ("dataset", "job")
        if kind in event and event[kind]["name"] == name
    )


NAMES = st.sampled_from(["a", "b", "c", "d", "größe", "x/y", "x~y"])
TYPES = st.sampled_from(["STRING", "INT", "DECIMAL(10, 2)"])
PROSE = st.sampled_from(["", "one", "two"])


@st.composite
def exports(draw: st.DrawFn) -> list[Event]:
    """Return an export of a few datasets and jobs; jobs read and write any of them, in circles too."""
    names = draw(st.lists(NAMES, unique=True, max_size=5))
    made = []
    for name in names:
        fields = [
            {"name": field, "type": draw(TYPES), "description": draw(PROSE)}
            for field in draw(st.lists(NAMES, unique=True, max_size=4))
        ]
        facets = {"documentation": facet(description=draw(PROSE))} if draw(st.booleans()) else {}
        if draw(st.booleans()):
            facets["ownership"] = owners(*draw(st.lists(NAMES, unique=True, min_size=1, max_size=3)))
        made.append(dataset(name, *fields, **facets))
    some = st.lists(st.sampled_from(names), unique=True, max_size=3) if names else st.just([])
    jobs = draw(st.lists(NAMES, unique=True, max_size=4))
    return [*made, *(job(name, draw(some), draw(some)) for name in jobs)]


Expected = tuple[str, str, str]
"""Operation, subject and path of a change."""


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[Event], list[Event], set[tuple[str, str, str, str]]]:
    """Return an export, the same with edits, and each edit as operation, subject, name and path."""
    old = draw(exports())
    new = copy.deepcopy(old)
    wanted = set()
    for event in list(new):
        kind = "dataset" if "dataset" in event else "job"
        name = event[kind]["name"]
        edits = _DATASET_EDITS if kind == "dataset" else _JOB_EDITS
        edit = draw(st.sampled_from(["nothing", "remove", *edits]))
        if edit == "remove":
            new.remove(event)
            wanted.add(("removed", kind, name, ""))
        elif edit != "nothing":
            wanted |= {(*found[:2], name, found[2]) for found in edits[edit](event, draw)}
    return old, new, wanted


def _add_field(event: Event, draw: st.DrawFn) -> set[Expected]:
    fields = event["dataset"]["facets"].get("schema", {}).get("fields", [])
    fields.insert(draw(st.integers(0, len(fields))), {"name": "fresh", "type": draw(TYPES)})
    for position, field in enumerate(fields, 1):
        field["ordinal_position"] = position
    event["dataset"]["facets"]["schema"] = facet(fields=fields)
    return {("added", "field", "/facets/schema/fields/fresh")}


def _each_field(event: Event) -> list[dict[str, Any]]:
    return event["dataset"]["facets"].get("schema", {}).get("fields", [])


def _remove_field(event: Event, draw: st.DrawFn) -> set[Expected]:
    fields = _each_field(event)
    if not fields:
        return set()
    gone = fields.pop(draw(st.integers(0, len(fields) - 1)))
    return {("removed", "field", f"/facets/schema/fields/{_token(gone['name'])}")}


def _retype(event: Event, draw: st.DrawFn) -> set[Expected]:
    if not _each_field(event):
        return set()
    field = draw(st.sampled_from(_each_field(event)))
    field["type"] = f"ARRAY<{field['type']}>"
    return {("changed", "type", f"/facets/schema/fields/{_token(field['name'])}/type")}


def _redescribe(event: Event, draw: st.DrawFn) -> set[Expected]:
    said = event["dataset"]["facets"].get("documentation")
    event["dataset"]["facets"]["documentation"] = facet(description="three")
    return {("changed" if said else "added", "description", "/facets/documentation/description")}


def _rotate(event: Event, draw: st.DrawFn) -> set[Expected]:
    fields = _each_field(event)
    if len(fields) < 2:
        return set()
    fields.append(fields.pop(0))
    for position, field in enumerate(fields, 1):
        field["ordinal_position"] = position
    return {("changed", "order", "/facets/schema/fields")}


def _add_input(event: Event, draw: st.DrawFn) -> set[Expected]:
    event.setdefault("inputs", []).insert(0, {"namespace": "file", "name": "fresh"})
    return {("added", "edge", "/inputs/file/fresh")}


def _remove_output(event: Event, draw: st.DrawFn) -> set[Expected]:
    if not event.get("outputs"):
        return set()
    gone = event["outputs"].pop()
    return {("removed", "edge", f"/outputs/{_token(KAFKA)}/{_token(gone['name'])}")}


def _new_facet(event: Event, draw: st.DrawFn) -> set[Expected]:
    event["job"]["facets"]["vendor_note"] = facet(text="x")
    return {("added", "facet", "/facets/vendor_note")}


def _token(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1")


_DATASET_EDITS = {
    "add a field": _add_field,
    "remove a field": _remove_field,
    "retype": _retype,
    "redescribe": _redescribe,
    "rotate": _rotate,
}
_JOB_EDITS = {"add an input": _add_input, "remove an output": _remove_output, "new facet": _new_facet}
