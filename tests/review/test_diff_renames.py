"""Renames are suggested where exactly one that went looks like one that came."""

from __future__ import annotations

import json
from pathlib import Path

from designed_events import KAFKA, Event, dataset, job, pipeline

from streamt_ol.engine.ruleset import load_rules
from streamt_ol.review.diffs.diff import diff_exports

RULES = load_rules(Path(__file__).resolve().parents[2] / "rules")


def renames(old: list[Event], new: list[Event]) -> list[tuple[str, str, str]]:
    return [(rename.kind, rename.old, rename.new) for rename in diff_exports(old, new, RULES).renames]


def replaced(export: list[Event], **names: str) -> list[Event]:
    text = json.dumps(export)
    for old, new in names.items():
        text = text.replace(f'"name": "{old}"', f'"name": "{new}"')
    return json.loads(text)


def test_a_dataset_with_the_same_schema_and_edges_is_perhaps_renamed() -> None:
    diff = diff_exports(pipeline(), replaced(pipeline(), clean="tidy"), RULES)

    assert [(rename.kind, rename.old, rename.new) for rename in diff.renames] == [
        ("dataset", "clean", "tidy")
    ]
    assert [change.message for change in diff.changes if change.subject == "dataset"] == [
        "dataset clean is gone",
        "dataset tidy is new",
    ]


def test_a_job_and_its_dataset_renamed_together_are_both_suggested() -> None:
    new = replaced(pipeline(), paying="paying_v2", paid="paid_v2")

    assert renames(pipeline(), new) == [("dataset", "paid", "paid_v2"), ("job", "paying", "paying_v2")]


def test_a_renamed_chain_is_followed_from_its_end() -> None:
    new = replaced(pipeline(), cleaning="c2", clean="d2", paying="e2", paid="f2")

    assert renames(pipeline(), new) == [
        ("dataset", "clean", "d2"),
        ("dataset", "paid", "f2"),
        ("job", "cleaning", "c2"),
        ("job", "paying", "e2"),
    ]


def test_another_schema_is_no_rename() -> None:
    new = replaced(pipeline(), clean="tidy")
    new[1]["dataset"]["facets"]["schema"]["fields"].pop()

    assert renames(pipeline(), new) == []


def test_other_edges_are_no_rename() -> None:
    new = replaced(pipeline(), clean="tidy")
    new[6].pop("inputs")

    assert renames(pipeline(), new) == []


def test_two_that_look_the_same_are_no_suggestion() -> None:
    old = [dataset("a", "id"), dataset("b", "id")]

    assert renames(old, [dataset("c", "id"), dataset("d", "id")]) == []
    assert renames(old, [dataset("c", "id")]) == []


def test_what_moved_to_another_namespace_keeps_its_name() -> None:
    new = json.loads(json.dumps(pipeline()).replace(KAFKA, "kafka://other.example:9092"))

    assert renames(pipeline(), new) == [
        ("dataset", f"{KAFKA}/{name}", f"kafka://other.example:9092/{name}")
        for name in ("clean", "late", "paid", "raw")
    ]


def test_nothing_in_common_but_emptiness_is_no_suggestion() -> None:
    assert renames([dataset("a"), job("j")], [dataset("b"), job("k")]) == []


def test_the_id_of_a_rename_is_stable() -> None:
    (rename,) = diff_exports([dataset("a", "id")], [dataset("b", "id")], RULES).renames

    assert rename.id == "6a72b438e24c"
