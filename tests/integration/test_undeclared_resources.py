"""What the project does not declare any more stays, and `plan` and `apply` tell it: on a real broker.

Gateway rules are those of a stand-in for Conduktor Gateway, which cannot be had.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from applied import NOWHERE, apply, codes, state, told, topic, write_project
from brokers import Broker
from gateway_stand_in import gateway_stand_in
from program import run_streamt

HEADER = "Left alone: 1 resource that the project owns and does not declare any more:"
REMEDY = "no plan deletes a topic; what nobody needs is deleted with the tools of Kafka"


@pytest.fixture
def names() -> tuple[str, str]:
    """Return names of topics that no other test has."""
    return f"kept-{uuid4().hex[:12]}", f"left-{uuid4().hex[:12]}"


def project(folder: Path, broker: Broker, *models: dict[str, Any], **more: Any) -> Path:
    return write_project(folder, *models, address=broker.address, **more)


@pytest.fixture
def shop(broker: Broker, tmp_path: Path, names: tuple[str, str]) -> Path:
    """Return a project with two topics that were applied, of which it declares the first alone now."""
    kept, left = names
    folder = project(tmp_path / "shop", broker, topic(kept), topic(left))
    assert apply(folder).exit_status == 0
    return project(folder, broker, topic(kept))


def plan_lines(folder: Path, *options: str | Path) -> list[str]:
    done = run_streamt("plan", "-p", folder, *options)
    assert done.exit_status == 0, done.stderr
    return done.stdout.splitlines()[2:]


def plan_data(folder: Path, *options: str | Path) -> dict[str, Any]:
    done = run_streamt("--output", "json", "plan", "-p", folder, *options)
    assert done.exit_status == 0, done.stderr
    data: dict[str, Any] = told(done)["data"]
    return data


def apply_lines(folder: Path, *options: str | Path, status: int = 0) -> list[str]:
    done = run_streamt("apply", "-p", folder, *options)
    assert done.exit_status == status, done.stderr
    return done.stdout.splitlines()


def line(name: str) -> str:
    return f"  topic {name} (of {name}): {REMEDY}"


def test_a_plan_tells_of_a_topic_whose_model_was_removed(
    broker: Broker, shop: Path, names: tuple[str, str]
) -> None:
    assert plan_lines(shop) == ["Nothing to do: 1 resource as declared.", HEADER, line(names[1])]

    data = plan_data(shop)

    assert data["undeclared"] == [
        {
            "resource_id": f"streamt://shop/default/topic/{names[1]}",
            "kind": "topic",
            "logical_name": names[1],
            "physical_name": names[1],
            "backend": "direct-kafka",
            "elsewhere": False,
            "remedy": REMEDY,
        }
    ]
    assert (data["has_changes"], data["deletes"], data["is_apply_blocked"]) == (False, 0, False)
    assert names[1] in broker.topics()


def test_where_everything_is_declared_nothing_is_told(
    broker: Broker, shop: Path, names: tuple[str, str]
) -> None:
    project(shop, broker, *map(topic, names))

    assert plan_lines(shop) == ["Nothing to do: 2 resources as declared."]
    assert plan_data(shop)["undeclared"] == []


def test_offline_nothing_is_known_and_nothing_is_told(shop: Path) -> None:
    assert HEADER not in plan_lines(shop, "--offline")
    assert plan_data(shop, "--offline")["undeclared"] is None


def test_nobody_is_asked_whether_it_is_still_there(shop: Path, names: tuple[str, str]) -> None:
    write_project(shop, address=NOWHERE)

    assert plan_lines(shop)[1:] == [
        "Left alone: 2 resources that the project owns and does not declare any more:",
        line(names[0]),
        line(names[1]),
    ]


def test_a_saved_plan_does_not_have_it_and_is_applied_as_ever(shop: Path, names: tuple[str, str]) -> None:
    saved = shop.parent / "shop.plan"
    assert plan_data(shop, "--out", saved)["plan_format_version"] == 5

    assert names[1] not in saved.read_text("utf-8")
    assert apply_lines(shop, "--plan", saved)[0] == "Nothing to do, 1 unchanged. The state has serial 1."


def test_an_apply_tells_it_after_its_counts_with_a_saved_plan_or_without(
    broker: Broker, shop: Path, names: tuple[str, str]
) -> None:
    kept, left = names
    fresh = apply_lines(project(shop, broker, topic(kept, 2)))
    saved = shop.parent / "shop.plan"
    plan_lines(project(shop, broker, topic(kept, 3)), "--out", saved)
    reviewed = apply_lines(shop, "--plan", saved)

    for shown in (fresh, reviewed):
        assert shown[-4].startswith("1 done, 0 unchanged. The state has serial ")
        assert shown[-3].startswith("Operation ")
        assert shown[-2:] == [HEADER, line(left)]
        assert shown.count(HEADER) == 1
    again = told(apply(shop))["data"]
    assert [one["physical_name"] for one in again["undeclared"]] == [left]
    assert (again["unchanged"], again["deleted"]) == ([f"topic:{kept}"], [])
    assert left in broker.topics()
    assert len(state(shop)["resources"]) == 2


def test_a_dry_run_and_a_plan_that_is_blocked_tell_it_too(
    broker: Broker, shop: Path, names: tuple[str, str]
) -> None:
    kept, left = names
    assert apply_lines(shop, "--dry-run")[-2:] == [HEADER, line(left)]
    assert [one["kind"] for one in told(apply(shop, "--dry-run"))["data"]["undeclared"]] == ["topic"]

    foreign = broker.new_topic()
    project(shop, broker, topic(kept), topic(foreign))

    assert apply_lines(shop, status=1)[-2:] == [HEADER, line(left)]
    blocked = apply(shop)
    assert codes(blocked) == ["E410_OWNERSHIP_REQUIRED"]
    assert [one["physical_name"] for one in told(blocked)["data"]["undeclared"]] == [left]


def test_what_is_not_selected_is_declared_all_the_same(
    broker: Broker, shop: Path, names: tuple[str, str]
) -> None:
    kept, left = names
    third = f"{kept}-too"
    project(shop, broker, topic(kept), topic(third))

    shown = told(apply(shop, "--target", third))["data"]

    assert [one["physical_name"] for one in shown["undeclared"]] == [left]


def test_of_a_renamed_model_its_topic_is_told_once_by_what_its_ownership_requires(
    broker: Broker, shop: Path, names: tuple[str, str]
) -> None:
    kept, left = names
    renamed = topic("renamed")
    renamed["topic"]["name"] = left
    project(shop, broker, topic(kept), renamed)

    lines = plan_lines(shop)

    assert lines[0] == (
        f"? topic '{left}' exists, and the state has it as streamt://shop/default/topic/{left}"
    )
    assert lines[-2:] == [
        "0 to create, 0 to update, 0 to delete, 1 unchanged, 1 undecided; risk: safe",
        "This plan cannot be applied, no part of it: 1 resource of unclear ownership (?).",
    ]
    assert plan_data(shop)["undeclared"] == []

    renamed["topic"]["name"] = f"{left}-v2"
    project(shop, broker, topic(kept), renamed)

    lines = plan_lines(shop)

    assert lines[0] == f"+ topic {left}-v2"
    assert lines[-3:-1] == [HEADER, line(left)]


def test_a_model_that_gets_another_topic_tells_of_the_one_it_had_as_long_as_the_state_has_it(
    broker: Broker, shop: Path, names: tuple[str, str]
) -> None:
    kept, left = names
    moved = topic(left)
    moved["topic"]["name"] = f"{left}-v2"
    project(shop, broker, topic(kept), moved)

    assert plan_lines(shop)[-3:-1] == [HEADER, line(left)]
    assert apply_lines(shop)[-2:] == [HEADER, line(left)]
    assert plan_lines(shop) == ["Nothing to do: 2 resources as declared."]
    assert {left, f"{left}-v2"} <= broker.topics()


def test_of_a_gateway_rule_it_tells_the_tombstone_and_then_its_removal_alone(tmp_path: Path) -> None:
    says = {
        "name": "view",
        "sql": "SELECT * FROM {{ source('orders') }}",
        "materialized": "virtual_topic",
        "gateway": {"virtual_topic": {"name": "orders.eu"}},
    }
    prior = {"name": "orders.eu", "virtualTopic": "orders.eu", "physicalTopic": "shop.orders"}
    removal = {"logical_owner": "view", "prior_artifact": {**prior, "interceptors": []}}
    sources = [{"name": "orders", "topic": "shop.orders"}]
    with gateway_stand_in() as gateway:
        runtime = gateway.runtime()
        folder = write_project(tmp_path / "p", says, services=runtime, sources=sources)
        assert apply(folder).exit_status == 0
        write_project(folder, services=runtime, sources=sources)
        undeclared = plan_lines(folder)
        lifecycle = {"gateway_rule_removals": [removal]}
        write_project(folder, services=runtime, sources=sources, lifecycle=lifecycle)
        removed = plan_data(folder)

    assert undeclared[1:] == [
        HEADER,
        "  gateway_rule orders.eu (of view): `lifecycle.gateway_rule_removals` removes it",
    ]
    assert (removed["deletes"], removed["undeclared"]) == (1, [])


def test_when_quiet_no_word_of_it_is_shown(shop: Path) -> None:
    assert run_streamt("--quiet", "plan", "-p", shop).stdout == ""
    assert run_streamt("--quiet", "apply", "-p", shop).stdout == ""
