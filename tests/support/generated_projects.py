"""Hypothesis strategies for whole projects: valid ones, and ones with a fault that the export must refuse."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = st.text(
    st.characters(codec="utf-8", categories=("L", "N"), include_characters="-._~ /%"), min_size=1, max_size=8
).filter(lambda name: name.strip() and '"' not in name)
PROSE = st.one_of(st.none(), st.just(""), NAMES, st.just("größer ≥ 5 € 😀"))
TYPES = st.one_of(
    st.none(), st.sampled_from(["STRING", "DECIMAL(10, 2)", "  ", "ROW<a INT, b ROW<c STRING>>"])
)


@st.composite
def columns(draw: st.DrawFn) -> list[dict[str, Any]]:
    names = draw(st.lists(NAMES, max_size=3, unique=True))
    return [
        leave_out({"name": name, "type": draw(TYPES), "description": draw(PROSE)}, draw) for name in names
    ]


def leave_out(entry: dict[str, Any], draw: st.DrawFn) -> dict[str, Any]:
    """Return the entry with None either written or, as often, left out."""
    return {key: value for key, value in entry.items() if value is not None or draw(st.booleans())}


@st.composite
def projects(draw: st.DrawFn) -> dict[str, Any]:
    """Return a project document that loads, compiles and exports."""
    names = draw(st.lists(NAMES, min_size=1, max_size=9, unique=True))
    topics = [f"t{position}.{draw(NAMES)}" for position in range(len(names))]
    cut = draw(st.integers(0, len(names)))
    gateway = draw(st.booleans())
    sources = [
        leave_out(
            {
                "name": name,
                "topic": topic,
                "description": draw(PROSE),
                "owner": draw(PROSE),
                "columns": draw(columns()),
            },
            draw,
        )
        for name, topic in zip(names[:cut], topics[:cut], strict=True)
    ]
    readable = [("source", name, "kafka") for name in names[:cut]]
    models = []
    for name, topic in zip(names[cut:], topics[cut:], strict=True):
        model, output = draw(one_model(name, topic, readable, gateway=gateway))
        models.append(model)
        if output != "none":
            readable.append(("ref", name, output))
    runtime: dict[str, Any] = {"kafka": {"bootstrap_servers": "broker.example:9092"}}
    if gateway:
        runtime["conduktor"] = {"gateway": {"proxy_bootstrap": "gate.example:6969"}}
    return {
        "apiVersion": "streamt.dev/v1alpha1",
        "project": {"name": draw(NAMES)},
        "runtime": runtime,
        "sources": sources,
        "models": draw(st.permutations(models)),
    }


@st.composite
def one_model(
    draw: st.DrawFn, name: str, topic: str, readable: list[tuple[str, str, str]], *, gateway: bool
) -> tuple[dict[str, Any], str]:
    """Return a model and the kind of its output: `kafka`, `gateway` or `none`."""
    ordinary = [entry for entry in readable if entry[2] == "kafka"]
    kinds = ["topic", "declared", "flink"]
    kinds += ["virtual_topic"] if ordinary else []
    kinds += ["sink"] if readable else []
    kind = draw(st.sampled_from(kinds))
    model: dict[str, Any] = {
        "name": name,
        "description": draw(PROSE),
        "owner": draw(PROSE),
        "columns": draw(columns()),
    }
    model["contract"] = draw(st.one_of(st.none(), st.just({}), columns().map(lambda made: {"columns": made})))
    if kind == "sink":
        reads = draw(st.lists(st.sampled_from(readable), min_size=1, max_size=3, unique=True))
        model |= {"from": [{of: name} for of, name, _output in reads], "sink": {"connector": "s3-sink"}}
        return leave_out(model, draw), "none"
    if kind == "virtual_topic":
        of, read, _output = draw(st.sampled_from(ordinary))
        model |= {"materialized": kind, "sql": f'SELECT a FROM {{{{ {of}("{read}") }}}} WHERE a > 1'}
        model["topic"] = {"name": topic}
        return leave_out(model, draw), "gateway" if gateway else "kafka"
    model["topic"] = {"name": topic}
    if kind == "declared":
        return leave_out(model, draw), "kafka"
    reads = draw(st.lists(st.sampled_from(readable), max_size=3, unique=True)) if readable else []
    tables = ", ".join(f'{{{{ {of}("{read}") }}}}' for of, read, _output in reads) or "(VALUES (1))"
    model |= {"materialized": kind, "sql": f"SELECT a FROM {tables}"}
    return leave_out(model, draw), "kafka"


FAULTS = {
    "blank project name": lambda document: document["project"].update(name=" "),
    "two brokers": lambda document: document["runtime"]["kafka"].update(bootstrap_servers="a:1,b:2"),
    "blank topic": lambda document: document["sources"].append({"name": "fault", "topic": "\t"}),
    "unrendered topic": lambda document: document["sources"].append({"name": "fault", "topic": "${R}.x"}),
    "one dataset twice": lambda document: document["sources"].extend(
        [{"name": "fault a", "topic": "same"}, {"name": "fault b", "topic": "same"}]
    ),
    "blank description": lambda document: document["sources"].append(
        {"name": "fault", "topic": "fault", "description": "\n"}
    ),
    "a field twice": lambda document: document["sources"].append(
        {"name": "fault", "topic": "fault", "columns": [{"name": "a"}, {"name": "a"}]}
    ),
    "an unknown source": lambda document: document["models"].append(
        {"name": "fault", "sql": '{{ source("no") }}'}
    ),
    "a circle": lambda document: document["models"].append({"name": "fault", "sql": '{{ ref("fault") }}'}),
    "an undefined word": lambda document: document["models"].append(
        {"name": "fault", "sql": "{{ undefined }}"}
    ),
    "a sink that is read": lambda document: document["models"].extend(
        [
            {"name": "fault", "topic": {"name": "fault"}},
            {"name": "fault sink", "from": "fault", "sink": {"connector": "c"}},
            {"name": "fault reader", "materialized": "flink", "from": "fault sink"},
        ]
    ),
}
"""What is wrong to a change that makes a valid document so."""
