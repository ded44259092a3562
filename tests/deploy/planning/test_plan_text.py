"""A plan as people read it."""

from __future__ import annotations

from pathlib import Path

from planned import NOTHING, known, planned, surface, there, topic, wanted

from streamt_ol.deploy.planning.plan_text import demand_lines, plan_lines
from streamt_ol.deploy.planning.policies import Demands
from streamt_ol.deploy.planning.records import Plan

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
        "    what helps: declare it as adopted and adopt it with `streamt adopt topic:b`, declare it as external, "
        "or choose another name",
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


def test_demands_are_told_where_there_is_something_to_apply() -> None:
    plan = planned([topic("a")], NOTHING, there(a=None))
    strict = Demands(reviewed_plan=True, confirmation=True, force=True, remote_state=True)

    assert [line.text for line in demand_lines(plan, strict)] == [
        "The environment 'default' demands of apply:",
        "  a saved plan: `streamt plan --out FILE`, then `streamt apply --plan FILE`",
        "  a confirmation: `--confirm-env default`, or the name typed in",
        "  a state that is not on this machine",
    ]
    assert list(demand_lines(plan, FREE)) == []
    assert list(demand_lines(planned([], NOTHING, {}), strict)) == []
