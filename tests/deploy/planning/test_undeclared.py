"""What the state owns and the project does not declare any more."""

from __future__ import annotations

import pytest
from checked import packaged_rules
from planned import BACKEND, NOTHING, known, planned, surface, there, topic, topic_id

from streamt_ol.deploy.planning.removals import Removal
from streamt_ol.deploy.planning.undeclared import (
    Undeclared,
    undeclared,
    undeclared_lines,
    undeclared_values,
)
from streamt_ol.deploy.records import Desired, Surface
from streamt_ol.deploy.state.records import Record, Snapshot

TOPIC = "no plan deletes a topic; what nobody needs is deleted with the tools of Kafka"
CONNECT = "kafka-connect:v1:main:sha256:0"


def owns(*records: tuple[str, str, str, str]) -> Snapshot:
    """Return a state of records given as kind, owner, name and service."""
    resources = {
        f"streamt://shop/default/{kind}/{owner}": Record(name, "managed", f"sha256:{0:064}", backend)
        for kind, owner, name, backend in records
    }
    return Snapshot("shop", "default", 1, resources)


def left(
    snapshot: Snapshot,
    desired: tuple[Desired, ...] = (),
    removals: tuple[Removal, ...] = (),
    **shown: Surface | None,
) -> tuple[Undeclared, ...]:
    """Return what is left beside a plan of topics, of which those are there that are shown."""
    topics = {one.physical_name: None for one in desired}
    plan = planned([one for one in desired if one.kind == "topic"], snapshot, there(**(topics | shown)))
    return undeclared(plan, snapshot, desired, removals, packaged_rules())


def removal(owner: str, name: str, backend: str = CONNECT) -> Removal:
    resource_id = f"streamt://shop/default/connector/{owner}"
    at = "/lifecycle/connector_removals/0"
    return Removal(resource_id, "connector", owner, name, at, "main", backend=backend)


def test_what_the_state_owns_and_nobody_declares_is_told_with_how_it_is_let_go_of() -> None:
    assert left(known("orders", refunds="shop.refunds.v1"), (topic("orders"),)) == (
        Undeclared(
            resource_id=topic_id("refunds"),
            kind="topic",
            logical_name="refunds",
            physical_name="shop.refunds.v1",
            backend=BACKEND,
            elsewhere=False,
            remedy=TOPIC,
        ),
    )


def test_a_state_without_records_leaves_nothing() -> None:
    assert left(NOTHING, (topic("orders"),)) == ()


@pytest.mark.parametrize("mode", ["managed", "adopted", "external"])
def test_what_is_declared_in_whatever_way_is_not_left_over(mode: str) -> None:
    assert left(known("orders"), (topic("orders", mode=mode),)) == ()


def test_kinds_stand_in_the_order_of_their_execution_each_by_name() -> None:
    snapshot = owns(
        ("gateway_rule", "a", "a", "conduktor-gateway:v1:p:sha256:0"),
        ("connector", "a", "a", CONNECT),
        ("flink_job", "a", "a", "flink:v1:main"),
        ("topic", "b", "a", BACKEND),
        ("topic", "a", "z", BACKEND),
        ("schema", "z", "z-value", "schema-registry"),
    )

    assert [(one.kind, one.physical_name, one.remedy) for one in left(snapshot)] == [
        ("schema", "z-value", "no plan deletes a schema; what nobody needs is deleted in the registry"),
        ("topic", "a", TOPIC),
        ("topic", "z", TOPIC),
        ("flink_job", "a", "no plan cancels a job; what nobody needs is cancelled in Flink"),
        ("connector", "a", "`lifecycle.connector_removals` removes it"),
        ("gateway_rule", "a", "`lifecycle.gateway_rule_removals` removes it"),
    ]


def test_of_a_kind_that_no_table_has_the_record_is_told_last_and_nothing_made_up() -> None:
    snapshot = owns(("runner", "a", "a", "docker"), ("topic", "b", "b", BACKEND))
    found = left(snapshot)

    assert [(one.kind, one.remedy) for one in found] == [("topic", TOPIC), ("runner", None)]
    assert [line.text for line in undeclared_lines(found)][2] == "  runner a (of a)"


