"""Surfaces of topics against each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.deploy.providers.topic_changes import alterations, differing, impossible

CONFIGS = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), st.sampled_from(["1", "2", "3"]))
SURFACES = st.fixed_dictionaries(
    {
        "partitions": st.integers(1, 4),
        "replication_factor": st.integers(1, 3),
        "config": CONFIGS,
    }
)


def surface(partitions: int = 3, replication_factor: int = 2, **config: str) -> dict:
    return {"partitions": partitions, "replication_factor": replication_factor, "config": config}


def test_every_field_that_moved_is_named_and_no_other() -> None:
    planned = surface(3, 2, changed="1", gone="1", same="1")
    live = surface(4, 3, changed="2", new="1", same="1")

    assert differing(planned, live) == (
        "partitions",
        "replication_factor",
        "config/changed",
        "config/gone",
        "config/new",
    )


@pytest.mark.parametrize(("planned", "live"), [(None, surface()), (surface(), None)])
def test_a_topic_on_one_side_alone_differs_in_its_existence(planned: dict | None, live: dict | None) -> None:
    assert differing(planned, live) == ("existence",)


def test_nothing_on_both_sides_is_no_difference() -> None:
    assert differing(None, None) == ()


def test_a_setting_that_the_broker_does_not_show_differs_from_none() -> None:
    assert differing(surface(secret="planned"), surface(secret="***")) == ()
    assert differing(surface(), surface(secret="***")) == ("config/secret",)
    assert alterations({"secret": "***"}, {"secret": "planned"}) == {}


def test_an_update_names_what_it_sets_and_what_goes_back_to_its_default() -> None:
    before = {"changed": "1", "gone": "1", "same": "1"}
    after = {"changed": "2", "new": "1", "same": "1"}

    assert alterations(before, after) == {"changed": "2", "gone": None, "new": "1"}


@given(SURFACES, SURFACES)
def test_surfaces_differ_exactly_if_they_are_not_equal(one: dict, other: dict) -> None:
    assert bool(differing(one, other)) is (one != other)
    assert differing(one, other) == differing(other, one)


@given(CONFIGS, CONFIGS)
def test_alterations_make_the_one_of_the_other_and_touch_nothing_else(before: dict, after: dict) -> None:
    changes = alterations(before, after)
    altered = {**before, **changes}

    assert {name: value for name, value in altered.items() if value is not None} == after
    assert all(before.get(name) != after.get(name) for name in changes)


@given(SURFACES, SURFACES)
def test_an_update_may_raise_partitions_and_leaves_replicas(before: dict, after: dict) -> None:
    possible = before["partitions"] <= after["partitions"] and (
        before["replication_factor"] == after["replication_factor"]
    )

    assert (impossible(before, after) is None) is possible


def test_why_an_update_cannot_be_is_told_with_both_numbers() -> None:
    assert impossible(surface(3), surface(2)) == ("fewer_partitions", "it has 3, and 2 are planned")
    assert impossible(surface(3, 2), surface(4, 3)) == ("other_replicas", "it has 2, and 3 are planned")
