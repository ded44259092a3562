"""Which resources a selection leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checked import compiled, packaged_rules

from streamt_ol.deploy.applying.gates import Gates
from streamt_ol.deploy.applying.selection import Selection, select
from streamt_ol.deploy.records import Desired


def model(name: str, *reads: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "materialized": "topic", "from": [{"ref": read} for read in reads], **more}


MODELS = [
    {"name": "clean", "materialized": "topic", "from": [{"source": "orders"}]},
    model("paid", "clean", tags=["money"]),
    model("late", "clean", tags=["alarm"]),
    model("dues", "paid", "late", tags=["money", "alarm"]),
    model("alone"),
]
TESTS = [
    {"name": "about_clean", "model": "clean", "type": "schema"},
    {"name": "about_orders", "model": "orders", "type": "schema"},
    {"name": "about_alone", "model": "alone", "type": "schema"},
]


def chosen(folder: Path, target: str | None = None, tag: str | None = None) -> Selection | None:
    graph = compiled(folder, models=MODELS, tests=TESTS)
    return select(graph, target, tag and f"tag:{tag}", Gates(packaged_rules(), "default", "plan.json"))


def names(selection: Selection | None) -> list[str]:
    assert selection is not None
    return [MODELS[position]["name"] for position in sorted(selection.models)]


@pytest.mark.parametrize(
    ("target", "tag", "models"),
    [
        ("clean", None, ["clean"]),
        ("paid", None, ["clean", "paid"]),
        ("dues", None, ["clean", "paid", "late", "dues"]),
        (None, "alarm", ["clean", "paid", "late", "dues"]),
        (None, "money", ["clean", "paid", "late", "dues"]),
        ("paid", "alarm", ["clean", "paid"]),
        ("late", "money", ["clean", "late"]),
        ("alone", None, ["alone"]),
    ],
)
def test_a_model_brings_all_that_it_reads(
    tmp_path: Path, target: str | None, tag: str | None, models: list[str]
) -> None:
    assert names(chosen(tmp_path, target, tag)) == models


def test_without_an_option_nothing_is_selected(tmp_path: Path) -> None:
    assert chosen(tmp_path) is None


def desired(at: str, ownership: str = "managed") -> Desired:
    return Desired(
        f"streamt://shop/default/topic{at}", "topic", at, at, ownership, at, {}, "sha256:0", "direct-kafka"
    )


def test_sources_tests_about_them_and_what_is_external_stay(tmp_path: Path) -> None:
    selection = chosen(tmp_path, "paid")
    assert selection is not None

    everything = [
        desired("/models/0"),
        desired("/models/2"),
        desired("/models/4", "external"),
        desired("/sources/0"),
        desired("/tests/0"),
        desired("/tests/1"),
        desired("/tests/2"),
    ]

    assert [one.at for one in selection.of(everything)] == [
        "/models/0",
        "/models/4",
        "/sources/0",
        "/tests/0",
        "/tests/1",
    ]


def test_a_selection_without_a_source_leaves_sources_out(tmp_path: Path) -> None:
    selection = chosen(tmp_path, "alone")
    assert selection is not None

    assert selection.of([desired("/sources/0"), desired("/tests/2")]) == (desired("/tests/2"),)
