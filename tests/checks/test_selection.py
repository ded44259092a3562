"""Which tests run, which models have one, and which topics are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked import all_tests, compiled, read_project

from streamt_ol.checks.coverage import Coverage, coverage
from streamt_ol.checks.selection import select
from streamt_ol.checks.topics import Topics

TESTS = [
    {"name": "a", "model": "orders", "type": "sample"},
    {"name": "b", "model": "orders", "type": "schema"},
    {"name": "c", "model": "Orders", "type": "sample"},
    {"name": "d", "model": "clean", "type": "continuous"},
]


@pytest.mark.parametrize(
    ("model", "kind", "names"),
    [
        (None, None, ["a", "b", "c", "d"]),
        ("orders", None, ["a", "b"]),
        (None, "sample", ["a", "c"]),
        ("orders", "sample", ["a"]),
        ("clean", "sample", []),
        ("order", None, []),
    ],
)
def test_filters_are_exact_and_both_hold(model: str | None, kind: str | None, names: list[str]) -> None:
    assert [test.name for test in select(TESTS, model, kind)] == names


def test_a_selected_test_keeps_its_place_in_the_project() -> None:
    (test,) = select(TESTS, "clean")

    assert (test.position, test.at) == (3, "/tests/3")
    assert "raw" not in repr(test)


@pytest.mark.parametrize(
    ("covered", "percent"), [([True, True, False], 66), ([False], 0), ([True], 100), ([], 0)]
)
def test_the_share_of_covered_models_is_rounded_down(covered: list[bool], percent: int) -> None:
    assert Coverage(tuple(("m", each) for each in covered)).percent == percent


def test_a_model_is_covered_if_any_test_names_it_and_sources_are_not_counted(tmp_path: Path) -> None:
    models = [{"name": name, "materialized": "topic"} for name in ("clean", "lost")]
    project = read_project(tmp_path, models=models, tests=[TESTS[0], TESTS[3]])

    found = coverage(project)

    assert found.models == (("clean", True), ("lost", False))
    assert (found.covered, found.percent) == (1, 50)


MODELS = [
    {"name": "named", "materialized": "topic", "topic": {"name": "shop.named"}},
    {"name": "unnamed", "materialized": "topic"},
    {"name": "empty", "materialized": "topic", "topic": {"name": ""}},
    {
        "name": "aliased",
        "sql": "SELECT id FROM {{ source('orders') }}",
        "materialized": "virtual_topic",
        "gateway": {"virtual_topic": {"name": "alias"}},
    },
    {
        "name": "sunk",
        "from": [{"source": "orders"}],
        "materialized": "sink",
        "sink": {"connector": "jdbc"},
    },
]


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("orders", "shop.orders"),
        ("named", "shop.named"),
        ("unnamed", "unnamed"),
        ("empty", "empty"),
        ("aliased", "aliased"),
        ("sunk", "sunk"),
        ("nobody", None),
    ],
)
def test_a_topic_is_the_configured_one_else_the_name_and_never_an_alias(
    tmp_path: Path, name: str, topic: str | None
) -> None:
    assert Topics(compiled(tmp_path, models=MODELS)).of(name) == topic


def test_sampled_topics_are_those_of_sample_tests_sorted_and_each_once(tmp_path: Path) -> None:
    tests = [
        {"name": f"{model}_{kind}_{again}", "model": model, "type": kind}
        for model, kind, again in (
            ("unnamed", "sample", 1),
            ("orders", "sample", 1),
            ("orders", "sample", 2),
            ("named", "schema", 1),
            ("sunk", "continuous", 1),
            ("nobody", "sample", 1),
        )
    ]
    graph = compiled(tmp_path, models=MODELS, tests=tests)

    assert Topics(graph).sampled(all_tests(graph)) == ("shop.orders", "unnamed")
