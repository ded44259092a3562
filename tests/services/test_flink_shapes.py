"""What projects say in Flink SQL, on a real cluster: what runs, and what a plan says of what cannot."""

from __future__ import annotations

import json
from typing import Any

import pytest
from applied import told
from brokers import until
from flink_bakery import Bakery

COLUMNS = [
    {"name": "order_id", "type": "STRING"},
    {"name": "customer", "type": "STRING"},
    {"name": "amount", "type": "DECIMAL(10, 2)"},
    {"name": "at", "type": "TIMESTAMP_LTZ(3)"},
    {"name": "lines", "type": "ARRAY<ROW<sku STRING, qty INT>>"},
    {"name": "attributes", "type": "MAP<STRING, STRING>"},
    {"name": "address", "type": "ROW<`street` STRING, `zip code` STRING>"},
    {"name": "photo", "type": "BYTES"},
]


def order(name: str, customer: str, amount: float, at: str, *skus: str, **more: Any) -> bytes:
    lines = [{"sku": sku, "qty": 1} for sku in skus]
    value = {
        "order_id": name,
        "customer": customer,
        "amount": amount,
        "at": f"2026-01-02 {at}Z",
        "lines": lines,
    }
    return json.dumps({**value, **more}).encode()


BOUGHT = [
    order(
        "o1", "ada", 12.5, "03:04:05", "rye", "oat", attributes={"colour": "red"}, address={"zip code": "1"}
    ),
    order("o2", "ada", 1.25, "03:30:00", photo="AQI="),
    order("o3", "bob", 2, "05:00:00", "bun"),
]


def shaped(bakery: Bakery, sql: str, columns: dict[str, str], **more: Any) -> None:
    """Write a project whose one model has this SQL of `orders`, which have columns of many types."""
    declared = [{"name": name, "type": kind} for name, kind in columns.items()]
    bakery.write(**{"primary_key": [], "columns": declared, "sql": sql, **more})
    path = bakery.folder / "stream_project.yml"
    document = json.loads(path.read_text("utf-8"))
    document["sources"][0] |= {"columns": COLUMNS, "event_time": {"column": "at"}}
    path.write_text(json.dumps(document), "utf-8")


