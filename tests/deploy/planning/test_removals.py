"""What becomes of what `lifecycle` says is to be removed: deleted, forgotten, nothing left to do, or blocked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from checked import packaged_rules
from planned import NOTHING, Compiled, planned, wanted

from streamt_ol.deploy.applying.next_state import next_resources
from streamt_ol.deploy.planning.bindings import backend_of
from streamt_ol.deploy.planning.errors import (
    ConnectRequiredError,
    RemovalClusterError,
    RemovalInvalidError,
    ResourceIdentityError,
    ServiceNotConfiguredError,
    StalePlanError,
)
from streamt_ol.deploy.planning.observing import needed_kinds, observe
from streamt_ol.deploy.planning.plan_text import plan_lines
from streamt_ol.deploy.planning.plan_values import plan_values
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.planning.removal_facts import DeclaredRemoval
from streamt_ol.deploy.planning.removals import located, refuse_conflicts
from streamt_ol.deploy.planning.reviewed import reviewed_plan
from streamt_ol.deploy.planning.staleness import require_current
from streamt_ol.deploy.records import Action, Live, Surface, Wanted
from streamt_ol.deploy.state.records import Record, Snapshot

RUNTIME = {
    "kafka": {"bootstrap_servers": "broker.example:9092"},
    "connect": {
        "clusters": {
            "main": {"rest_url": "http://connect.example:8083"},
            "again": {"rest_url": "http://CONNECT.example:8083/"},
            "other": {"rest_url": "http://other.example:8083"},
        }
    },
    "conduktor": {"gateway": {"admin_url": "http://gateway.example:8888"}},
}
SINK = "streamt://shop/default/connector/sink"
VIEW = "streamt://shop/default/gateway_rule/view"
CONFIG: Surface = {"config": {"connector.class": "File", "file.password": "hunter2"}}


def connector(owner: str = "sink", name: str = "old", cluster: str = "main") -> dict[str, str]:
    return {"logical_owner": owner, "name": name, "cluster": cluster}


def rule(owner: str = "view", topic: str = "orders.eu", **says: Any) -> dict[str, Any]:
    prior = {"name": topic, "virtualTopic": topic, "physicalTopic": "shop.orders", "interceptors": ["mask"]}
    return {"logical_owner": owner, "prior_artifact": {**prior, **says}}


def alias(topic: str = "shop.orders", *interceptors: str) -> Surface:
    """Return what the Gateway shows of a rule, of which only names are looked at here."""
    parts = [{"name": name, "scope": {"vCluster": "passthrough"}, "config": {}} for name in interceptors]
    held = {"vCluster": "passthrough", "physicalName": topic, "physicalCluster": "main"}
    return {"alias": held, "interceptors": parts}


def project(
    folder: Path,
    *,
    connectors: Sequence[Mapping[str, Any]] = (),
    rules: Sequence[Mapping[str, Any]] = (),
    runtime: Mapping[str, Any] = RUNTIME,
    **more: Any,
) -> Compiled:
    lifecycle = {"connector_removals": [*connectors], "gateway_rule_removals": [*rules]}
    return wanted(folder, lifecycle=lifecycle, runtime=dict(runtime), **more)


def record(name: str, kind: str, cluster: str | None = None) -> Record:
    backend = backend_of(kind, cluster, RUNTIME)
    return Record(name, "managed", f"sha256:{0:064}", backend)


def owning(**resources: Record) -> Snapshot:
    """Return a state that owns the connector `sink` or the rule `view` as given."""
    ids = {"sink": SINK, "view": VIEW}
    return Snapshot("shop", "default", 1, {ids.get(name, name): one for name, one in resources.items()})


OWNED = owning(sink=record("old", "kafka-connect", "main"))
RULED = owning(view=record("orders.eu", "conduktor-gateway"))


def plan_of(made: Compiled, snapshot: Snapshot, live: Mapping[str, Mapping[str, Surface | None]]) -> Plan:
    """Plan with removals that are located, and with what is there by kind and name."""
    shown = {
        kind: {name: Live(kind, name, surface) for name, surface in of_kind.items()}
        for kind, of_kind in live.items()
    }
    found = located(made.removals, made.project, snapshot, packaged_rules())
    return planned(made.desired, snapshot, shown, found)


def text(plan: Plan) -> list[str]:
    return [line.text for line in plan_lines(plan)][2:]


def blocked(plan: Plan) -> list[tuple[str, str, str]]:
    assert plan.executable == ()
    assert plan.actions == ()
    return [(one.code, one.resource, one.at) for one in plan.blockers]


# connectors


def test_a_connector_of_ones_own_is_deleted_as_it_is_there(tmp_path: Path) -> None:
    plan = plan_of(project(tmp_path, connectors=[connector()]), OWNED, {"connector": {"old": CONFIG}})

    assert plan.actions == (Action(0, SINK, "connector", "delete", "old", CONFIG, None, "main"),)
    assert (plan.deletes, plan.is_apply_blocked, plan.executable) == (1, False, plan.actions)
    assert plan.removals[0][:7] == (SINK, "connector", "old", "main", "owned", "present", "delete")
    assert [line.style for line in plan_lines(plan) if line.text == "- connector old"] == ["red"]
    assert plan.risks[0].risk_class == "destructive"
    assert plan.risks[0].evidence == ("verified", ("kafka-connect",), ())
    assert next_resources(OWNED.resources, [], plan) == {}


def test_of_a_connector_that_is_gone_only_the_record_goes(tmp_path: Path) -> None:
    plan = plan_of(project(tmp_path, connectors=[connector()]), OWNED, {"connector": {"old": None}})

    assert (plan.actions, plan.forgotten, plan.has_changes) == ((), (SINK,), True)
    assert plan.summary == "0 to create, 0 to update, 0 to delete, 0 unchanged, 1 to forget"
    assert next_resources(OWNED.resources, [], plan) == {}
    assert text(plan)[:2] == [
        "= connector 'old' is not there any more: nothing is deleted, and the state gives up its record",
        "",
    ]


def test_what_was_removed_before_is_no_hindrance(tmp_path: Path) -> None:
    made = project(tmp_path, connectors=[connector()], rules=[rule()])
    plan = plan_of(made, NOTHING, {"connector": {"old": None}, "gateway_rule": {"orders.eu": None}})

    assert (plan.actions, plan.forgotten, plan.has_changes, plan.is_apply_blocked) == ((), (), False, False)
    assert [one.verdict for one in plan.removals] == ["removed", "removed"]


def test_a_connector_that_the_state_does_not_know_is_left_alone(tmp_path: Path) -> None:
    plan = plan_of(project(tmp_path, connectors=[connector()]), NOTHING, {"connector": {"old": CONFIG}})

    at = "/lifecycle/connector_removals/0"
    assert blocked(plan) == [("connector_removal_ownership_required", "connector:old", at)]
    assert text(plan) == [
        "! never done: connector 'old' is to be removed, and the state does not know it: this project did not "
        "make it",
        "    what helps: remove it with the tools of Kafka Connect, or take its removal out of the project",
        "",
        "0 to create, 0 to update, 0 to delete, 0 unchanged; risk: safe",
        "This plan cannot be applied, no part of it: 1 step never done (!).",
    ]


def test_a_connector_of_another_owner_names_who_has_it(tmp_path: Path) -> None:
    made = project(tmp_path, connectors=[connector("typo")])
    plan = plan_of(made, OWNED, {"connector": {"old": CONFIG}})

    assert blocked(plan)[0][0] == "connector_removal_ownership_required"
    assert plan.blockers[0].message == f"connector 'old' is to be removed, and the state has it as {SINK}"
    assert plan.blockers[0].remedy == "write the owner that made it as `logical_owner`"


@pytest.mark.parametrize("live", [CONFIG, None])
@pytest.mark.parametrize(
    "recorded",
    [record("new", "kafka-connect", "main"), record("old", "kafka-connect", "other")],
    ids=["another name", "another cluster"],
)
def test_a_record_of_another_connector_is_no_claim(
    tmp_path: Path, recorded: Record, live: Surface | None
) -> None:
    made = project(tmp_path, connectors=[connector()])
    plan = plan_of(made, owning(sink=recorded), {"connector": {"old": live}})

    assert blocked(plan)[0][0] == "connector_removal_state_provider_drift"
    assert (plan.removals[0].record, plan.forgotten) == ("other", ())


def test_offline_nothing_is_known_of_a_removal(tmp_path: Path) -> None:
    made = project(tmp_path, connectors=[connector()], rules=[rule()])
    plan = planned(made.desired, NOTHING, None, made.removals)

    assert blocked(plan) == [
        (
            "connector_removal_offline_unverified",
            "connector:old",
            "/lifecycle/connector_removals/0",
        ),
        (
            "gateway_removal_offline_unverified",
            "gateway_rule:orders.eu",
            "/lifecycle/gateway_rule_removals/0",
        ),
    ]


# Gateway rules


def test_a_rule_of_ones_own_that_is_as_declared_is_deleted(tmp_path: Path) -> None:
    held = alias("shop.orders", "orders.eu_mask_0")
    plan = plan_of(project(tmp_path, rules=[rule()]), RULED, {"gateway_rule": {"orders.eu": held}})

    assert plan.actions == (Action(0, VIEW, "gateway_rule", "delete", "orders.eu", held, None),)
    assert next_resources(RULED.resources, [], plan) == {}


def test_one_mask_for_two_groups_is_one_interceptor(tmp_path: Path) -> None:
    held = alias("shop.orders", "orders.eu_mask_0", "orders.eu_mask_0", "orders.eu_filter_0")
    made = project(tmp_path, rules=[rule(interceptors=["mask", "filter"])])

    assert plan_of(made, RULED, {"gateway_rule": {"orders.eu": held}}).deletes == 1


@pytest.mark.parametrize(
    ("says", "held", "difference"),
    [
        (
            {},
            alias("shop.payments", "orders.eu_mask_0"),
            "it leads to 'shop.payments', and `physicalTopic` is",
        ),
        ({}, alias(), "its interceptors are none, and `interceptors` are mask"),
        ({}, alias("shop.orders", "orders.eu_mask_0", "orders.eu_mask_1"), "its interceptors are mask, mask"),
        ({"interceptors": []}, alias("shop.orders", "orders.eu_encrypt_0"), "its interceptors are encrypt"),
        ({"name": "eu"}, alias("shop.orders", "orders.eu_mask_0"), "`name` is 'eu'"),
        ({}, {**alias("x", "orders.eu_mask_0"), "alias": None}, "it leads to no topic"),
    ],
)
def test_a_rule_that_is_not_as_declared_is_left_alone(
    tmp_path: Path, says: dict[str, Any], held: Surface, difference: str
) -> None:
    plan = plan_of(project(tmp_path, rules=[rule(**says)]), RULED, {"gateway_rule": {"orders.eu": held}})

    assert blocked(plan)[0][0] == "gateway_removal_state_provider_drift"
    assert difference in plan.blockers[0].message


@pytest.mark.parametrize(
    ("snapshot", "owner", "message"),
    [
        (NOTHING, "view", "the state does not know it"),
        (RULED, "typo", f"the state has it as {VIEW}"),
        (owning(view=record("orders.us", "conduktor-gateway")), "view", "the state has 'orders.us'"),
    ],
    ids=["nobody", "another owner", "another rule"],
)
def test_a_rule_that_is_not_known_as_ones_own_is_left_alone(
    tmp_path: Path, snapshot: Snapshot, owner: str, message: str
) -> None:
    held = {"gateway_rule": {"orders.eu": alias("shop.orders", "orders.eu_mask_0")}}
    plan = plan_of(project(tmp_path, rules=[rule(owner)]), snapshot, held)

    assert blocked(plan)[0][0] == "gateway_removal_state_provider_drift"
    assert message in plan.blockers[0].message


def test_of_a_rule_that_is_gone_only_the_record_goes(tmp_path: Path) -> None:
    plan = plan_of(project(tmp_path, rules=[rule()]), RULED, {"gateway_rule": {"orders.eu": None}})

    assert (plan.actions, plan.forgotten) == ((), (VIEW,))


# before any service is asked


def check(made: Compiled, snapshot: Snapshot) -> None:
    refuse_conflicts(made.removals, made.desired)
    located(made.removals, made.project, snapshot, packaged_rules())


def refused(made: Compiled, snapshot: Snapshot = NOTHING) -> tuple[type, str | None]:
    with pytest.raises(
        (
            ConnectRequiredError,
            RemovalClusterError,
            RemovalInvalidError,
            ResourceIdentityError,
            ServiceNotConfiguredError,
        )
    ) as caught:
        check(made, snapshot)
    return type(caught.value), caught.value.location


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in RUNTIME.items() if key not in keys}


def test_the_removal_of_a_connector_needs_its_cluster(tmp_path: Path) -> None:
    at = "/lifecycle/connector_removals/0"
    lost = project(tmp_path / "a", connectors=[connector()], runtime=without("connect"))
    unknown = project(tmp_path / "b", connectors=[connector(cluster="gone")])

    assert refused(lost) == (ConnectRequiredError, f"{at}/cluster")
    assert refused(unknown) == (RemovalClusterError, f"{at}/cluster")


def test_the_removal_of_a_rule_needs_a_gateway(tmp_path: Path) -> None:
    made = project(tmp_path, rules=[rule()], runtime=without("conduktor"))

    assert refused(made) == (ServiceNotConfiguredError, "/runtime/conduktor/gateway/admin_url")


@pytest.mark.parametrize(
    "connectors",
    [
        [connector("a"), connector("b", cluster="again")],
        [connector("a"), connector("b", cluster="other")],
        [connector(), connector("sink_two", name="with/slash")],
        [connector(), connector("sink_two", name="with\x07bell")],
    ],
    ids=["one address twice", "one name on two clusters", "slash", "control character"],
)
def test_removals_of_connectors_are_each_about_one(tmp_path: Path, connectors: list[dict[str, str]]) -> None:
    made = project(tmp_path, connectors=connectors)

    assert refused(made) == (RemovalInvalidError, "/lifecycle/connector_removals/1")


def test_an_owner_has_one_connector(tmp_path: Path) -> None:
    sink = {"name": "sink", "from": [{"source": "orders"}], "sink": {"connector": "s3-sink", "config": {}}}
    made = project(tmp_path, connectors=[connector()], models=[sink])

    assert refused(made) == (RemovalInvalidError, "/lifecycle/connector_removals/0")


def test_an_owner_has_one_rule(tmp_path: Path) -> None:
    view = {
        "name": "view",
        "sql": 'SELECT * FROM {{ source("orders") }}',
        "materialized": "virtual_topic",
        "gateway": {"virtual_topic": {"name": "orders.us"}},
    }
    declared = project(tmp_path / "a", rules=[rule()], models=[view])
    twice = project(tmp_path / "b", rules=[rule(), rule(topic="orders.us")])

    assert refused(declared) == (ResourceIdentityError, "/lifecycle/gateway_rule_removals/0")
    assert refused(twice) == (ResourceIdentityError, "/lifecycle/gateway_rule_removals/1")


def test_two_claims_of_the_state_to_one_connector_are_refused(tmp_path: Path) -> None:
    other = "streamt://shop/default/connector/other"
    claim = record("old", "kafka-connect", "main")
    snapshot = Snapshot("shop", "default", 1, {SINK: claim, other: claim})

    made = project(tmp_path, connectors=[connector()])
    assert refused(made, snapshot) == (ResourceIdentityError, "/lifecycle/connector_removals/0")


class Asked:
    """A provider that remembers what it was asked about, and shows nothing."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.asked: list[list[Wanted]] = []

    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Live]:
        self.asked.append([*wanted])
        return {one.physical_name: Live(self.kind, one.physical_name, None) for one in wanted}