def test_what_lifecycle_removes_is_told_by_its_removal_alone() -> None:
    snapshot = owns(("connector", "archive", "orders-archive", CONNECT), ("connector", "b", "b", CONNECT))

    for name in ("orders-archive", "not-as-the-state-has-it"):  # that blocks the plan, which tells both names
        assert [one.logical_name for one in left(snapshot, (), (removal("archive", name),))] == ["b"]


def test_a_removal_under_a_wrong_owner_tells_who_has_the_connector() -> None:
    snapshot = owns(("connector", "archive", "orders-archive", CONNECT))

    assert left(snapshot, (), (removal("archives", "orders-archive"),)) == ()


def test_what_a_renamed_model_wants_is_not_left_over() -> None:
    assert left(known(sales="orders"), (topic("orders", logical="purchases"),)) == ()


def test_a_model_that_wants_another_topic_leaves_the_one_it_had() -> None:
    snapshot = known(sales="orders")
    renamed, kept = topic("orders.v2", logical="purchases"), topic("orders.v2", logical="sales")

    assert [one.resource_id for one in left(snapshot, (renamed,))] == [topic_id("sales")]
    assert [one.physical_name for one in left(snapshot, (kept,))] == ["orders"]


def test_what_takes_a_decision_first_is_told_by_what_the_plan_requires() -> None:
    taken = topic("taken", logical="sales")

    assert [one.physical_name for one in left(known(sales="orders"), (taken,))] == ["orders"]
    assert left(known(sales="orders"), (taken,), taken=surface()) == ()


def test_a_job_that_moves_to_another_cluster_is_left_on_the_one_it_was_on() -> None:
    snapshot = owns(("flink_job", "large", "large", "flink:v1:old"))
    moved = topic("large")._replace(
        resource_id="streamt://shop/default/flink_job/large", kind="flink_job", backend="flink:v1:new"
    )
    found = left(snapshot, (moved,))

    assert [line.text for line in undeclared_lines(found)][1] == (
        "  flink_job large (of large) on flink:v1:old: "
        "no plan cancels a job; what nobody needs is cancelled in Flink"
    )


def test_what_is_external_by_now_is_declared_also_where_no_service_is_left() -> None:
    snapshot = owns(("connector", "archive", "orders-archive", CONNECT))
    external = topic("orders-archive", mode="external")._replace(kind="connector", backend="kafka-connect")

    assert left(snapshot, (external,)) == ()


def test_a_name_on_another_cluster_is_another_resource() -> None:
    snapshot = owns(("connector", "archive", "orders-archive", CONNECT))
    elsewhere = removal("archives", "orders-archive", "kafka-connect:v1:other:sha256:0")

    assert [one.logical_name for one in left(snapshot, (), (elsewhere,))] == ["archive"]


def test_people_read_a_line_for_each() -> None:
    one = left(known("orders"))
    two = left(known("orders", refunds="shop.refunds.v1"))

    assert [line.text for line in undeclared_lines(one)] == [
        "Left alone: 1 resource that the project owns and does not declare any more:",
        f"  topic orders (of orders): {TOPIC}",
    ]
    assert [line.text for line in undeclared_lines(two)] == [
        "Left alone: 2 resources that the project owns and does not declare any more:",
        f"  topic orders (of orders): {TOPIC}",
        f"  topic shop.refunds.v1 (of refunds): {TOPIC}",
    ]
    assert [*undeclared_lines(())] == []


def test_programs_read_plain_values_and_null_where_no_state_was_read() -> None:
    assert undeclared_values(left(known(refunds="shop.refunds.v1"))) == [
        {
            "resource_id": topic_id("refunds"),
            "kind": "topic",
            "logical_name": "refunds",
            "physical_name": "shop.refunds.v1",
            "backend": BACKEND,
            "elsewhere": False,
            "remedy": TOPIC,
        }
    ]
    assert undeclared_values(()) == []
    assert undeclared_values(None) is None
