"""What holds for the difference of any two exports."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import orjson
from designed_events import Event, edited, exports
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.engine.ruleset import load_rules
from streamt_ol.review.diffs import diff_markdown, diff_text
from streamt_ol.review.diffs.diff import diff_exports
from streamt_ol.review.diffs.found import SUBJECTS

RULES = load_rules(Path(__file__).resolve().parents[2] / "rules")

OPPOSITE = {"added": "removed", "removed": "added", "changed": "changed"}


@given(exports(), st.randoms(use_true_random=False))
def test_neither_time_nor_order_makes_an_export_differ_from_itself(old: list[Event], random: Any) -> None:
    new = [{**event, "eventTime": "2031-01-01T00:00:00Z"} for event in copy.deepcopy(old)]
    random.shuffle(new)
    diff = diff_exports(old, new, RULES)

    assert diff.is_empty
    assert diff.renames == ()


@given(exports(), exports())
def test_what_is_added_one_way_is_removed_the_other_way(old: list[Event], new: list[Event]) -> None:
    there = diff_exports(old, new, RULES).changes
    back = diff_exports(new, old, RULES).changes

    assert sorted((change.operation, change.subject, change.of, change.path) for change in there) == sorted(
        (OPPOSITE[change.operation], change.subject, change.of, change.path) for change in back
    )


@given(edited())
def test_exactly_the_edits_are_found(case: tuple[list[Event], list[Event], set[tuple[str, ...]]]) -> None:
    old, new, wanted = case
    found = [
        (change.operation, change.subject, change.of.name, change.path)
        for change in diff_exports(old, new, RULES).changes
    ]

    assert sorted(found) == sorted(wanted)


@given(exports(), exports(), st.randoms(use_true_random=False))
def test_the_order_of_lines_and_keys_changes_nothing(old: list[Event], new: list[Event], random: Any) -> None:
    before = diff_exports(old, new, RULES)
    for side in (old, new):
        random.shuffle(side)
        side[:] = [dict(reversed(event.items())) for event in side]
    after = diff_exports(old, new, RULES)

    assert after.document() == before.document()
    assert diff_text.render(after) == diff_text.render(before)
    assert diff_markdown.render(after) == diff_markdown.render(before)


@given(exports(), exports())
def test_ids_are_unique_and_changes_sorted(old: list[Event], new: list[Event]) -> None:
    diff = diff_exports(old, new, RULES)
    severities = ["breaking", "notable", "cosmetic"]
    ranks = [
        (severities.index(change.severity), SUBJECTS.index(change.subject), change.identity)
        for change in diff.changes
    ]

    assert len({change.id for change in diff.changes}) == len(diff.changes)
    assert ranks == sorted(ranks)


@given(exports(), exports())
def test_the_closure_of_a_change_is_what_can_be_reached(old: list[Event], new: list[Event]) -> None:
    fed: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for event in [*old, *new]:
        if "job" in event:
            job = ("job", event["job"]["namespace"], event["job"]["name"])
            for read in event.get("inputs", ()):
                fed.setdefault(("dataset", read["namespace"], read["name"]), set()).add(job)
            for written in event.get("outputs", ()):
                fed.setdefault(job, set()).add(("dataset", written["namespace"], written["name"]))
    diff = diff_exports(old, new, RULES)
    for change in diff.changes:
        start = tuple(change.edge.target if change.edge else change.of)
        reached: set[tuple[str, ...]] = set()
        waiting = [start]
        while waiting:
            for node in fed.get(waiting.pop(), set()) - reached:
                reached.add(node)
                waiting.append(node)
        reached.discard(start)
        if change.edge and start != tuple(change.of):
            reached.add(start)

        assert change.fed == len(reached)
        assert len(change.feeds) == len(set(change.feeds)) == len(reached)


def test_the_subjects_of_the_program_are_those_of_the_vocabulary() -> None:
    assert RULES.vocabulary.domains["difference"] == SUBJECTS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)


@given(JSON, JSON)
def test_a_facet_of_anybody_differs_if_and_only_if_its_json_does(old: Any, new: Any) -> None:
    def export(value: Any) -> list[Event]:
        facets = {"vendor": {"value": value, "kept": 1}}
        return [{"dataset": {"namespace": "n", "name": "d", "facets": facets}}]

    diff = diff_exports(export(old), export(new), RULES)
    differ = orjson.dumps(old, option=orjson.OPT_SORT_KEYS) != orjson.dumps(new, option=orjson.OPT_SORT_KEYS)

    assert [change.path for change in diff.changes] == (["/facets/vendor/value"] if differ else [])


def test_true_is_not_one() -> None:
    events = [
        [{"dataset": {"namespace": "n", "name": "d", "facets": {"v": {"on": value}}}}] for value in (True, 1)
    ]

    assert [change.operation for change in diff_exports(*events, RULES).changes] == ["changed"]