SHAPES: dict[str, tuple[str, dict[str, str], list[Any]]] = {
    "nested values": (
        "WITH lines AS ( -- nobody's; business\n"
        "  SELECT order_id, l.sku, attributes['colour'] AS colour, o.address.`zip code` AS zip\n"
        "  FROM {{ source('orders') }} AS o CROSS JOIN UNNEST(o.lines) AS l (sku, qty)\n"
        ") SELECT order_id, sku, colour, zip, 'it''s; -- no /* comment' AS odd FROM lines /* ; */ ;",
        {"order_id": "STRING", "sku": "STRING", "colour": "STRING", "zip": "STRING", "odd": "STRING"},
        [
            {"order_id": "o1", "sku": "rye", "colour": "red", "zip": "1", "odd": "it's; -- no /* comment"},
            {"order_id": "o1", "sku": "oat", "colour": "red", "zip": "1", "odd": "it's; -- no /* comment"},
            {"order_id": "o3", "sku": "bun", "colour": None, "zip": None, "odd": "it's; -- no /* comment"},
        ],
    ),
    "windows of event time": (
        "SELECT window_start AS w, COUNT(*) AS n, SUM(amount) AS total FROM TABLE(TUMBLE(TABLE "
        "{{ source('orders') }}, DESCRIPTOR(`at`), INTERVAL '1' HOUR)) GROUP BY window_start, window_end",
        {"w": "TIMESTAMP(3)", "n": "BIGINT", "total": "DECIMAL(38, 2)"},
        [{"w": "2026-01-02 03:00:00", "n": 2, "total": 13.75}],
    ),
    "parts of a union": (
        "SELECT order_id AS `value`, photo FROM {{ source('orders') }} WHERE customer = 'ada'\nUNION ALL\n"
        "SELECT customer, CAST(NULL AS BYTES) FROM {{ source('orders') }} WHERE customer = 'bob'",
        {"value": "STRING", "photo": "BYTES"},
        [
            {"value": "o1", "photo": None},
            {"value": "o2", "photo": "AQI="},
            {"value": "bob", "photo": None},
        ],
    ),
    "versions of a row": (
        "WITH latest AS (SELECT customer, amount, `at` FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY customer "
        "ORDER BY `at` DESC) AS place FROM {{ source('orders') }}) WHERE place = 1)\n"
        "SELECT o.order_id, l.amount FROM {{ source('orders') }} AS o JOIN latest FOR SYSTEM_TIME AS OF o.`at` AS l "
        "ON o.customer = l.customer",
        {"order_id": "STRING", "amount": "DECIMAL(10, 2)"},
        [{"order_id": "o1", "amount": 12.5}, {"order_id": "o2", "amount": 1.25}],
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_records_become_what_the_sql_of_a_model_says(bakery: Bakery, shape: str) -> None:
    sql, columns, expected = SHAPES[shape]
    shaped(bakery, sql, columns)

    bakery.applied()
    bakery.kafka.produce(bakery.orders, BOUGHT)

    assert sorted(map(str, bakery.first(len(expected)))) == sorted(map(str, expected))
    assert told(bakery.plan())["data"]["has_changes"] is False


def test_a_plan_is_blocked_by_sql_that_flink_does_not_take(bakery: Bakery) -> None:
    shaped(
        bakery,
        "SELECT order_id,\n  blob AS n FROM {{ source('orders') }}",
        {"order_id": "STRING", "n": "BYTES"},
    )

    (blocker,) = told(bakery.plan())["data"]["safety_blockers"]
    (refused,) = told(bakery.apply())["errors"]

    assert blocker["code"] == "flink_sql_refused"
    assert blocker["message"].endswith(
        'ParseException: Encountered "blob" at line 2, column 3; '
        "a name that is a word of Flink SQL has to stand in backticks"
    )
    assert refused["code"] == "E417_SAFETY_BLOCKED"
    assert bakery.jobs() == []
    admin = bakery.kafka.admin()  # held: what it was asked ends with it
    assert bakery.name not in admin.list_topics(timeout=30).topics


REFUSED = {
    "a type that is none": (
        "SELECT order_id FROM {{ source('orders') }}",
        {"order_id": "NUMBER"},
        "Unknown identifier 'NUMBER' (column 'order_id')",
    ),
    "another type": (
        "SELECT order_id, CARDINALITY(lines) AS n FROM {{ source('orders') }}",
        {"order_id": "STRING", "n": "SMALLINT"},
        "Query schema: [order_id: STRING, n: INT] Sink schema: [order_id: STRING, n: SMALLINT]; declare the type",
    ),
    "a result that changes": (
        "SELECT customer, COUNT(*) AS n FROM {{ source('orders') }} GROUP BY customer",
        {"customer": "STRING", "n": "BIGINT"},
        "GroupAggregate(groupBy=[customer], select=[customer, COUNT(*) AS n]); a result that changes needs",
    ),
    "a table that nobody read": (
        "SELECT o.order_id FROM {{ source('orders') }} AS o JOIN payments AS p ON o.order_id = p.order_id",
        {"order_id": "STRING"},
        "Object 'payments' not found (line 1, column 41); a source is read by source()",
    ),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_helps_is_said_with_flinks_own_words(bakery: Bakery, fault: str) -> None:
    sql, columns, words = REFUSED[fault]
    shaped(bakery, sql, columns)

    (blocker,) = told(bakery.plan())["data"]["safety_blockers"]

    assert words in " ".join(blocker["message"].split())


def test_why_a_job_failed_after_its_start_is_told_by_the_next_plan(bakery: Bakery) -> None:
    shaped(bakery, "SELECT order_id FROM {{ source('orders') }}", {"order_id": "STRING"})
    bakery.applied()
    bakery.kafka.produce(bakery.orders, [b'{"order_id": "o1", "amount": "planted"}'])
    until(lambda: bakery.jobs("FAILED"))

    (blocker,) = told(bakery.plan())["data"]["safety_blockers"]

    assert blocker["code"] == "flink_resubmit_requires_state_evidence"
    assert (
        "it is FAILED (its last failure: JsonParseException: Fail to deserialize at field: amount."
        in blocker["message"]
    )
    assert "planted" not in blocker["message"]
