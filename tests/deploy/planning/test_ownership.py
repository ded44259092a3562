"""Whether a project may touch a resource: the checks in their order, each with what it lets pass."""

from __future__ import annotations

import pytest
from checked import packaged_rules
from planned import NOTHING, known, planned, surface, there, topic, topic_id

from streamt_ol.deploy.planning.facts import OwnedResource
from streamt_ol.deploy.planning.pasted import adopt_command
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.records import Desired, Surface
from streamt_ol.deploy.state.records import Snapshot


def reasons(plan: Plan) -> list[tuple[str, str, bool]]:
    return [(one.physical_name, one.reason, one.blocks) for one in plan.requirements]


def of(
    one: Desired, snapshot: Snapshot = NOTHING, shown: Surface | None = None, name: str = "orders"
) -> Plan:
    return planned([one], snapshot, there(**{name: shown}))


@pytest.mark.parametrize("whose", ["warehouse/default", "shop/prod"])
def test_a_resource_of_another_project_is_left_alone(whose: str) -> None:
    foreign = topic("orders")._replace(resource_id=f"streamt://{whose}/topic/orders")
    plan = of(foreign)

    assert reasons(plan) == [("orders", "ownership_mismatch", True)]
    assert plan.requirements[0].message == (
        f"topic 'orders' belongs to another project or environment: streamt://{whose}/topic/orders"
    )
    assert plan.is_apply_blocked


def test_an_external_resource_is_left_alone_and_stands_in_nobodys_way() -> None:
    plan = of(topic("orders", surface(3), mode="external"), shown=surface(1))

    assert reasons(plan) == [("orders", "external", False)]
    assert plan.requirements[0].observed_action == "update"
    assert plan.requirements[0].remedy is None
    assert (plan.actions, plan.is_apply_blocked) == ((), False)


def test_what_would_be_done_to_what_nobody_looked_at_is_unknown() -> None:
    (requirement,) = planned([topic("orders", mode="external")], NOTHING, {}).requirements

    assert requirement.observed_action == "unknown"


def test_a_mode_that_is_none_is_refused() -> None:
    assert reasons(of(topic("orders", mode="borrowed"))) == [("orders", "invalid_ownership", True)]


def test_what_is_declared_as_adopted_needs_the_record_of_its_adoption() -> None:
    adopted = topic("orders", mode="adopted")

    assert reasons(of(adopted)) == [("orders", "requires_adoption", True)]
    assert reasons(of(adopted, shown=surface())) == [("orders", "requires_adoption", True)]
    assert reasons(of(adopted, known("orders"), surface())) == []


def test_what_is_there_without_a_record_is_left_alone_even_as_it_is() -> None:
    plan = of(topic("orders"), shown=surface())

    assert reasons(plan) == [("orders", "requires_adoption", True)]
    assert plan.requirements[0].observed_action == "none"
    assert plan.requirements[0].message == "topic 'orders' exists, and this project did not make it"
    assert plan.requirements[0].remedy == (
        "to take it over set its `ownership.mode` to `adopted` and run `streamt adopt topic:orders`; "
        "else set it to `external`, or choose another name"
    )


def test_a_renamed_model_does_not_take_its_topic_along_in_silence() -> None:
    plan = of(topic("orders", logical="purchases"), known(sales="orders"), surface())

    assert reasons(plan) == [("orders", "requires_adoption", True)]
    assert (
        plan.requirements[0].message == f"topic 'orders' exists, and the state has it as {topic_id('sales')}"
    )


def test_a_record_of_another_topic_is_no_claim_to_the_one_that_is_there() -> None:
    plan = of(topic("orders", logical="sales"), known(sales="sales_v1"), surface())

    assert reasons(plan) == [("orders", "state_mismatch", True)]
    assert plan.requirements[0].message == "topic 'orders' exists, and the state has 'sales_v1' in its place"


def test_a_record_of_another_service_is_no_claim_either() -> None:
    assert reasons(of(topic("orders"), known("orders", backend="kafka-proxy"), surface())) == [
        ("orders", "state_mismatch", True)
    ]


def test_a_topic_of_a_free_name_is_made_beside_its_predecessor() -> None:
    plan = of(topic("orders", logical="sales"), known(sales="sales_v1"))

    assert [(one.action, one.physical_name) for one in plan.actions] == [("create", "orders")]
    assert plan.risks[0].flags == ("predecessor_left",)
    assert plan.risks[0].risk_class == "risky"


def test_what_the_project_made_is_its_own() -> None:
    plan = of(topic("orders"), known("orders"), surface())

    assert (plan.requirements, plan.unchanged) == ((), (topic_id("orders"),))


@pytest.mark.parametrize("live", ["absent", "present", "unverified"])
@pytest.mark.parametrize("kind", ["connector", "gateway_rule"])
def test_of_a_connector_the_place_is_looked_at_also_where_it_is_not_there(kind: str, live: str) -> None:
    facts = OwnedResource(
        at="/models/0",
        resource=f"streamt://shop/default/{kind}/archive",
        kind=kind,
        name="archive",
        owner="other",
        project="own",
        mode="managed",
        record="other",
        recorded="archive-old",
        claimed="nobody",
        claimant="",
        live=live,
        adopt_command="streamt adopt",
    )
    decision = packaged_rules().table("ownership").decide(facts)

    assert (decision.row.id, decision["reason"], decision["blocks"]) == (
        "recorded-elsewhere",
        "state_mismatch",
        True,
    )


@pytest.mark.parametrize(
    ("snapshot", "remedy"),
    [
        (
            NOTHING,
            "remove it with the tools of its service if nobody needs it, or give the test another name; "
            "no test takes over what exists",
        ),
        (
            known(elsewhere="orders"),
            "give its owner the old name back, or this one another name; no test takes over what exists",
        ),
        (
            known(orders="orders_v1"),
            "choose a name that is free, or 'orders_v1' again; no test takes over what exists",
        ),
    ],
    ids=["there-without-record", "claimed-under-another-name", "there-under-another-name"],
)
def test_a_test_is_never_told_to_adopt(snapshot: Snapshot, remedy: str) -> None:
    plan = of(topic("orders")._replace(at="/tests/0"), snapshot, surface())

    assert [one.remedy for one in plan.requirements] == [remedy]


def test_what_adopts_can_be_pasted() -> None:
    assert adopt_command("topic", "orders", "default") == "streamt adopt topic:orders"
    assert adopt_command("gateway_rule", "all orders", "prod") == (
        "streamt adopt 'gateway_rule:all orders' --env prod"
    )


def test_the_first_check_that_hits_is_the_one_that_is_told() -> None:
    foreign = topic("orders", mode="external")._replace(
        resource_id="streamt://warehouse/default/topic/orders"
    )

    assert reasons(of(foreign, shown=surface())) == [("orders", "ownership_mismatch", True)]
