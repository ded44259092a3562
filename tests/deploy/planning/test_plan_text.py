"""A plan as people read it."""

from __future__ import annotations

from pathlib import Path

from checked import packaged_rules
from planned import NOTHING, known, planned, surface, there, topic, wanted

from streamt_ol.deploy.planning.plan_text import demand_lines, plan_lines
from streamt_ol.deploy.planning.policies import Demands
from streamt_ol.deploy.planning.records import Assessment, Plan

FREE = Demands(reviewed_plan=False, confirmation=False, force=False, remote_state=False)


def text(plan: Plan) -> list[str]:
    return [line.text for line in plan_lines(plan)]


def test_steps_are_told_field_by_field_with_what_they_risk() -> None:
    plan = planned(
        [topic("a", surface(6, retention__ms="1")), topic("b", surface(6, cleanup__policy="compact"))],
        known("b"),
        there(a=None, b=surface(3)),
    )

    assert text(plan) == [
        "Plan for project 'shop', environment 'default'",
        "",
        "+ topic a",
        "    partitions           6",
        "    replication_factor   1",
        "    config.retention.ms  1",
        "",
        "~ topic b",
        "    partitions             3 -> 6",
        "    config.cleanup.policy  (not set) -> compact",
        "    risk: risky (consumer impact, impact unverified, irreversible)",
        "",
        "1 to create, 1 to update, 0 to delete, 0 unchanged; risk: risky",
    ]
    assert [line.style for line in plan_lines(plan)][2:8:5] == ["green", "yellow"]


def test_what_stands_in_the_way_is_told_with_what_helps() -> None:
    plan = planned(
        [topic("a", surface(3)), topic("b"), topic("c", mode="external")],
        known("a"),
        there(a=surface(6), b=surface(), c=surface()),
    )

    assert text(plan) == [
        "Plan for project 'shop', environment 'default'",
        "",
        "~ topic a",
        "    partitions  6 -> 3",
        "    risk: destructive (policy violation)",
        "  ! never done: topic 'a' has 6 partitions and 3 are declared: Kafka never removes any",
        "    what helps: declare 6 partitions, or a topic of another name",
        "",
        "? topic 'b' exists, and this project did not make it",
        "    what helps: to take it over set its `ownership.mode` to `adopted` and run `streamt adopt topic:b`; "
        "else set it to `external`, or choose another name",
        "= topic 'c' is external: it is never changed here",
        "",
        "0 to create, 1 to update, 0 to delete, 0 unchanged, 1 undecided; risk: destructive",
        "This plan cannot be applied, no part of it: 1 step never done (!), 1 resource of unclear ownership "
        "(?).",
    ]


def test_nothing_to_do_is_said_in_one_line() -> None:
    plan = planned([topic("a"), topic("b")], known("a", "b"), there(a=surface(), b=surface()))

    assert text(plan)[2:] == ["Nothing to do: 2 resources as declared."]


def test_an_offline_plan_says_what_it_does_not_know() -> None:
    assert text(planned([topic("a")], NOTHING, None))[1:3] == [
        "Made offline: neither the state nor what is there was read, so everything counts as new.",
        "It is for reading: no apply takes it.",
    ]


def test_of_a_secret_only_that_it_changes_is_told(tmp_path: Path) -> None:
    made = wanted(tmp_path, models=[{"name": "a", "topic": {"config": {"sasl.password": "hunter2"}}}])
    plan = planned(made.desired, known("a"), there(a=surface(sasl__password="hunter1")))

    assert "    config.sasl.password  another secret" in text(plan)
    assert "    config.sasl.password  ***" in text(planned(made.desired, NOTHING, there(a=None)))


def test_an_empty_setting_is_told_as_one() -> None:
    plan = planned([topic("a", surface(x=""))], known("a"), there(a=surface(x="1")))

    assert '    config.x  1 -> ""' in text(plan)


def demanded(plan: Plan, demands: Demands, saved: str | None = None) -> list[str]:
    return [line.text for line in demand_lines(plan, demands, packaged_rules(), saved)]


def removing(kind: str) -> Plan:
    """Return a plan in `prod` that deletes what `lifecycle` removes."""
    action = planned([topic("a")], known("a"), there(a=surface(3))).actions[0]
    step = action._replace(kind=kind, action="delete", after=None)
    removal = Assessment(step.resource_id, kind, "old", "main", "owned", "present", "delete", "")
    plan = planned([topic("a")], NOTHING, there(a=None))
    return plan._replace(environment="prod", actions=(step,), removals=(removal,))


def test_demands_are_told_where_there_is_something_to_apply() -> None:
    plan = planned([topic("a")], NOTHING, there(a=None))
    strict = Demands(reviewed_plan=True, confirmation=True, force=True, remote_state=True)

    assert demanded(plan, strict) == [
        "To apply this plan in environment 'default' takes:",
        "  a saved plan: `streamt plan --out FILE`, then `streamt apply --plan FILE`",
        "  a confirmation: `--confirm-env default`, or the name typed in",
        "  a state that is not on this machine",
    ]
    assert demanded(plan, FREE) == []
    assert demanded(planned([], NOTHING, {}), strict) == []


def test_a_removal_says_all_that_apply_will_demand() -> None:
    strict = Demands(reviewed_plan=True, confirmation=True, force=True, remote_state=True)
    commands = "`streamt plan --env prod --out my.plan`, then `streamt apply --env prod --plan my.plan`"

    assert demanded(removing("connector"), FREE._replace(force=True), "my.plan") == [
        "To apply this plan in environment 'prod' takes:",
        f"  a saved plan, because `lifecycle` removes connectors: {commands}",
        "  `--force`, because something is deleted",
        "  a state that is not on this machine, because `lifecycle` removes connectors",
    ]
    assert demanded(removing("gateway_rule"), FREE, "my.plan") == [
        "To apply this plan in environment 'prod' takes:",
        f"  a saved plan, because `lifecycle` removes Gateway rules: {commands}",
    ]
    assert demanded(removing("connector"), strict, "my.plan") == [
        "To apply this plan in environment 'prod' takes:",
        f"  a saved plan: {commands}",
        "  a confirmation: `--confirm-env prod`, or the name typed in",
        "  `--force`, because something is deleted",
        "  a state that is not on this machine",
    ]


def test_what_is_of_unclear_ownership_is_told_with_its_place(tmp_path: Path) -> None:
    made = wanted(tmp_path, models=[{"name": "a", "topic": {"partitions": 1}}])
    lines = [
        line.text
        for line in plan_lines(planned(made.desired, NOTHING, there(a=surface())), made.project.origins)
    ]

    place = made.project.origins.place("/models/0")
    assert [line for line in lines if line.startswith("    where")] == [f"    where: {place}"]
