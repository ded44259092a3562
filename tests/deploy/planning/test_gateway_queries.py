"""Which SQL of a virtual topic the Gateway can do; of everything else the obstacle is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.deploy.planning.surfaces.gateway_sql import NotSayableError, Query, read_query


def shape(sql: str) -> str:
    try:
        return read_query(sql, "orders").shape
    except NotSayableError as error:
        return error.shape


@pytest.mark.parametrize(
    ("sql", "statement"),
    [
        ("SELECT * FROM orders", "SELECT * FROM t"),
        ("select *\nfrom `orders` -- all\n;;", "SELECT * FROM t"),
        (
            "SELECT * FROM orders WHERE region = 'EU' AND amount >= -3.5 and n != 1",
            "SELECT * FROM t WHERE region = 'EU' AND amount >= -3.5 AND n <> 1",
        ),
        ("SELECT * FROM orders WHERE a REGEXP 'US|EU'", "SELECT * FROM t WHERE a REGEXP 'US|EU'"),
        ("SELECT * FROM orders WHERE a<'x'/**/AND b>2", "SELECT * FROM t WHERE a < 'x' AND b > 2"),
        ("SELECT * FROM orders WHERE a = ''", "SELECT * FROM t WHERE a = ''"),
        ("SELECT id, price AS amount FROM orders", "SELECT id, price AS amount FROM t"),
        ("SELECT id FROM orders WHERE id <= 4", "SELECT id FROM t WHERE id <= 4"),
    ],
)
def test_a_simple_query_is_said_in_the_sql_of_the_gateway(sql: str, statement: str) -> None:
    assert read_query(sql, "orders").statement("t") == statement


@pytest.mark.parametrize(
    ("topic", "source"),
    [
        ("users", "users"),
        ("our-orders", '"our-orders"'),
        ("shop.orders", '"shop.orders"'),
        ("2024", '"2024"'),
        ("order", '"order"'),
    ],
)
def test_a_topic_whose_name_is_no_plain_name_stands_in_double_quotes(topic: str, source: str) -> None:
    assert Query((), ()).statement(topic) == f"SELECT * FROM {source}"


def test_a_name_that_needs_backticks_is_known_in_them() -> None:
    assert read_query("SELECT * FROM `my``orders`", "my`orders").shape == "everything"


@pytest.mark.parametrize(
    ("expected", "sql"),
    [
        ("statement", "INSERT INTO a SELECT * FROM orders"),
        ("statement", "WITH a AS (SELECT 1) SELECT * FROM orders"),
        ("statement", ""),
        ("statement", "SELECT * FROM orders; DROP TABLE orders"),
        ("columns", "SELECT DISTINCT id FROM orders"),
        ("columns", "SELECT COUNT(*) FROM orders"),
        ("columns", "SELECT id + 1 FROM orders"),
        ("columns", "SELECT id other FROM orders"),
        ("columns", "SELECT `id` FROM orders"),
        ("columns", "SELECT a.b FROM orders"),
        ("columns", "SELECT *, id FROM orders"),
        ("columns", "SELECT 'x' AS a FROM orders"),
        ("columns", "SELECT CASE WHEN a = 1 THEN 2 END AS b FROM orders"),
        ("columns", "SELECT id AS FROM FROM orders"),
        ("columns", "SELECT *"),
        ("topics", "SELECT * FROM other"),
        ("topics", "SELECT * FROM orders AS o"),
        ("topics", "SELECT * FROM orders, other"),
        ("topics", "SELECT * FROM orders JOIN other ON a = b"),
        ("topics", "SELECT * FROM (SELECT * FROM orders)"),
        ("topics", "SELECT * FROM TABLE(TUMBLE(TABLE orders))"),
        ("topics", "SELECT * FROM"),
        ("clauses", "SELECT * FROM orders GROUP BY a"),
        ("clauses", "SELECT * FROM orders WHERE a = 1 ORDER BY a"),
        ("clauses", "SELECT * FROM orders LIMIT 5"),
        ("clauses", "SELECT * FROM orders UNION ALL SELECT * FROM orders"),
        ("alternatives", "SELECT * FROM orders WHERE a = 1 OR b = 2"),
        ("alternatives", "SELECT * FROM orders WHERE a = 1 AND c = 3 or b = 2"),
        ("conditions", "SELECT * FROM orders WHERE a IN ('x')"),
        ("conditions", "SELECT * FROM orders WHERE a IS NULL"),
        ("conditions", "SELECT * FROM orders WHERE a LIKE 'x%'"),
        ("conditions", "SELECT * FROM orders WHERE a BETWEEN 1 AND 2"),
        ("conditions", "SELECT * FROM orders WHERE NOT a = 1"),
        ("conditions", "SELECT * FROM orders WHERE (a = 1)"),
        ("conditions", "SELECT * FROM orders WHERE a = b"),
        ("conditions", "SELECT * FROM orders WHERE 1 = a"),
        ("conditions", "SELECT * FROM orders WHERE a = TRUE"),
        ("conditions", "SELECT * FROM orders WHERE a = NULL"),
        ("conditions", "SELECT * FROM orders WHERE a = 1 + 1"),
        ("conditions", "SELECT * FROM orders WHERE a = 3-1"),
        ("conditions", "SELECT * FROM orders WHERE a = 1e5"),
        ("conditions", "SELECT * FROM orders WHERE `a` = 1"),
        ("conditions", "SELECT * FROM orders WHERE a.b = 1"),
        ("conditions", "SELECT * FROM orders WHERE record.key = 'x'"),
        ("conditions", "SELECT * FROM orders WHERE LOWER(a) = 'x'"),
        ("conditions", "SELECT * FROM orders WHERE a REGEXP b"),
        ("conditions", "SELECT * FROM orders WHERE a"),
        ("conditions", "SELECT * FROM orders WHERE a = 1 AND"),
        ("conditions", "SELECT * FROM orders WHERE a = 'open"),
        ("conditions", "SELECT * FROM orders WHERE a = DATE '2024-01-01'"),
        ("texts", "SELECT * FROM orders WHERE a = 'it''s'"),
        ("texts", "SELECT * FROM orders WHERE a REGEXP '\\d'"),
    ],
)
def test_of_any_other_query_the_obstacle_is_told(expected: str, sql: str) -> None:
    assert shape(sql) == expected


WORDS = st.sampled_from(
    [
        "SELECT",
        "*",
        "id",
        "FROM",
        "orders",
        "WHERE",
        "=",
        "'x'",
        "1",
        "AND",
        "OR",
        "(",
        ")",
        ",",
        ";",
        "'",
        "`",
        "--",
    ]
)


@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_whatever_is_said_again_reads_as_the_same_query(sql: str) -> None:
    try:
        query = read_query(sql, "orders")
    except NotSayableError:
        return

    assert read_query(query.statement("orders"), "orders") == query


def test_a_query_does_not_show_what_it_compares_with() -> None:
    assert "4000" not in repr(read_query("SELECT * FROM orders WHERE card = '4000'", "orders"))
