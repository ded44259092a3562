"""What a plan does, in which order, what it never does, and how much of it is risky."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checked import packaged_rules
from hypothesis import given
from hypothesis import strategies as st
from planned import (
    NOTHING,
    known,
    planned,
    surface,
    there,
    topic,
    topic_id,
    wanted,
)
from planned import done as carried_out

from streamt_ol.deploy.planning import planning
from streamt_ol.deploy.planning.errors import ResourceIdentityError
from streamt_ol.deploy.planning.facts import PlannedChange
from streamt_ol.deploy.planning.kinds import Kinds
from streamt_ol.deploy.planning.needs import PLANNING_NEEDS
from streamt_ol.deploy.planning.observing import needed_kinds, observe
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.planning.safety import Safety
from streamt_ol.deploy.records import Action, Desired, Live, Surface, Wanted
from streamt_ol.deploy.state.records import Snapshot
from streamt_ol.engine.reading import Catalogue
from streamt_ol.engine.ruleset import RuleSet


def deeds(plan: Plan) -> list[tuple[int, str, str]]:
    return [(one.position, one.action, one.physical_name) for one in plan.actions]


def update(before: Surface, after: Surface) -> Plan:
    return planned([topic("orders", after)], known("orders"), there(orders=before))


def rules_without_provider(kind: str) -> RuleSet:
    """Return the packaged rules as a version has them that cannot deploy a kind."""
    rules = packaged_rules()
    known_kinds = rules.catalogue("resource-kinds")
    entries = {name: dict(entry) for name, entry in known_kinds.entries.items()}
    del entries[kind]["backend"]
    without = Catalogue(
        known_kinds.name, known_kinds.describes, known_kinds.fields, entries, known_kinds.file
    )
    return rules._replace(catalogues={**rules.catalogues, known_kinds.name: without})


def blockers(plan: Plan) -> list[tuple[str, str, dict[str, Any]]]:
    return [(one.code, one.resource, dict(one.details)) for one in plan.blockers]


def test_the_packaged_rules_have_what_plans_read() -> None:
    packaged_rules().require(PLANNING_NEEDS)


def test_what_is_not_there_is_made_as_it_is_wanted() -> None:
    plan = planned([topic("orders", surface(6, retention__ms="1"))], NOTHING, there(orders=None))

    assert plan.actions == (
        Action(
            0,
            topic_id("orders"),
            "topic",
            "create",
            "orders",
            None,
            {"partitions": 6, "replication_factor": 1, "config": {"retention.ms": "1"}},
        ),
    )
    assert (plan.creates, plan.updates, plan.deletes) == (1, 0, 0)
    assert (plan.has_changes, plan.is_apply_blocked, plan.executable) == (True, False, plan.actions)


def test_what_is_as_it_is_wanted_is_left_as_it_is() -> None:
    plan = planned([topic("orders", surface(6))], known("orders"), there(orders=surface(6)))

    assert (plan.actions, plan.unchanged, plan.has_changes) == ((), (topic_id("orders"),), False)
    assert plan.summary == "0 to create, 0 to update, 0 to delete, 1 unchanged"


def test_only_declared_settings_are_compared_and_the_others_stay() -> None:
    plan = update(surface(1, retention__ms="1", segment__ms="5"), surface(1, retention__ms="2"))

    assert plan.actions[0].after == surface(1, retention__ms="2", segment__ms="5")
    assert not update(surface(1, segment__ms="5"), surface(1)).has_changes


def test_a_setting_that_the_broker_hides_counts_as_it_is_wanted() -> None:
    assert not update(surface(1, secret__of__topic="***"), surface(1, secret__of__topic="a")).has_changes


def test_more_partitions_are_an_update() -> None:
    plan = update(surface(3), surface(6))

    assert deeds(plan) == [(0, "update", "orders")]
    assert (plan.actions[0].before, plan.actions[0].after) == (surface(3), surface(6))
    assert plan.risks[0].flags == ("consumer_impact", "impact_unverified", "irreversible")


def test_fewer_partitions_are_never_made_so() -> None:
    plan = update(surface(6), surface(3))

    assert blockers(plan) == [
        ("kafka_partition_reduction", "topic:orders", {"live_partitions": 6, "desired_partitions": 3})
    ]
    assert plan.blockers[0].message == (
        "topic 'orders' has 6 partitions and 3 are declared: Kafka never removes any"
    )
    assert (plan.is_apply_blocked, plan.executable) == (True, ())
    assert deeds(plan) == [(0, "update", "orders")]


def test_another_replication_factor_is_not_made_so() -> None:
    plan = update(surface(1, 1), surface(1, 3))

    assert blockers(plan) == [
        (
            "kafka_replication_change",
            "topic:orders",
            {"live_replication_factor": 1, "desired_replication_factor": 3},
        )
    ]
    assert plan.blockers[0].remedy == (
        "declare replication_factor 1, or move the replicas with Kafka's own tools first"
    )


def test_what_ownership_keeps_from_happening_is_no_blocker() -> None:
    plan = planned([topic("orders", surface(3))], NOTHING, there(orders=surface(6)))

    assert (plan.actions, plan.blockers, plan.risks) == ((), (), ())
    assert plan.is_apply_blocked


def test_a_kind_without_a_provider_is_planned_and_never_left_out(tmp_path: Path) -> None:
    made = wanted(
        tmp_path,
        models=[
            {"name": "b", "materialized": "topic"},
            {"name": "a", "from": [{"ref": "b"}], "sink": {"connector": "s3-sink", "config": {}}},
        ],
    )
    plan = planning.plan(made.desired, NOTHING, there(b=None), rules_without_provider("connector"))

    assert deeds(plan) == [(0, "create", "b"), (1, "create", "a")]
    assert blockers(plan) == [("provider_missing", "connector:a", {})]
    assert (plan.creates, plan.executable) == (2, ())
    assert [risk.risk_class for risk in plan.risks] == ["safe", "unknown"]


def test_an_external_kind_without_a_provider_stands_in_nobodys_way(tmp_path: Path) -> None:
    source = {"name": "orders", "topic": "shop.orders", "schema": {"format": "avro"}}
    plan = planned(wanted(tmp_path, sources=[source]).desired, NOTHING, {})

    assert (plan.actions, plan.is_apply_blocked) == ((), False)
    assert [one.reason for one in plan.requirements] == ["external"]


def test_blockers_stand_in_the_order_of_kinds_then_by_resource_and_code() -> None:
    def change(kind: str, name: str, **more: Any) -> PlannedChange:
        there = ("absent" if kind == "connector" else "present", "same", "present")
        return PlannedChange("/models/0", "", kind, name, "update", *there)._replace(**more)

    both = {"partitions": "reduced", "live_partitions": "2", "partitions_wanted": "1"}
    both |= {"replication": "changed", "live_replication": "2", "replication_wanted": "1"}
    changes = [change("connector", "a"), change("topic", "b", **both), change("topic", "a", **both)]
    found = Safety(Kinds(packaged_rules()), packaged_rules()).blockers(changes, {})

    assert [(one.resource, one.code) for one in found] == [
        ("topic:a", "kafka_partition_reduction"),
        ("topic:a", "kafka_replication_change"),
        ("topic:b", "kafka_partition_reduction"),
        ("topic:b", "kafka_replication_change"),
        ("connector:a", "provider_missing"),
    ]


def test_two_steps_about_one_resource_are_refused() -> None:
    twice = [topic("orders"), topic("orders.old", logical="orders")]

    with pytest.raises(ResourceIdentityError, match=f"two steps about {topic_id('orders')}"):
        planned(twice, NOTHING, {})


def test_kinds_are_done_in_their_order_and_each_by_name() -> None:
    kinds = ["gateway_rule", "topic", "connector", "schema", "flink_job"]
    shown = {"gateway_rule": {"alias": None, "interceptors": []}}
    desired = [
        topic(name, shown.get(kind))._replace(resource_id=f"streamt://shop/default/{kind}/{name}", kind=kind)
        for kind in kinds
        for name in ("b", "a")
    ]
    plan = planned(desired, NOTHING, there(a=None, b=None))

    assert [(one.kind, one.physical_name) for one in plan.actions] == [
        (kind, name)
        for kind in ("schema", "topic", "flink_job", "connector", "gateway_rule")
        for name in ("a", "b")
    ]
    assert [one.position for one in plan.actions] == list(range(10))


def test_offline_everything_counts_as_new_and_nothing_can_be_carried_out() -> None:
    plan = planned([topic("b"), topic("a")], NOTHING, None)

    assert deeds(plan) == [(0, "create", "a"), (1, "create", "b")]
    assert (plan.offline, plan.executable, plan.is_apply_blocked) == (True, (), False)
    assert plan.risk_summary.overall == "unknown"
    assert plan.risks[0].evidence == ("unavailable", (), ("live_state_not_observed",))


def test_the_risk_of_a_plan_is_its_worst_and_of_nothing_the_least() -> None:
    mixed = planned(
        [topic("a"), topic("b", surface(3)), topic("c", surface(2))],
        known("b", "c"),
        there(a=None, b=surface(1), c=surface(4)),
    )

    assert [(risk.name, risk.risk_class) for risk in mixed.risks] == [
        ("a", "safe"),
        ("b", "risky"),
        ("c", "destructive"),
    ]
    assert mixed.risk_summary.counts == {
        "safe": 1,
        "risky": 1,
        "schema_breaking": 0,
        "state_migration_required": 0,
        "destructive": 1,
        "unknown": 0,
    }
    assert mixed.risk_summary.overall == "destructive"
    assert mixed.risk_summary.risk_flags == (
        "consumer_impact",
        "destructive",
        "impact_unverified",
        "irreversible",
        "policy_violation",
    )
    assert not mixed.risk_summary.evidence_complete
    assert planned([], NOTHING, {}).risk_summary.overall == "safe"


@pytest.mark.parametrize(
    ("before", "after", "risk_class", "flags"),
    [
        (surface(3), surface(1), "destructive", ("destructive", "policy_violation")),
        (surface(1, 1), surface(1, 2), "risky", ("policy_violation",)),
        (surface(1), surface(2), "risky", ("consumer_impact", "impact_unverified", "irreversible")),
        (surface(1), surface(1, retention__ms="1"), "risky", ("consumer_impact", "impact_unverified")),
    ],
)
def test_of_an_update_nobody_looked_at_consumers(
    before: Surface, after: Surface, risk_class: str, flags: tuple[str, ...]
) -> None:
    (risk,) = update(before, after).risks

    assert (risk.risk_class, risk.flags) == (risk_class, flags)
    assert risk.evidence == ("partial", ("direct-kafka",), ("consumers_not_observed",))


def test_a_change_that_no_row_understands_is_unknown() -> None:
    change = PlannedChange("/models/0", "", "schema", "a", "update", "present", "same", "present")

    assert packaged_rules().table("risk").decide(change)["class"] == "unknown"


class Given:
    """A provider whose topics are values. Remembers what it was asked."""

    kind = "topic"

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def observe(self, wanted: list[Wanted]) -> dict[str, Live]:
        names = [one.physical_name for one in wanted]
        self.asked.append(names)
        return {name: Live("topic", name, None) for name in names}


def test_a_service_is_asked_about_all_that_is_wanted_of_it() -> None:
    provider = Given()
    desired = [topic("a", mode="external"), topic("b")]

    assert observe(desired, {"topic": provider}).keys() == {"topic"}
    assert provider.asked == [["a", "b"]]


def test_a_service_of_which_everything_is_external_is_not_asked() -> None:
    provider = Given()
    desired = [topic("a", mode="external")]

    assert (needed_kinds(desired), observe(desired, {"topic": provider}), provider.asked) == (
        frozenset(),
        {},
        [],
    )


NAMES = st.sampled_from(["a", "b", "c", "d", "e"])
CONFIGS = st.dictionaries(st.sampled_from(["retention.ms", "segment.ms"]), st.sampled_from(["1", "2"]))
SURFACES = st.builds(
    lambda partitions, factor, config: {
        "partitions": partitions,
        "replication_factor": factor,
        "config": config,
    },
    st.integers(1, 3),
    st.integers(1, 2),
    CONFIGS,
)
MODES = st.sampled_from(["managed", "managed", "adopted", "external"])
DESIRED = st.dictionaries(NAMES, st.tuples(SURFACES, MODES)).map(
    lambda found: [topic(name, shown, mode=mode) for name, (shown, mode) in found.items()]
)
LIVE = st.dictionaries(NAMES, SURFACES).map(
    lambda found: there(**{name: found.get(name) for name in "abcde"})
)
STATES = st.sets(NAMES).map(lambda names: known(*names))


@given(DESIRED, STATES, LIVE)
def test_after_a_plan_is_carried_out_there_is_nothing_left_to_do(
    desired: list[Desired], snapshot: Snapshot, live: dict[str, dict[str, Live]]
) -> None:
    plan = planned(desired, snapshot, live)
    after = carried_out(live, plan.actions)
    owned = known(*{one.physical_name for one in plan.actions}, *map(name_of, snapshot.resources))

    assert planned(desired, owned, after).actions == ()


@given(DESIRED, STATES, LIVE)
def test_what_is_not_wanted_is_never_touched(
    desired: list[Desired], snapshot: Snapshot, live: dict[str, dict[str, Live]]
) -> None:
    plan = planned(desired, snapshot, live)
    managed = {one.physical_name for one in desired if one.ownership != "external"}

    assert plan.deletes == 0
    assert {one.physical_name for one in plan.actions} <= managed
    assert {one.action for one in plan.actions} <= {"create", "update"}


@given(DESIRED, STATES, LIVE)
def test_every_wanted_resource_is_done_left_or_told_exactly_once(
    desired: list[Desired], snapshot: Snapshot, live: dict[str, dict[str, Live]]
) -> None:
    plan = planned(desired, snapshot, live)
    told = [
        *(one.resource_id for one in plan.actions),
        *plan.unchanged,
        *(one.resource_id for one in plan.requirements),
    ]

    assert sorted(told) == sorted(one.resource_id for one in desired)
    assert [risk.resource_id for risk in plan.risks] == [one.resource_id for one in plan.actions]


@given(DESIRED, STATES, LIVE, st.randoms())
def test_the_order_of_what_is_wanted_makes_no_difference(
    desired: list[Desired], snapshot: Snapshot, live: dict[str, dict[str, Live]], chance: Any
) -> None:
    shuffled = list(desired)
    chance.shuffle(shuffled)
    one, other = planned(desired, snapshot, live), planned(shuffled, snapshot, live)

    assert one.actions == other.actions
    assert sorted(one.unchanged) == sorted(other.unchanged)


def name_of(resource_id: str) -> str:
    return resource_id.rpartition("/")[2]
