"""Whether a reviewed plan is still the plan, and what is told where it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from planned import Compiled, known, planned, surface, there, wanted

from streamt_ol.deploy.planning.context import PlanContext
from streamt_ol.deploy.planning.errors import StalePlanError
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.planning.reviewed import ReviewedPlan, reviewed_plan
from streamt_ol.deploy.planning.staleness import require_context, require_current
from streamt_ol.deploy.records import Surface
from streamt_ol.deploy.state.records import Snapshot

LOCAL = {"kafka": {"bootstrap_servers": "broker.example:9092", "sasl_password": "one"}}
MODELS = [{"name": "a", "topic": {"partitions": 6, "config": {"retention.ms": "1"}}}, {"name": "b"}]


@pytest.fixture
def project(tmp_path: Path) -> Compiled:
    return wanted(tmp_path / "project", runtime=LOCAL, models=MODELS)


def of(
    made: Compiled,
    snapshot: Snapshot | None = None,
    context: PlanContext | None = None,
    **shown: Surface | None,
) -> ReviewedPlan:
    """Return the plan with topic `a` known, three partitions of it, and no topic `b`; or what is shown."""
    live = there(**{"a": surface(3), "b": None, **shown})
    plan = planned(made.desired, snapshot or known("a"), live)
    return reviewed_plan(context or made.context(), plan)


def differences(before: ReviewedPlan, now: ReviewedPlan) -> list[str]:
    with pytest.raises(StalePlanError) as refused:
        require_current(before, now)
    assert (refused.value.code, refused.value.location) == ("E409_PLAN_STALE", "plan_file")
    head, _mark, told = refused.value.message.partition(": ")
    assert head == "the plan is not current"
    return told.split("; ")


def test_a_plan_is_current_as_long_as_it_would_be_made_again(project: Compiled) -> None:
    require_context(of(project), project.context())
    require_current(of(project), of(project))


def test_the_version_of_the_program_may_differ(project: Compiled) -> None:
    other = ReviewedPlan({**of(project).document, "streamt_version": "0.0.1"})

    require_current(other, of(project))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"project": "depot"}, "it is of the project 'shop', and this is 'depot'"),
        ({"environment": "prod"}, "it is of the environment 'default', and this is 'prod'"),
        ({"environment_fingerprint": "sha256:1"}, "the runtime of the environment has changed"),
        ({"manifest_checksum": "sha256:1"}, "the project compiles to something else"),
        ({"state": None}, "one was made offline, without a state"),
    ],
)
def test_what_it_was_made_from_is_compared_first(
    project: Compiled, changed: dict[str, Any], told: str
) -> None:
    context = project.context()._replace(**changed)

    assert differences(of(project), of(project, context=context)) == [told]
    with pytest.raises(StalePlanError, match=told):
        require_context(of(project), context)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (
            {"backend": "postgres", "address": "streamt-state://postgres/shop/default"},
            "its state is streamt-state://local/shop/default, and this one is "
            "streamt-state://postgres/shop/default",
        ),
        (
            {"store_id": "2"},
            "its state is kept elsewhere: in another store, or in a project folder that was moved",
        ),
        ({"serial": 4}, "its state had the serial 1 and has 4 now"),
        ({"checksum": "sha256:2"}, "its state has changed and kept its serial 1"),
    ],
)
def test_another_state_is_told_by_what_is_other(
    project: Compiled, changed: dict[str, Any], told: str
) -> None:
    context = project.context()
    assert context.state is not None
    other = context._replace(state=context.state._replace(**changed))

    assert differences(of(project), of(project, context=other)) == [told]


def test_everything_that_differs_is_told_at_once(project: Compiled) -> None:
    other = project.context(serial=2)._replace(manifest_checksum="sha256:1")

    assert differences(of(project), of(project, context=other, a=surface(2))) == [
        "the project compiles to something else",
        "its state had the serial 1 and has 2 now",
        "topic a: partitions was to go from 3 to 6, and it would go from 2 to 6 now",
    ]


def test_a_step_that_is_done_already_is_told(project: Compiled) -> None:
    now = of(project, a=surface(6, retention__ms="1"))

    assert differences(of(project), now) == ["topic a: update was planned, and it would be nothing now"]


def test_a_setting_that_was_set_in_between_is_told(project: Compiled) -> None:
    now = of(project, a=surface(3, retention__ms="1"))

    assert differences(of(project), now) == [
        "topic a: config.retention.ms was to go from None to 1, and it would go nowhere now"
    ]


def test_what_appeared_in_between_is_told_with_what_it_requires(project: Compiled) -> None:
    assert differences(of(project), of(project, b=surface())) == [
        "topic b: create was planned, and it would be nothing now",
        "topic b: what its ownership requires was nothing and is requires_adoption now",
    ]


def test_what_blocks_the_plan_now_is_told(project: Compiled) -> None:
    assert differences(of(project), of(project, a=surface(9))) == [
        "topic a: partitions was to go from 3 to 6, and it would go from 9 to 6 now",
        "topic:a kafka_partition_reduction: what blocks it was nothing and is kafka_partition_reduction now",
    ]


def test_a_setting_that_nobody_declares_makes_no_plan_stale(project: Compiled) -> None:
    require_current(of(project), of(project, a=surface(3, segment__ms="9")))


def test_another_risk_of_the_same_step_is_told(project: Compiled) -> None:
    known_elsewhere = known(a="a", b="b_v1")

    assert differences(of(project), of(project, known_elsewhere)) == [
        "topic b: its risk was safe and is risky now"
    ]


def test_another_order_of_the_same_steps_is_told(project: Compiled) -> None:
    before = of(project)
    first, second = before.document["actions"]
    actions = [{**second, "index": 0}, {**first, "index": 1}]

    told = differences(before, ReviewedPlan({**before.document, "actions": actions}))

    assert told == [
        "action 0 was to update streamt://shop/default/topic/a, and it would be to create "
        "streamt://shop/default/topic/b now",
        "action 1 was to create streamt://shop/default/topic/b, and it would be to update "
        "streamt://shop/default/topic/a now",
    ]


def test_a_selection_of_models_makes_another_plan(project: Compiled) -> None:
    selected = ReviewedPlan({**of(project).document, "selection": {"target": "a"}})

    assert differences(selected, of(project)) == ["it is about other models"]


def test_of_many_differences_ten_are_told_and_the_others_counted(tmp_path: Path) -> None:
    made = wanted(tmp_path / "project", models=[{"name": f"t{number:02}"} for number in range(13)])
    nothing = dict.fromkeys((f"t{number:02}" for number in range(13)), None)

    def plan(shown: dict[str, Surface | None]) -> Plan:
        return planned(made.desired, known(*nothing), there(**shown))

    told = differences(
        reviewed_plan(made.context(), plan(nothing)),
        reviewed_plan(made.context(), plan(dict.fromkeys(nothing, surface()))),
    )

    assert len(told) == 11
    assert told[9:] == ["topic t09: create was planned, and it would be nothing now", "and 3 more"]


def fingerprint(folder: Path, **kafka: str) -> str:
    runtime = {"kafka": {**LOCAL["kafka"], **kafka}}
    return wanted(folder, runtime=runtime, models=MODELS).context().environment_fingerprint


def test_a_new_password_leaves_a_plan_current_and_another_broker_does_not(tmp_path: Path) -> None:
    plain = fingerprint(tmp_path)

    assert fingerprint(tmp_path, sasl_password="two") == plain
    assert fingerprint(tmp_path, ssl_key_password="new") != plain
    assert fingerprint(tmp_path, bootstrap_servers="other.example:9092") != plain
    assert fingerprint(tmp_path, security_protocol="SSL") != plain


def manifest(folder: Path, **document: Any) -> str:
    return wanted(folder, **{"models": MODELS, **document}).context().manifest_checksum


def test_whatever_the_project_compiles_to_is_part_of_its_plan(tmp_path: Path) -> None:
    plain = manifest(tmp_path)
    source = {"name": "orders", "topic": "shop.orders", "description": "other words"}

    assert manifest(tmp_path, sources=[source]) == plain
    assert manifest(tmp_path, models=[MODELS[0]]) != plain
    assert manifest(tmp_path, models=[{**MODELS[0], "ownership": {"mode": "adopted"}}, MODELS[1]]) != plain
    assert manifest(tmp_path, models=[{"name": "a", "topic": {"partitions": 7}}, MODELS[1]]) != plain
