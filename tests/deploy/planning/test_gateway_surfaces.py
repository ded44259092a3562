"""What a project wants of a Gateway, in the Gateway's own terms; what it cannot have; what a plan shows of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from planned import NOTHING, planned, wanted

from streamt_ol.deploy.planning.plan_file import plan_bytes
from streamt_ol.deploy.planning.plan_text import plan_lines
from streamt_ol.deploy.planning.plan_values import action_changes
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.planning.reviewed import reviewed_plan
from streamt_ol.deploy.records import Desired, Live, Surface
from streamt_ol.deploy.state.records import Record, Snapshot

ID = "streamt://shop/default/gateway_rule/eu"
BACKEND = "conduktor-gateway:v1:p:sha256:9d0d0d0f"
PLUGIN = "io.conduktor.gateway.interceptor"
SCOPE = {"vCluster": "passthrough"}


def rule(folder: Path, *, runtime: Any = None, source: Any = None, **model: Any) -> Desired:
    """Return the rule of a model called `eu` that reads the source `orders`."""
    gateway = {"admin_url": "http://gateway.example:8888"}
    made = wanted(
        folder,
        runtime={
            "kafka": {"bootstrap_servers": "broker.example:9092"},
            "conduktor": {"gateway": gateway},
            **(runtime or {}),
        },
        sources=[{"name": "orders", "topic": "shop.orders", **(source or {})}],
        models=[
            {
                "name": "eu",
                "materialized": "virtual_topic",
                "gateway": {"virtual_topic": {"name": "orders.eu"}},
                **({} if "from" in model else {"sql": "SELECT * FROM {{ source('orders') }}"}),
                **model,
            }
        ],
    )
    return next(one for one in made.desired if one.kind == "gateway_rule")


def masks(*policies: dict[str, Any]) -> dict[str, Any]:
    return {"security": {"policies": [{"mask": policy} for policy in policies]}}


def told(desired: Desired) -> list[tuple[str, str]]:
    return [(problem.code, problem.at) for problem in desired.problems]


def test_a_virtual_topic_is_an_alias(tmp_path: Path) -> None:
    made = rule(tmp_path)

    assert (made.physical_name, made.logical_name, made.resource_id) == ("orders.eu", "eu", ID)
    assert made.backend.startswith("conduktor-gateway:v1:p:sha256:")
    assert made.problems == ()
    assert made.surface == {
        "alias": {"vCluster": "passthrough", "physicalName": "shop.orders", "physicalCluster": "main"},
        "interceptors": [],
    }


def test_a_list_without_sql_is_an_alias_too(tmp_path: Path) -> None:
    assert rule(tmp_path, **{"from": [{"source": "orders"}]}).surface["interceptors"] == []


def test_conditions_are_a_filter(tmp_path: Path) -> None:
    sql = "SELECT * FROM {{ source('orders') }} WHERE region = 'EU'"

    assert rule(tmp_path, sql=sql).surface["interceptors"] == [
        {
            "name": "orders.eu_filter_0",
            "scope": SCOPE,
            "pluginClass": f"{PLUGIN}.VirtualSqlTopicPlugin",
            "priority": 100,
            "config": {
                "virtualTopic": "orders.eu",
                "statement": "SELECT * FROM \"shop.orders\" WHERE region = 'EU'",
            },
        }
    ]


def test_each_masked_column_is_an_interceptor_for_each_role(tmp_path: Path) -> None:
    made = rule(
        tmp_path,
        **masks(
            {"column": "email", "method": "redact"},
            {"column": "phone", "method": "redact", "for_roles": ["support", "sales", "support"]},
        ),
    )

    assert [
        (one["name"], one["scope"], one["config"]["policies"][0]["fields"])
        for one in made.surface["interceptors"]
    ] == [
        ("orders.eu_mask_0", SCOPE, ["email"]),
        ("orders.eu_mask_1", {**SCOPE, "group": "sales"}, ["phone"]),
        ("orders.eu_mask_1", {**SCOPE, "group": "support"}, ["phone"]),
    ]
    assert made.surface["interceptors"][0] == {
        "name": "orders.eu_mask_0",
        "scope": SCOPE,
        "pluginClass": f"{PLUGIN}.FieldLevelDataMaskingPlugin",
        "priority": 100,
        "config": {
            "topic": "^orders\\.eu$",
            "policies": [
                {
                    "name": "orders.eu_mask_0",
                    "fields": ["email"],
                    "rule": {"type": "MASK_ALL", "maskingChar": "*"},
                }
            ],
        },
    }


def test_a_rule_lives_in_the_virtual_cluster_of_the_runtime(tmp_path: Path) -> None:
    gateway = {"admin_url": "http://gateway.example:8888", "virtual_cluster": "team"}
    made = rule(
        tmp_path,
        runtime={"conduktor": {"gateway": gateway}},
        **masks({"column": "a", "method": "redact"}),
    )

    assert made.backend.startswith("conduktor-gateway:v1:v-dGVhbQ:sha256:")
    assert made.surface["alias"]["vCluster"] == "team"
    assert made.surface["interceptors"][0]["scope"] == {"vCluster": "team"}


def test_roles_do_not_change_the_order_that_a_gateway_shows(tmp_path: Path) -> None:
    """The list is compared with one that is sorted."""
    made = rule(tmp_path, **masks({"column": "a", "method": "redact", "for_roles": ["b", "a"]}))

    assert [one["scope"]["group"] for one in made.surface["interceptors"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("partial", "gateway_mask_partial"),
        ("hash", "gateway_mask_method"),
        ("tokenize", "gateway_mask_method"),
        ("null", "gateway_mask_method"),
    ],
)
def test_a_mask_that_the_gateway_lacks_is_not_replaced(tmp_path: Path, method: str, code: str) -> None:
    made = rule(tmp_path, **masks({"column": "email", "method": method}))

    assert told(made) == [(code, "/models/0/security/policies")]
    assert "'email' of virtual topic 'orders.eu'" in made.problems[0].message
    assert made.surface["interceptors"] == []


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("WITH a AS (SELECT 1) SELECT * FROM {{ source('orders') }}", "gateway_sql_statement"),
        ("SELECT UPPER(a) AS b FROM {{ source('orders') }}", "gateway_sql_columns"),
        ("SELECT * FROM {{ source('orders') }} o", "gateway_sql_topics"),
        ("SELECT * FROM {{ source('orders') }} LIMIT 1", "gateway_sql_clauses"),
        ("SELECT * FROM {{ source('orders') }} WHERE a = 1 OR b = 2", "gateway_sql_or"),
        ("SELECT * FROM {{ source('orders') }} WHERE a IS NULL", "gateway_sql_conditions"),
        ("SELECT * FROM {{ source('orders') }} WHERE a = 'it''s'", "gateway_sql_texts"),
    ],
)
def test_sql_that_the_gateway_cannot_do_is_never_dropped(tmp_path: Path, sql: str, code: str) -> None:
    made = rule(tmp_path, sql=sql)

    assert told(made) == [(code, "/models/0/sql")]
    assert made.surface["interceptors"] == []


def test_columns_are_selected_of_values_that_explain_themselves_only(tmp_path: Path) -> None:
    sql = "SELECT id FROM {{ source('orders') }}"
    registry = {"schema_registry": {"url": "http://registry.example:8081"}}

    plain = rule(tmp_path / "a", sql=sql)
    json_schema = rule(tmp_path / "b", sql=sql, source={"schema": {"format": "json", "definition": "{}"}})
    avro = rule(tmp_path / "c", sql=sql, source={"schema": {"definition": "{}"}}, runtime=registry)

    assert plain.problems == json_schema.problems == ()
    assert plain.surface["interceptors"][0]["config"]["statement"] == 'SELECT id FROM "shop.orders"'
    assert told(avro) == [("gateway_projection_of_schema", "/models/0/sql")]


def test_values_with_a_schema_are_read_with_the_registry(tmp_path: Path) -> None:
    made = rule(
        tmp_path,
        sql="SELECT * FROM {{ source('orders') }} WHERE a = 1",
        source={"schema": {"format": "avro", "definition": "{}"}},
        runtime={"schema_registry": {"url": "http://registry.example:8081/"}},
        **masks({"column": "a", "method": "redact"}),
    )

    assert made.problems == ()
    assert [one["config"]["schemaRegistryConfig"] for one in made.surface["interceptors"]] == [
        {"host": "http://registry.example:8081"}
    ] * 2


@pytest.mark.parametrize(
    ("registry", "code"),
    [
        (None, "gateway_registry_missing"),
        ({"url": "http://u:hunter2@registry.example"}, "gateway_registry_login"),
        (
            {"url": "http://registry.example", "username": "u", "password": "hunter2"},
            "gateway_registry_login",
        ),
        ({"url": "https://registry.example", "ssl_certificate_location": "/c.pem"}, "gateway_registry_login"),
    ],
)
def test_a_registry_with_a_login_or_without_address_is_a_problem(
    tmp_path: Path, registry: dict[str, Any] | None, code: str
) -> None:
    made = rule(
        tmp_path,
        source={"schema": {"format": "protobuf", "definition": "x"}},
        runtime={"schema_registry": registry},
        **masks({"column": "a", "method": "redact"}),
    )

    assert told(made) == [(code, "/models/0")]
    assert "hunter2" not in json.dumps(made.surface)
    assert "schemaRegistryConfig" not in json.dumps(made.surface)


def test_an_alias_alone_needs_no_registry(tmp_path: Path) -> None:
    assert rule(tmp_path, source={"schema": {"format": "avro", "definition": "{}"}}).problems == ()


def test_a_compression_is_a_problem_because_nothing_is_stored(tmp_path: Path) -> None:
    made = rule(tmp_path, gateway={"virtual_topic": {"name": "orders.eu", "compression": "gzip"}})

    assert told(made) == [("gateway_compression", "/models/0/gateway/virtual_topic/compression")]


@pytest.mark.parametrize("names", [("orders/eu", "shop.orders"), ("orders.eu", "shop orders")])
def test_a_name_that_the_gateway_does_not_take_is_a_problem(tmp_path: Path, names: tuple[str, str]) -> None:
    virtual, physical = names
    made = rule(tmp_path, gateway={"virtual_topic": {"name": virtual}}, source={"topic": physical})

    assert told(made) == [("gateway_name", "/models/0")]


def test_a_list_of_several_topics_is_a_problem(tmp_path: Path) -> None:
    made = wanted(
        tmp_path,
        runtime={
            "kafka": {"bootstrap_servers": "broker.example:9092"},
            "conduktor": {"gateway": {"admin_url": "http://gateway.example"}},
        },
        sources=[{"name": "a", "topic": "a"}, {"name": "b", "topic": "b"}],
        models=[
            {"name": "both", "materialized": "virtual_topic", "from": [{"source": "a"}, {"source": "b"}]},
            {"name": "chained", "materialized": "virtual_topic", "sql": "SELECT * FROM {{ ref('both') }}"},
            {"name": "plain", "topic": {"partitions": 1}},
            {"name": "read", "materialized": "virtual_topic", "sql": "SELECT * FROM {{ ref('plain') }}"},
        ],
    )

    rules = {one.logical_name: one for one in made.desired if one.kind == "gateway_rule"}
    assert told(rules["both"]) == [("gateway_inputs", "/models/0")]
    assert told(rules["chained"]) == [("gateway_chain", "/models/1")]
    assert told(rules["read"]) == []


def live(surface: Surface | None) -> dict[str, dict[str, Live]]:
    return {"gateway_rule": {"orders.eu": Live("gateway_rule", "orders.eu", surface)}}


def owned(desired: Desired) -> Snapshot:
    record = Record("orders.eu", "managed", f"sha256:{0:064}", desired.backend)
    return Snapshot("shop", "default", 1, {desired.resource_id: record})


SQL = "SELECT * FROM {{ source('orders') }} WHERE card = '4000-1234'"


def risk(plan: Plan) -> tuple[str, tuple[str, ...]]:
    return plan.risks[0].risk_class, plan.risks[0].flags


def test_a_plan_shows_of_configurations_only_the_keys(tmp_path: Path) -> None:
    made = rule(tmp_path, sql=SQL, **masks({"column": "email", "method": "redact"}))
    plan = planned([made], NOTHING, live(None))

    lines = "\n".join(line.text for line in plan_lines(plan))
    assert "+ gateway_rule orders.eu" in lines
    assert "alias.physicalName                      shop.orders" in lines
    assert "orders.eu_filter_0.config.statement     ***" in lines
    assert f"orders.eu_filter_0.pluginClass          {PLUGIN}.VirtualSqlTopicPlugin" in lines
    for shown in (
        lines,
        plan_bytes(reviewed_plan(_context(tmp_path), plan)).decode(),
        repr(plan),
        repr(made),
    ):
        assert "4000" not in shown


def _context(folder: Path) -> Any:
    return wanted(folder / "other").context()


def test_a_rule_that_is_as_it_is_wanted_is_left(tmp_path: Path) -> None:
    made = rule(tmp_path, sql=SQL)
    plan = planned([made], owned(made), live(made.surface))

    assert (plan.actions, plan.unchanged) == ((), (ID,))


def test_a_filter_that_changes_is_an_update_and_risky(tmp_path: Path) -> None:
    old, new = rule(tmp_path / "a", sql=SQL), rule(tmp_path / "b", sql=SQL.replace("4000", "4111"))
    plan = planned([new], owned(new), live(old.surface))

    assert [action.action for action in plan.actions] == ["update"]
    assert action_changes(plan.actions[0]) == [
        {"field": "orders.eu_filter_0.config.statement", "before": "***", "after": "***"}
    ]
    assert risk(plan) == ("risky", ("impact_unverified",))


def test_a_filter_that_goes_is_destructive(tmp_path: Path) -> None:
    old, new = rule(tmp_path / "a", sql=SQL), rule(tmp_path / "b")
    plan = planned([new], owned(new), live(old.surface))

    assert [change["field"] for change in action_changes(plan.actions[0])] == [
        "orders.eu_filter_0.pluginClass",
        "orders.eu_filter_0.priority",
        "orders.eu_filter_0.config.virtualTopic",
        "orders.eu_filter_0.config.statement",
    ]
    assert risk(plan) == ("risky", ("destructive", "impact_unverified"))


def test_a_rule_that_is_there_in_part_is_shown_as_what_it_gets(tmp_path: Path) -> None:
    made = rule(tmp_path)
    plan = planned([made], owned(made), live({"alias": None, "interceptors": []}))

    assert action_changes(plan.actions[0])[0] == {
        "field": "alias.vCluster",
        "before": None,
        "after": "passthrough",
    }


def test_what_cannot_be_made_blocks_the_plan_with_its_place(tmp_path: Path) -> None:
    made = rule(tmp_path, sql=SQL + " OR card = 'x'")
    plan = planned([made], owned(made), live(rule(tmp_path / "b").surface))

    assert [(one.code, one.resource, one.at) for one in plan.blockers] == [
        ("gateway_sql_or", "gateway_rule:orders.eu", "/models/0/sql")
    ]
    assert plan.is_apply_blocked


def test_a_rule_of_another_gateway_is_not_known_to_be_the_own(tmp_path: Path) -> None:
    made = rule(tmp_path)
    elsewhere = Record("orders.eu", "managed", f"sha256:{0:064}", BACKEND)
    plan = planned([made], Snapshot("shop", "default", 1, {ID: elsewhere}), live(made.surface))

    assert [(one.reason, one.blocks) for one in plan.requirements] == [("state_mismatch", True)]
