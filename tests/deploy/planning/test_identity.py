"""Ids of resources, and what a project wants by them."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked import packaged_rules
from planned import topic_id, wanted

from streamt_ol.deploy.planning.errors import (
    ResourceIdentityError,
    TopicSettingError,
    UnknownResourceKindError,
)
from streamt_ol.deploy.planning.identity import Identity, identity, parse_identity
from streamt_ol.deploy.planning.kinds import Kinds


def test_an_id_says_project_environment_kind_and_name() -> None:
    made = identity("shop", "prod-eu", "topic", "daily orders")

    assert str(made) == "streamt://shop/prod-eu/topic/daily orders"
    assert parse_identity(str(made)) == Identity("shop", "prod-eu", "topic", "daily orders")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("", "prod", "topic", "a"), "the project '' of a resource is empty or holds a slash"),
        (("shop", "prod", "topic", "a/b"), "the logical name 'a/b' of a resource is empty or holds a slash"),
        (
            ("shop", "-prod", "topic", "a"),
            "the environment '-prod' has other characters than letters, digits and dashes",
        ),
        (
            ("shop", "pröd", "topic", "a"),
            "the environment 'pröd' has other characters than letters, digits and dashes",
        ),
    ],
)
def test_a_part_that_would_make_an_id_ambiguous_is_refused(
    parts: tuple[str, str, str, str], message: str
) -> None:
    with pytest.raises(ResourceIdentityError, match=r"^.*$") as refused:
        identity(*parts, at="/models/0")

    assert (refused.value.message, refused.value.location) == (message, "/models/0")


@pytest.mark.parametrize("text", ["shop/prod/topic/a", "streamt://shop/prod/topic", "streamt://a/b/c/d/e"])
def test_another_text_is_no_id(text: str) -> None:
    with pytest.raises(ResourceIdentityError) as refused:
        parse_identity(text)

    assert refused.value.message == f"'{text}' is no resource id: streamt://PROJECT/ENVIRONMENT/KIND/NAME"


def test_kinds_stand_in_the_order_of_their_execution() -> None:
    kinds = Kinds(packaged_rules())

    assert [kind.name for kind in sorted(kinds.by_name.values(), key=lambda one: one.position)] == [
        "schema",
        "topic",
        "flink_job",
        "connector",
        "gateway_rule",
    ]
    assert {name: kind.backend for name, kind in kinds.by_name.items() if kind.backend} == {
        "schema": "schema-registry",
        "topic": "direct-kafka",
        "flink_job": "flink",
        "connector": "kafka-connect",
        "gateway_rule": "conduktor-gateway",
    }


def test_a_kind_of_artifact_that_nobody_knows_is_refused_and_not_left_out() -> None:
    with pytest.raises(UnknownResourceKindError, match="compiles to 'dashboards'"):
        Kinds(packaged_rules()).of_artifacts("dashboards")


def test_a_project_wants_its_artifacts_kind_by_kind_each_by_name(tmp_path: Path) -> None:
    made = wanted(
        tmp_path,
        sources=[
            {
                "name": "orders",
                "topic": "shop.orders",
                "columns": [{"name": "id", "type": "STRING"}],
                "schema": {"subject": "orders-v1", "format": "avro"},
            }
        ],
        models=[
            {"name": "zeta", "topic": {"name": "shop.a"}},
            {"name": "alpha", "sql": 'SELECT id FROM {{ source("orders") }}', "materialized": "topic"},
        ],
    )

    assert [(one.resource_id, one.physical_name, one.ownership, one.at) for one in made.desired] == [
        ("streamt://shop/default/schema/orders", "orders-v1", "external", "/sources/0"),
        ("streamt://shop/default/topic/alpha", "alpha", "managed", "/models/1"),
        ("streamt://shop/default/topic/zeta", "shop.a", "managed", "/models/0"),
        ("streamt://shop/default/flink_job/alpha", "alpha_processor", "managed", "/models/1"),
    ]


def test_ownership_is_what_the_owner_declares(tmp_path: Path) -> None:
    made = wanted(
        tmp_path,
        models=[
            {"name": "a", "ownership": {"mode": "adopted"}},
            {"name": "b", "ownership": {"mode": "external"}},
            {"name": "c"},
        ],
    )

    assert [one.ownership for one in made.desired] == ["adopted", "external", "managed"]


def test_what_a_test_compiles_to_is_called_by_its_own_name(tmp_path: Path) -> None:
    made = wanted(
        tmp_path,
        models=[{"name": "fine", "topic": {"name": "shop.fine"}}],
        tests=[
            {
                "name": "fine",
                "model": "fine",
                "type": "sample",
                "assertions": [{"not_null": {"columns": ["id"]}}],
                "on_failure": {"actions": [{"dlq": True}, {"dlq": {"topic": "rest"}}]},
            }
        ],
    )

    assert [one.resource_id for one in made.desired] == [
        topic_id("fine__dlq"),
        topic_id("rest"),
        topic_id("fine"),
    ]


def test_two_resources_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceIdentityError) as refused:
        wanted(
            tmp_path,
            models=[{"name": "rest", "topic": {"name": "shop.rest"}}],
            tests=[
                {
                    "name": "fine",
                    "model": "rest",
                    "type": "sample",
                    "assertions": [{"not_null": {"columns": ["id"]}}],
                    "on_failure": {"actions": [{"dlq": {"topic": "rest"}}]},
                }
            ],
        )

    assert refused.value.code == "E411_STATE_INVALID"
    assert refused.value.message == "'shop.rest' and 'rest' are both streamt://shop/default/topic/rest"
    assert refused.value.location == "/models/0"


def test_a_model_whose_name_holds_a_slash_can_be_no_resource(tmp_path: Path) -> None:
    with pytest.raises(ResourceIdentityError) as refused:
        wanted(tmp_path, models=[{"name": "a/b", "topic": {"name": "shop.ab"}}])

    assert refused.value.location == "/models/0"


def test_settings_of_a_topic_are_texts_as_kafka_writes_them(tmp_path: Path) -> None:
    config = {
        "retention.ms": 6.048e8,
        "compression.type": "zstd",
        "cleanup.policy": ["compact", "delete"],
        "preallocate": True,
        "unclean.leader.election.enable": False,
        "min.cleanable.dirty.ratio": 0.25,
        "segment.ms": None,
    }
    (one,) = wanted(tmp_path, models=[{"name": "a", "topic": {"partitions": "6", "config": config}}]).desired

    assert one.surface == {
        "partitions": 6,
        "replication_factor": 1,
        "config": {
            "cleanup.policy": "compact,delete",
            "compression.type": "zstd",
            "min.cleanable.dirty.ratio": "0.25",
            "preallocate": "true",
            "retention.ms": "604800000",
            "unclean.leader.election.enable": "false",
        },
    }


def test_a_setting_that_kafka_cannot_be_told_is_refused_at_its_place(tmp_path: Path) -> None:
    with pytest.raises(TopicSettingError) as refused:
        wanted(tmp_path, models=[{"name": "a", "topic": {"config": {"retention.ms": {"days": 7}}}}])

    assert refused.value.location == "/models/0/topic/config/retention.ms"


def test_the_checksum_is_of_the_whole_artifact_and_its_ownership(tmp_path: Path) -> None:
    def checksum(**model: object) -> str:
        (one,) = wanted(tmp_path, models=[{"name": "a", **model}]).desired
        return one.checksum

    plain = checksum()

    assert plain == checksum(description="other words")
    assert len({plain, checksum(topic={"partitions": 2}), checksum(ownership={"mode": "adopted"})}) == 3
    assert plain.startswith("sha256:")
    assert len(plain) == len("sha256:") + 64


def test_what_lifecycle_removes_has_an_id_too(tmp_path: Path) -> None:
    made = wanted(
        tmp_path,
        lifecycle={
            "connector_removals": [{"logical_owner": "archive", "name": "archive-s3", "cluster": "c"}],
            "gateway_rule_removals": [
                {
                    "logical_owner": "masked",
                    "prior_artifact": {
                        "name": "masked",
                        "virtualTopic": "orders.masked",
                        "physicalTopic": "shop.orders",
                        "interceptors": [],
                    },
                }
            ],
        },
    )

    assert [(one.resource_id, one.physical_name, one.at) for one in made.removals] == [
        ("streamt://shop/default/connector/archive", "archive-s3", "/lifecycle/connector_removals/0"),
        (
            "streamt://shop/default/gateway_rule/masked",
            "orders.masked",
            "/lifecycle/gateway_rule_removals/0",
        ),
    ]