def test_a_service_is_asked_once_about_all_that_comes_and_goes(tmp_path: Path) -> None:
    block = {"connector": "s3-sink", "config": {}}
    sink = {"name": "new", "from": [{"source": "orders"}], "connect_cluster": "main", "sink": block}
    made = project(tmp_path, connectors=[connector()], models=[sink])
    provider = Asked("connector")

    observe(made.desired, {"connector": provider}, made.removals)

    (asked,) = provider.asked
    assert [one.physical_name for one in asked] == ["new", "old"]
    assert asked[1] == Wanted("old", "main")


def test_a_service_is_needed_also_where_something_only_goes(tmp_path: Path) -> None:
    made = project(tmp_path, rules=[rule()])

    assert needed_kinds(made.desired, made.removals) == {"gateway_rule"}


def test_a_removal_takes_a_provider_too() -> None:
    facts = DeclaredRemoval(
        at="/lifecycle/connector_removals/0",
        resource=SINK,
        kind="connector",
        name="old",
        provider="absent",
        record="owned",
        recorded="old",
        claimed="nobody",
        claimant="",
        live="unverified",
        artifact="same",
        differences="",
    )
    decision = packaged_rules().table("removals").decide(facts)

    assert (decision["verdict"], decision["blocks"]) == ("blocked", "provider_missing")
    assert decision["message"](facts) == (
        "this version cannot delete connector 'old', and a plan is applied as a whole or not at all"
    )


