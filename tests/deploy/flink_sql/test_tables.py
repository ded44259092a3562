"""Topics as tables of a job: columns, connector, keys, format, and where they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checked import KINDS, packaged_rules
from flink_jobs import FLINK, LARGE, ORDERS, changed, columns, graph_of, job_of, large, options, problems
from golden_cases import GOLDEN

from streamt_ol.compiler.compiling import compile_project
from streamt_ol.deploy.flink_sql.needs import FLINK_SQL_NEEDS
from streamt_ol.project.load import load_project

READ_BY_KAFKA = {
    "connector": "kafka",
    "topic": "shop.orders",
    "properties.bootstrap.servers": "broker.example:9092",
    "properties.group.id": "streamt/shop/default/large",
    "scan.startup.mode": "earliest-offset",
    "value.format": "json",
}
WRITTEN = {
    "connector": "kafka",
    "topic": "shop.large",
    "properties.bootstrap.servers": "broker.example:9092",
    "value.format": "json",
}


def test_the_packaged_rules_have_what_the_sql_of_jobs_reads() -> None:
    packaged_rules().require(FLINK_SQL_NEEDS)


def test_the_payments_example_is_two_tables_and_an_insert() -> None:
    project = load_project(
        GOLDEN / "payments" / "project", environment=None, process_environment={}, materializations=KINDS
    ).project
    job = job_of(compile_project(project, packaged_rules()), "payments_clean_processor")

    assert job.statements == (
        """\
CREATE TEMPORARY TABLE `payments_raw` (
  `payment_id` STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'payments.raw.v1',
  'properties.bootstrap.servers' = 'broker.example:9092',
  'properties.group.id' = 'streamt/payments-streams/default/payments_clean_processor',
  'scan.startup.mode' = 'earliest-offset',
  'value.format' = 'json'
)""",
        """\
CREATE TEMPORARY TABLE `payments_clean` (
  `payment_id` STRING NOT NULL
) WITH (
  'connector' = 'kafka',
  'topic' = 'payments.clean.v1',
  'properties.bootstrap.servers' = 'broker.example:9092',
  'value.format' = 'json'
)""",
        """\
