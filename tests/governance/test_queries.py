"""SQL: what is certain is said, what is not is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.governance.queries import Output, read_query
from streamt_ol.governance.sql_words import LONGEST, words

NAMES = {
    "TUMBLE": {"use": "window_function"},
    "WINDOW_START": {"use": "window_column"},
    "ML_PREDICT": {"use": "machine_learning"},
}


@pytest.mark.parametrize(
    ("sql", "outputs"),
    [
        ("SELECT a, `b c` FROM t", (Output("a", "a"), Output("b c", "b c"))),
        ("SELECT DISTINCT t.a AS x FROM t", (Output("x", "a"),)),
        ("SELECT s.a FROM t AS s", (Output("a", "a"),)),
        ("SELECT r.a FROM t", (Output("a"),)),
        ("SELECT a + 1 AS b, f(a, ',') AS c FROM t", (Output("b"), Output("c"))),
        ("SELECT CAST(a AS VARCHAR(3)) AS b FROM t", (Output("b", cast="VARCHAR"),)),
        ("SELECT CAST(CAST(a AS INT) AS STRING) AS b FROM t", (Output("b", cast="STRING"),)),
        ("SELECT CAST(a AS INT) + 1 AS b FROM t", (Output("b"),)),
        ("SELECT CAST(a AS INT) + CAST(b AS INT) AS c FROM t", (Output("c"),)),
        ("SELECT a /* , b */ AS c -- , d\nFROM t;", (Output("c", "a"),)),
        ("SELECT EXTRACT(HOUR FROM at) AS h FROM t", (Output("h"),)),
        ("WITH x AS (SELECT b FROM t) SELECT a FROM x", (Output("a", "a"),)),
        ("SELECT a, b + 1 FROM t", None),
        ("SELECT a b FROM t", None),
        ("SELECT *, a FROM t", None),
        ("SELECT t.* FROM t", None),
        ("SELECT a FROM t UNION ALL SELECT b FROM u", None),
        ("(SELECT a FROM t)", None),
        ("VALUES (1, 2)", None),
    ],
)
def test_columns_are_known_only_where_their_names_are_certain(
    sql: str, outputs: tuple[Output, ...] | None
) -> None:
    query = read_query(sql, NAMES)

    assert query.understood
    assert query.outputs == outputs


@pytest.mark.parametrize(
    ("sql", "table"),
    [
        ("SELECT a FROM t", "t"),
        ("SELECT a FROM `t u` AS v WHERE a > 1", "t u"),
        ("SELECT a FROM t v", "t"),
        ("SELECT a FROM t, u", None),
        ("SELECT a FROM t JOIN u ON TRUE", None),
        ("SELECT a FROM db.t", None),
        ("SELECT a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(at)))", None),
        ("SELECT a FROM (SELECT a FROM t)", None),
        ("SELECT 1 AS a", None),
    ],
)
def test_the_table_is_known_only_where_there_is_one(sql: str, table: str | None) -> None:
    assert read_query(sql, NAMES).table == table


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(n) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(at), INTERVAL '1' HOUR)) GROUP BY window_end",
        "SELECT a, w FROM t LEFT JOIN LATERAL TABLE(split(a)) AS s(w) ON TRUE",
        "SELECT * FROM t MATCH_RECOGNIZE (MEASURES A.p AS p PATTERN (A B+) DEFINE B AS B.p < A.p) AS m",
        "SELECT a FROM t FOR SYSTEM_TIME AS OF at",
        "SELECT CAST(a AS ROW<b INT, c TIMESTAMP_LTZ(3)>) AS r, m['k'] AS k FROM t /*+ OPTIONS('x'='y') */",
        "SELECT 'it''s -- no comment' AS a FROM t",
    ],
)
def test_the_sql_of_flink_is_understood(sql: str) -> None:
    assert read_query(sql, NAMES).understood


@pytest.mark.parametrize(
    "sql",
    [
        "SELEC a FROM t",
        "SELECT (a FROM t",
        "SELECT a) FROM t",
        "SELECT 'a FROM t",
        "SELECT `a FROM t",
        "SELECT /* a",
        "-- only a comment",
        "SELECT a FROM t; SELECT b FROM u",
        "INSERT INTO x SELECT a FROM t",
        "SELECT " + "a" * LONGEST,
    ],
)
def test_what_is_no_query_is_not_understood(sql: str) -> None:
    assert not read_query(sql, NAMES).understood


@given(st.text(alphabet="SELECT aFROM`'()[];,.*-/\n\\\"\u00e9", max_size=60))
def test_no_text_fails_and_words_are_pieces_of_it(sql: str) -> None:
    read_query(sql, NAMES)

    rest = sql
    for word in words(sql) or ():
        assert word.text in rest
        rest = rest[rest.index(word.text) + len(word.text) :]


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ('SELECT * FROM {{ source("ships") }}', "W204_SELECT_STAR"),
        ("SELECT 1 AS a", "W216_SQL_NO_FROM"),
        ('SELECT (id FROM {{ source("ships") }}', "W201_SQL_PARSE_WARNING"),
        (
            'SELECT id FROM TABLE(TUMBLE(TABLE {{ source("ships") }}, DESCRIPTOR(at)))',
            "W217_WINDOW_NO_GROUP_BY",
        ),
        ('SELECT COUNT(id) AS n FROM TABLE(TUMBLE(TABLE {{ source("ships") }})) GROUP BY window_start', None),
        (
            'SELECT id, ROW_NUMBER() OVER (ORDER BY at) AS r FROM TABLE(TUMBLE(TABLE {{ source("ships") }}))',
            None,
        ),
        (
            'SELECT COUNT(id) AS n FROM {{ source("ships") }} GROUP BY window_start',
            "W218_WINDOW_GROUP_BY_MISSING_TVF",
        ),
        (
            'SELECT id, COUNT(at) AS n FROM {{ source("ships") }} GROUP BY id HAVING n > 1',
            "W219_HAVING_SELECT_ALIAS",
        ),
        ('SELECT id, COUNT(at) AS tons FROM {{ source("ships") }} GROUP BY id HAVING tons > 1', None),
        ('SELECT id, COUNT(at) AS n FROM {{ source("ships") }} GROUP BY id HAVING COUNT(at) > 1', None),
    ],
)
def test_advice_is_given_where_it_is_due(found, sql: str, code: str | None) -> None:
    body = f"models:\n  - name: m\n    materialized: flink\n    sql: |\n      {sql}\n"
    unused = [("W202_UNUSED_SOURCE", "/sources/0")] if "ships" not in sql else []

    assert found(body) == unused + ([] if code is None else [(code, "/models/0/sql")])


def test_a_column_of_windows_that_the_input_declares_is_no_fault(found) -> None:
    assert (
        found(
            """
models:
  - name: m
    materialized: flink
    sql: SELECT COUNT(*) AS n FROM {{ source("s") }} GROUP BY window_start
""",
            sources="sources: [{name: s, topic: s, columns: [{name: window_start}]}]",
        )
        == []
    )


def test_the_alias_that_having_names_is_told(find) -> None:
    sql = 'SELECT id, COUNT(at) AS n FROM {{ source("ships") }} GROUP BY id HAVING n > 1'

    assert [one.message for one in find(f"models: [{{name: m, materialized: flink, sql: '{sql}'}}]")] == [
        "model 'm': HAVING names 'n', an alias of the select list; repeat its expression"
    ]