# the saved plan


def test_programs_are_told_what_becomes_of_each_removal(tmp_path: Path) -> None:
    made = project(tmp_path, connectors=[connector()], rules=[rule()])
    plan = plan_of(made, OWNED, {"connector": {"old": CONFIG}, "gateway_rule": {"orders.eu": None}})
    values = plan_values(plan)

    assert values["connector_removal_assessments"] == [
        {
            "resource_id": SINK,
            "name": "old",
            "cluster": "main",
            "record": "owned",
            "live": "present",
            "verdict": "delete",
            "message": "connector 'old' is this project's own, and is deleted",
        }
    ]
    assert [one["verdict"] for one in values["gateway_removal_assessments"]] == ["removed"]
    assert values["summary"]["connector_removal_assessments"] == 1
    assert values["summary"]["gateway_removal_assessments"] == 1


def test_a_saved_deletion_carries_the_evidence_of_what_it_deletes(tmp_path: Path) -> None:
    made = project(tmp_path, connectors=[connector()])

    def evidence(config: Surface) -> Any:
        plan = plan_of(made, OWNED, {"connector": {"old": config}})
        (action,) = reviewed_plan(made.context(), plan).document["actions"]
        assert action["gateway_evidence"] is None
        return action["connector_evidence"]

    found = evidence(CONFIG)
    assert found["after"] is None
    assert found["before"].startswith("sha256:")
    assert found != evidence({"config": {**CONFIG["config"], "tasks.max": "2"}})


def test_what_was_changed_behind_a_saved_deletion_makes_it_stale(tmp_path: Path) -> None:
    made = project(tmp_path, connectors=[connector()])
    before = plan_of(made, OWNED, {"connector": {"old": CONFIG}})
    changed = plan_of(made, OWNED, {"connector": {"old": {"config": {"connector.class": "Other"}}}})
    gone = plan_of(made, OWNED, {"connector": {"old": None}})
    reviewed = reviewed_plan(made.context(), before)

    require_current(reviewed, reviewed_plan(made.context(), before))
    for now in (changed, gone):
        with pytest.raises(StalePlanError) as stale:
            require_current(reviewed, reviewed_plan(made.context(), now))
        assert "hunter2" not in stale.value.message
    assert f"{SINK}: its removal was delete and is forget now" in stale.value.message


def test_a_plan_is_bound_to_what_is_to_be_removed(tmp_path: Path) -> None:
    one = project(tmp_path / "a", rules=[rule()]).context()
    other = project(tmp_path / "b", rules=[rule(interceptors=[])]).context()

    assert one.manifest_checksum != other.manifest_checksum
