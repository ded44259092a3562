"""What has to be so before a resource is adopted."""

from __future__ import annotations

import pytest

from streamt_ol.deploy.applying.adopting import (
    find_target,
    given_up,
    refuse_absent,
    refuse_moved,
    refuse_other_records,
)
from streamt_ol.deploy.applying.errors import (
    AdoptConflictError,
    AdoptFailedError,
    AdoptLiveMissingError,
    AdoptTargetError,
)
from streamt_ol.deploy.records import Desired, Live
from streamt_ol.deploy.state.records import Record, Snapshot


def desired(name: str, ownership: str = "adopted", kind: str = "topic") -> Desired:
    checksum = f"sha256:{'1' * 64}"
    return Desired(
        f"streamt://shop/default/{kind}/{name}",
        kind,
        name,
        name,
        ownership,
        "/models/0",
        {},
        checksum,
        "direct-kafka",
    )


def snapshot(**names: str) -> Snapshot:
    """Return a state with a record of each resource, with its physical name."""
    records = {
        f"streamt://shop/default/topic/{resource}": Record(
            name, "managed", f"sha256:{'0' * 64}", "direct-kafka"
        )
        for resource, name in names.items()
    }
    return Snapshot("shop", "default", 1, records)


def test_what_is_declared_as_adopted_is_found_by_kind_and_name() -> None:
    wanted = desired("orders")

    assert find_target("topic:orders", [desired("other"), wanted], ["topic"]) is wanted


def test_what_cannot_be_adopted_is_told_with_what_can() -> None:
    declared = [desired("orders"), desired("made", "managed"), desired("seen", "external")]

    with pytest.raises(AdoptTargetError) as unknown:
        find_target("topic:order", declared, ["topic"])
    with pytest.raises(AdoptTargetError) as unspelled:
        find_target("orders", declared, ["topic"])
    with pytest.raises(AdoptTargetError) as managed:
        find_target("topic:made", declared, ["topic"])
    with pytest.raises(AdoptTargetError) as unreachable:
        find_target("connector:sink", [desired("sink", kind="connector")], ["topic"])

    assert unknown.value.message == "the project declares no 'topic:order'"
    assert unknown.value.suggestion == "declared as adopted: topic:orders"
    assert unspelled.value.message == "a resource is named as KIND:NAME"
    assert managed.value.message == "'topic:made' is declared as managed, so nobody wants it adopted"
    assert unreachable.value.message == "this version cannot look at a connector"


def test_a_record_of_it_is_a_conflict() -> None:
    with pytest.raises(AdoptConflictError, match="the state has a record of it already: orders, managed"):
        given_up(desired("orders"), snapshot(orders="orders"), [])


def test_a_name_that_another_record_claims_is_a_conflict() -> None:
    with pytest.raises(
        AdoptConflictError, match="streamt://shop/default/topic/purchases claims the same name"
    ):
        given_up(desired("orders"), snapshot(purchases="orders"), ["streamt://shop/default/topic/purchases"])


def test_the_record_under_a_name_that_is_not_declared_any_more_is_given_up() -> None:
    state = snapshot(purchases="orders", other="other")

    given = given_up(desired("orders"), state, ["streamt://shop/default/topic/other"])

    assert given == {
        "streamt://shop/default/topic/purchases": state.resources["streamt://shop/default/topic/purchases"]
    }


def test_the_record_of_it_in_another_place_is_given_up() -> None:
    resource = "streamt://shop/default/connector/sink"
    there = Record("sink", "managed", f"sha256:{'0' * 64}", "kafka-connect:v1:main:sha256:old")
    here = desired("sink", kind="connector")._replace(backend="kafka-connect:v1:main:sha256:new")

    assert given_up(here, Snapshot("shop", "default", 1, {resource: there}), [resource]) == {resource: there}


def test_a_record_of_that_name_in_another_place_is_a_conflict() -> None:
    other = "streamt://shop/default/connector/old"
    there = Record("sink", "managed", f"sha256:{'0' * 64}", "kafka-connect:v1:main:sha256:old")
    here = desired("sink", kind="connector")._replace(backend="kafka-connect:v1:main:sha256:new")

    with pytest.raises(AdoptConflictError, match="streamt://shop/default/connector/old claims the same name"):
        given_up(here, Snapshot("shop", "default", 1, {other: there}), [])


def test_records_of_others_stay() -> None:
    assert given_up(desired("orders"), snapshot(purchases="bought"), []) == {}


def test_other_records_than_were_shown_are_not_given_up() -> None:
    shown = snapshot(purchases="orders").resources

    refuse_other_records(dict(shown), dict(shown))
    with pytest.raises(AdoptFailedError, match="are not what was shown any more"):
        refuse_other_records(dict(shown), {})


def test_what_does_not_exist_is_not_adopted() -> None:
    refuse_absent(desired("orders"), Live("topic", "orders", {"partitions": 1}))
    with pytest.raises(AdoptLiveMissingError, match="there is no topic 'orders' to adopt"):
        refuse_absent(desired("orders"), Live("topic", "orders", None))


def test_what_moved_since_it_was_shown_is_not_adopted() -> None:
    shown = Live("topic", "orders", {"partitions": 1})

    refuse_moved(shown, Live("topic", "orders", {"partitions": 1}))
    with pytest.raises(AdoptFailedError, match="the topic 'orders' is not what was shown any more"):
        refuse_moved(shown, Live("topic", "orders", {"partitions": 2}))