INSERT INTO `payments_clean` (`payment_id`)
SELECT payment_id
FROM payments_raw""",
    )
    assert job.settings == {"pipeline.name": "payments_clean_processor"}
    assert (job.name, job.cluster, job.problems) == ("payments_clean_processor", None, ())


def test_a_topic_is_read_from_its_start_by_a_group_of_the_job(tmp_path: Path) -> None:
    job = large(tmp_path)

    assert options(job.statements[0]) == READ_BY_KAFKA
    assert options(job.statements[1]) == WRITTEN
    assert job.cluster == "mill"


def test_the_group_of_one_job_is_never_that_of_another(tmp_path: Path) -> None:
    model = changed(LARGE, name="a/b c")
    job = job_of(graph_of(tmp_path, models=[model], project={"name": "über/shop"}), "a/b c")

    assert options(job.statements[0])["properties.group.id"] == "streamt/%C3%BCber%2Fshop/default/a%2Fb%20c"


def test_a_job_asks_the_brokers_as_machines_of_the_cluster_see_them(tmp_path: Path) -> None:
    kafka = {"bootstrap_servers": "broker.example:9092", "bootstrap_servers_internal": "kafka:29092"}
    job = job_of(graph_of(tmp_path, runtime={"kafka": kafka}))

    assert [options(table)["properties.bootstrap.servers"] for table in job.statements[:2]] == [
        "kafka:29092"
    ] * 2


def test_inputs_stand_in_the_order_of_names_and_the_output_is_last(tmp_path: Path) -> None:
    customers = changed(ORDERS, name="customers", topic="shop.customers")
    sql = 'SELECT o.id, o.loaves FROM {{ source("orders") }} AS o JOIN {{ source("customers") }} AS c ON o.id = c.id'
    job = job_of(graph_of(tmp_path, sources=[ORDERS, customers], models=[changed(LARGE, sql=sql)]))

    assert [statement.split()[3] for statement in job.statements[:3]] == [
        "`customers`",
        "`orders`",
        "`large`",
    ]


def test_names_are_quoted_whatever_they_are(tmp_path: Path) -> None:
    names = ["order", "two words", "tick`ed", "größe", "semi;colon", "it's"]
    declared = [{"name": name, "type": "STRING"} for name in names]
    job = large(
        tmp_path,
        source={"columns": declared, "topic": "it's"},
        columns=declared,
        sql='SELECT * FROM {{ source("orders") }}',
    )

    assert columns(job.statements[0]) == [
        "`order` STRING",
        "`two words` STRING",
        "`tick``ed` STRING",
        "`größe` STRING",
        "`semi;colon` STRING",
        "`it's` STRING",
    ]
    assert "  'topic' = 'it''s',\n" in job.statements[0]


def test_types_stand_as_they_are_declared(tmp_path: Path) -> None:
    types = [
        "DECIMAL(10, 2)",
        "ROW<a INT, b ARRAY<STRING>>",
        "MAP<STRING, ROW<`x y` INT COMMENT 'why'>>",
        "INT NOT NULL",
    ]
    declared = [{"name": f"c{index}", "type": kind} for index, kind in enumerate(types)]
    job = large(
        tmp_path, source={"columns": declared}, columns=declared, sql='SELECT * FROM {{ source("orders") }}'
    )

    expected = [f"`c{index}` {kind}" for index, kind in enumerate(types)]
    assert [columns(table) for table in job.statements[:2]] == [expected, expected]


def test_the_fields_of_a_schema_stand_in_for_columns(tmp_path: Path) -> None:
    job = large(tmp_path, source={"columns": None, "schema": {"fields": ORDERS["columns"]}})

    assert columns(job.statements[0]) == ["`id` STRING", "`loaves` BIGINT", "`at` TIMESTAMP(3)"]


def test_a_processing_time_is_computed_when_read_and_never_written(tmp_path: Path) -> None:
    clock = {"name": "now", "proctime": True}
    sources = [changed(ORDERS, columns=[*ORDERS["columns"], clock])]
    models = [changed(LARGE, columns=[*LARGE["columns"], clock])]
    models.append(
        changed(LARGE, name="larger", topic={"name": "l"}, sql='SELECT id, loaves FROM {{ ref("large") }}')
    )
    graph = graph_of(tmp_path, sources=sources, models=models)

    assert columns(job_of(graph).statements[0])[-1] == "`now` AS PROCTIME()"
    assert columns(job_of(graph).statements[1]) == ["`id` STRING", "`loaves` BIGINT"]
    assert columns(job_of(graph, "larger").statements[0])[-1] == "`now` AS PROCTIME()"


def contracted(**contract: Any) -> dict[str, Any]:
    promised = [{"name": "id", "type": "STRING", "nullable": False}, {"name": "loaves"}]
    return changed(LARGE, contract={"columns": promised, **contract})


@pytest.mark.parametrize(("enforced", "word"), [(True, " NOT NULL"), (False, "")])
def test_an_enforced_contract_says_which_columns_are_never_null(
    tmp_path: Path, *, enforced: bool, word: str
) -> None:
    job = job_of(graph_of(tmp_path, models=[contracted(enforced=enforced)]))

    assert columns(job.statements[1]) == [f"`id` STRING{word}", "`loaves` BIGINT"]


def test_a_table_that_is_read_may_have_nulls_whatever_is_promised(tmp_path: Path) -> None:
    reader = changed(
        LARGE, name="larger", topic={"name": "l"}, sql='SELECT id, loaves FROM {{ ref("large") }}'
    )
    graph = graph_of(tmp_path, models=[contracted(), reader])

    assert columns(job_of(graph, "larger").statements[0]) == ["`id` STRING", "`loaves` BIGINT"]


def test_what_a_contract_promises_is_what_is_written(tmp_path: Path) -> None:
    model = changed(
        LARGE, contract={"columns": [{"name": "id"}]}, sql='SELECT id FROM {{ source("orders") }}'
    )

    assert columns(job_of(graph_of(tmp_path, models=[model])).statements[1]) == ["`id` STRING"]


def test_a_primary_key_makes_an_upsert(tmp_path: Path) -> None:
    job = large(tmp_path, primary_key=["id"])

    assert columns(job.statements[1]) == ["`id` STRING", "`loaves` BIGINT", "PRIMARY KEY (`id`) NOT ENFORCED"]
    assert options(job.statements[1]) == {
        "connector": "upsert-kafka",
        "topic": "shop.large",
        "properties.bootstrap.servers": "broker.example:9092",
        "key.format": "json",
        "value.format": "json",
    }


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ({"key": "id"}, "id"),
        ({"primary_key": ["id", "loaves"], "flink": {"changelog_mode": "append"}}, "id;loaves"),
        ({"primary_key": ["id"], "key": "loaves", "flink": {"changelog_mode": "APPEND"}}, "loaves"),
        ({"primary_key": ["id"], "key": "id", "flink": {"changelog_mode": "append"}}, "id"),
    ],
)
def test_what_is_appended_is_keyed_by_the_key_else_by_the_primary_key(
    tmp_path: Path, model: dict[str, Any], fields: str
) -> None:
    job = large(tmp_path, **model)

    assert columns(job.statements[1]) == ["`id` STRING", "`loaves` BIGINT"]
    assert options(job.statements[1]) == {**WRITTEN, "key.format": "json", "key.fields": fields}


def test_a_key_of_odd_letters_is_one_of_a_list(tmp_path: Path) -> None:
    declared = [{"name": "a;b", "type": "STRING"}, {"name": "it's", "type": "STRING"}]
    job = large(
        tmp_path,
        columns=declared,
        sql='SELECT id AS `a;b`, id AS `it\'s` FROM {{ source("orders") }}',
        primary_key=["a;b", "it's"],
        flink={"changelog_mode": "append"},
    )

    assert options(job.statements[1])["key.fields"] == "'a;b';'it''s'"


def test_what_a_job_upserts_is_read_as_what_it_is(tmp_path: Path) -> None:
    reader = changed(
        LARGE, name="larger", topic={"name": "l"}, sql='SELECT id, loaves FROM {{ ref("large") }}'
    )
    graph = graph_of(tmp_path, models=[changed(LARGE, primary_key=["id"]), reader])
    read = job_of(graph, "larger").statements[0]

    assert columns(read)[-1] == "PRIMARY KEY (`id`) NOT ENFORCED"
    assert options(read) == {
        "connector": "upsert-kafka",
        "topic": "shop.large",
        "properties.bootstrap.servers": "broker.example:9092",
        "properties.group.id": "streamt/shop/default/larger",
        "key.format": "json",
        "value.format": "json",
    }


@pytest.mark.parametrize(
    "model", [{"flink": {"changelog_mode": "append"}}, {"sql": None, "materialized": "topic"}]
)
def test_what_is_appended_or_of_others_is_read_message_by_message(
    tmp_path: Path, model: dict[str, Any]
) -> None:
    reader = changed(
        LARGE, name="larger", topic={"name": "l"}, sql='SELECT id, loaves FROM {{ ref("large") }}'
    )
    graph = graph_of(tmp_path, models=[changed(LARGE, primary_key=["id"], **model), reader])

    assert options(job_of(graph, "larger").statements[0])["connector"] == "kafka"


def virtual(runtime: dict[str, Any]) -> dict[str, Any]:
    masked = {
        "name": "masked",
        "gateway": {"virtual_topic": {"name": "shop.masked"}},
        "columns": LARGE["columns"],
    }
    masked["sql"] = 'SELECT id, loaves FROM {{ source("orders") }} WHERE loaves > 1'
    reader = changed(LARGE, sql='SELECT id, loaves FROM {{ ref("masked") }}')
    return {"models": [masked, reader], "runtime": runtime}


def test_a_virtual_topic_is_read_from_the_gateway(tmp_path: Path) -> None:
    gateway = {"gateway": {"admin_url": "http://g.example", "proxy_bootstrap": "gateway.example:6969"}}
    job = job_of(graph_of(tmp_path, **virtual({"conduktor": gateway})))

    assert options(job.statements[0]) == {
        **READ_BY_KAFKA,
        "topic": "shop.masked",
        "properties.bootstrap.servers": "gateway.example:6969",
    }
    assert options(job.statements[1])["properties.bootstrap.servers"] == "broker.example:9092"


def test_a_virtual_topic_that_nobody_says_how_to_reach_is_not_read(tmp_path: Path) -> None:
    job = job_of(graph_of(tmp_path, **virtual({"conduktor": {"gateway": {"admin_url": "http://g.example"}}})))

    assert problems(job) == [("flink_gateway_proxy_missing", "/models/0")]


def test_a_login_at_kafka_is_never_used_at_the_gateway(tmp_path: Path) -> None:
    kafka = {
        "bootstrap_servers": "broker.example:9092",
        "sasl_mechanism": "PLAIN",
        "sasl_username": "u",
        "sasl_password": "planted-secret",
    }
    gateway = {"gateway": {"proxy_bootstrap": "gateway.example:6969"}}
    job = job_of(graph_of(tmp_path, **virtual({"conduktor": gateway, "kafka": kafka})))

    assert problems(job) == [("flink_gateway_login", "/models/0")]


def test_a_model_without_a_topic_cannot_be_read(tmp_path: Path) -> None:
    sink = {
        "name": "archive",
        "materialized": "sink",
        "from": [{"source": "orders"}],
        "sink": {"connector": "x"},
    }
    reader = changed(LARGE, sql='SELECT id, loaves FROM {{ ref("archive") }}')
    job = job_of(graph_of(tmp_path, models=[changed(sink, columns=LARGE["columns"]), reader]))

    assert problems(job) == [("flink_input_without_topic", "/models/0")]


AVRO = {"registry": "main", "format": "Avro"}


def test_values_in_avro_are_read_with_the_registry(tmp_path: Path) -> None:
    runtime = {"schema_registry": {"url": "http://user:planted-secret@registry.example:8081/r"}}
    job = job_of(graph_of(tmp_path, sources=[changed(ORDERS, schema=AVRO)], runtime=runtime))

    assert options(job.statements[0]) == {
        **READ_BY_KAFKA,
        "value.format": "avro-confluent",
        "value.avro-confluent.url": "http://registry.example:8081/r",
    }
    assert options(job.statements[1])["value.format"] == "json"


@pytest.mark.parametrize(
    "schema", [{"format": "JSON"}, {"format": "json", "definition": "{}"}, {"fields": []}, {}]
)
def test_values_without_a_registered_format_are_json(tmp_path: Path, schema: dict[str, Any]) -> None:
    assert options(large(tmp_path, source={"schema": schema}).statements[0]) == READ_BY_KAFKA


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"format": "avro"}, "flink_registry_missing"),
        ({"format": "protobuf"}, "flink_format_protobuf"),
        ({"definition": "{}"}, "flink_format_undeclared"),
        ({"subject": "orders"}, "flink_format_undeclared"),
    ],
)
def test_values_that_no_format_of_flink_reads_are_said(
    tmp_path: Path, schema: dict[str, Any], problem: str
) -> None:
    assert problems(large(tmp_path, source={"schema": schema})) == [(problem, "/sources/0/schema")]


def test_certificates_of_a_registry_are_said_not_to_reach_flink(tmp_path: Path) -> None:
    runtime = {"schema_registry": {"url": "https://registry.example", "ssl_ca_location": "/ca.pem"}}
    job = job_of(graph_of(tmp_path, sources=[changed(ORDERS, schema=AVRO)], runtime=runtime))

    assert problems(job) == [("flink_registry_certificates", "/runtime/schema_registry")]
    assert not job.blocked


@pytest.mark.parametrize(
    ("model", "problem", "place"),
    [
        ({"columns": None}, "flink_columns_missing", "/models/0/columns"),
        ({"contract": {"columns": []}, "columns": []}, "flink_columns_missing", "/models/0/columns"),
        ({"columns": [{"name": "id"}]}, "flink_column_type_missing", "/models/0/columns/0"),
        (
            {"contract": {"columns": [{"name": "x"}]}},
            "flink_column_type_missing",
            "/models/0/contract/columns/0",
        ),
        ({"columns": [{"name": "id", "type": "STRING) WITH ("}]}, "flink_column_type", "/models/0/columns/0"),
        ({"columns": [{"name": "id", "type": "INT, x INT"}]}, "flink_column_type", "/models/0/columns/0"),
        ({"columns": [{"name": "id", "type": "INT -- all"}]}, "flink_column_type", "/models/0/columns/0"),
        ({"columns": [{"name": "id", "type": "ARRAY<INT"}]}, "flink_column_type", "/models/0/columns/0"),
        ({"columns": [{"name": "id", "type": "'text'"}]}, "flink_column_type", "/models/0/columns/0"),
        ({"columns": [{"name": "", "type": "INT"}]}, "flink_name", "/models/0/columns/0/name"),
        ({"columns": [{"name": "a\nb", "type": "INT"}]}, "flink_name", "/models/0/columns/0/name"),
        ({"columns": [LARGE["columns"][0]] * 2}, "flink_column_repeated", "/models/0/columns/1/name"),
        ({"primary_key": ["nobody"]}, "flink_key_unknown", "/models/0"),
        ({"key": "nobody"}, "flink_key_unknown", "/models/0"),
        ({"primary_key": ["id"], "key": "loaves"}, "flink_key_conflict", "/models/0"),
        ({"flink": {"changelog_mode": "upsert"}}, "flink_primary_key_missing", "/models/0"),
        ({"flink": {"changelog_mode": "retract"}}, "flink_changelog_mode", "/models/0/flink/changelog_mode"),
    ],
)
def test_what_no_table_can_have_is_said_with_its_place(
    tmp_path: Path, model: dict[str, Any], problem: str, place: str
) -> None:
    assert problems(large(tmp_path, **model)) == [(problem, place)]


def test_a_name_with_a_line_break_is_no_name_of_a_table(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, models=[changed(LARGE, name="two\nlines")])

    assert problems(job_of(graph, "two\nlines")) == [("flink_name", "/models/0/name")]


def test_an_input_without_columns_is_said_where_it_is_declared(tmp_path: Path) -> None:
    job = large(tmp_path, source={"columns": []})

    assert problems(job) == [("flink_columns_missing", "/sources/0/columns")]
    assert job.problems[0].message == "source 'orders' declares no columns, and a table of Flink has columns"
    assert job.problems[0].remedy == "declare its columns, each with a type of Flink"


def test_a_cluster_of_a_model_is_the_one_of_its_job(tmp_path: Path) -> None:
    clusters = {**FLINK["clusters"], "other": {}}  # type: ignore[dict-item]
    runtime = {"flink": {"default": "mill", "clusters": clusters}}
    graph = graph_of(tmp_path, models=[changed(LARGE, flink_cluster="other")], runtime=runtime)

    assert job_of(graph).cluster == "other"
