"""The SQL of a model as the INSERT of its job: one query, its columns by name where that is certain."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest
from flink_jobs import LARGE, ORDERS, changed, graph_of, job_of, large, problems
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.deploy.flink_sql import words
from streamt_ol.deploy.flink_sql.errors import FlinkExtraMissingError

SOURCE = '{{ source("orders") }}'


def inserted(folder: Path, sql: str, **model: Any) -> str:
    job = large(folder, sql=sql, **model)
    assert job.problems == ()
    return job.insert


def positioned(sql: str) -> str:
    return f"INSERT INTO `large`\n{sql}"


@pytest.mark.parametrize(
    "select",
    [
        "SELECT id, loaves FROM orders",
        "SELECT o.id, `o`.`loaves` FROM orders AS o",
        "SELECT UPPER(id) AS id, loaves + 1 AS `loaves` FROM orders",
        "select distinct id, loaves from orders",
        "SELECT ALL id, loaves FROM orders",
        "SELECT /*+ STATE_TTL('orders'='1d') */ id, loaves FROM orders",
        "SELECT id, loaves FROM orders -- the end",
        "WITH a AS (SELECT id, loaves AS n FROM orders) SELECT id, n AS loaves FROM a",
        "SELECT id, loaves FROM orders UNION ALL SELECT id, 1 FROM orders",
        "SELECT id, CASE WHEN loaves > 1 THEN 2 ELSE loaves END AS loaves FROM orders WHERE (1, 2) = (1, 2)",
    ],
)
def test_columns_that_a_query_names_are_inserted_by_their_names(tmp_path: Path, select: str) -> None:
    sql = select.replace("orders AS o", f"{SOURCE} AS o").replace(" FROM orders", f" FROM {SOURCE}")

    assert inserted(tmp_path, sql.replace(" from orders", f" from {SOURCE}")) == (
        f"INSERT INTO `large` (`id`, `loaves`)\n{select}"
    )


def test_the_order_of_the_query_need_not_be_that_of_the_declaration(tmp_path: Path) -> None:
    insert = inserted(tmp_path, f"SELECT loaves, id FROM {SOURCE}")

    assert insert == "INSERT INTO `large` (`loaves`, `id`)\nSELECT loaves, id FROM orders"


@pytest.mark.parametrize(
    "select",
    [
        "SELECT * FROM {} WHERE loaves > 1",
        "SELECT * FROM {} AS o",
        "SELECT o.* FROM {} AS o WHERE loaves > 1",
        "SELECT `o`.* FROM {} o",
        "SELECT orders.* FROM {}",
    ],
)
def test_all_columns_of_one_input_are_its_columns(tmp_path: Path, select: str) -> None:
    columns = [*reversed(ORDERS["columns"])]

    insert = inserted(tmp_path, select.replace("{}", SOURCE), columns=columns)

    assert insert == f"INSERT INTO `large` (`id`, `loaves`, `at`)\n{select.replace('{}', 'orders')}"


@pytest.mark.parametrize(
    "select",
    [
        "SELECT id, COUNT(*) FROM {} GROUP BY id",
        "SELECT id, loaves l FROM {}",
        "SELECT id, CURRENT_TIMESTAMP FROM {}",
        "SELECT o.*, 1 AS one FROM {} AS o",
        "SELECT o.* FROM {} AS p",
        "SELECT * FROM {} AS o (a, b, c)",
        "SELECT o.* FROM {} AS o CROSS JOIN {} AS p",
        "SELECT * FROM {} CROSS JOIN {}",
        "SELECT * FROM {}, {}",
        "SELECT * FROM (SELECT id, loaves FROM {})",
        "(SELECT id, loaves FROM {})",
        "VALUES ('a', 1)",
        "TABLE {}",
        "SELECT * FROM {} MATCH_RECOGNIZE (ORDER BY at MEASURES A.id AS id PATTERN (A{{2}}) DEFINE A AS TRUE)",
    ],
)
def test_columns_that_a_query_leaves_unnamed_are_inserted_as_they_come(tmp_path: Path, select: str) -> None:
    sql = select.replace("{}", SOURCE).replace("{{2}}", "{2}")
    made = select.replace("{}", "orders").replace("{{2}}", "{2}")

    assert inserted(tmp_path, sql) == positioned(made)


@pytest.mark.parametrize(
    ("select", "difference"),
    [
        ("SELECT id FROM {}", "not given `loaves`"),
        ("SELECT id, loaves, at FROM {}", "not declared `at`"),
        ("SELECT id, loaves AS amount FROM {}", "not given `loaves`; not declared `amount`"),
        ("SELECT id, id, loaves FROM {}", "given twice `id`"),
        ("SELECT * FROM {}", "not declared `at`"),
    ],
)
def test_columns_that_are_not_the_declared_ones_are_said(
    tmp_path: Path, select: str, difference: str
) -> None:
    job = large(tmp_path, sql=select.replace("{}", SOURCE))

    assert problems(job) == [("flink_columns_differ", "/models/0/sql")]
    assert job.problems[0].message == (
        f"the query of model 'large' does not give the columns that are declared: {difference}"
    )


@pytest.mark.parametrize("end", [";", " ; ;\n", "; -- done", ";\n/* done; really */\n"])
def test_semicolons_at_the_end_are_left_out(tmp_path: Path, end: str) -> None:
    assert inserted(tmp_path, f"\nSELECT COUNT(*) FROM {SOURCE}{end}") == positioned(
        "SELECT COUNT(*) FROM orders"
    )


@pytest.mark.parametrize(
    "select",
    [
        "SELECT '; it''s' FROM {}",
        "SELECT `a;b` + 1 FROM {}",
        "SELECT '\\' || ';' FROM {}",
        "SELECT 1 -- ; DROP TABLE x\nFROM {}",
        "SELECT 1 // ; it's\nFROM {}",
        "SELECT /* ; ' ` */ 1 FROM {}",
    ],
)
def test_a_semicolon_in_a_text_a_name_or_a_comment_ends_nothing(tmp_path: Path, select: str) -> None:
    assert inserted(tmp_path, select.replace("{}", SOURCE)) == positioned(select.replace("{}", "orders"))


@pytest.mark.parametrize(
    ("sql", "problem", "line"),
    [
        ("SELECT 1;\n\nSELECT 2", "flink_sql_statements", 2),
        ("SET 'a' = 'b'; SELECT 1", "flink_sql_statements", 0),
        ("EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT 1;\nEND", "flink_sql_statements", 2),
        ("INSERT INTO a SELECT 1", "flink_sql_no_query", 0),
        ("\nCREATE VIEW a AS SELECT 1", "flink_sql_no_query", 1),
        ("DROP TABLE a", "flink_sql_no_query", 0),
        ("SHOW TABLES", "flink_sql_no_query", 0),
        ("SELECT 'a", "flink_sql_unreadable", None),
        ("SELECT `a", "flink_sql_unreadable", None),
        ("SELECT /* a", "flink_sql_unreadable", None),
        ("SELECT (a", "flink_sql_unreadable", None),
        ("SELECT a) FROM b (", "flink_sql_unreadable", None),
        ("-- nothing", "flink_sql_missing", None),
        (" ; ", "flink_sql_missing", None),
    ],
)
def test_sql_that_is_not_one_query_is_refused_with_its_line(
    tmp_path: Path, sql: str, problem: str, line: int | None
) -> None:
    job = large(tmp_path, sql=sql)

    assert problems(job) == [(problem, "/models/0/sql")]
    assert job.problems[0].line_within == line


def test_what_is_wrong_with_a_macro_is_said_of_the_macro(tmp_path: Path) -> None:
    (tmp_path / "macros").mkdir()
    (tmp_path / "macros" / "two.sql.j2").write_text("SELECT 1;\nSELECT 2", "utf-8")
    job = large(tmp_path, sql=None, macro="two")

    assert problems(job) == [("flink_sql_statements", "/models/0/macro")]
    assert job.problems[0].line_within is None


def test_a_problem_with_sql_says_nothing_of_the_sql(tmp_path: Path) -> None:
    job = large(tmp_path, sql="SELECT 'planted-secret'; SELECT 'planted-secret'")

    assert "planted" not in repr(job)
    assert job.problems[0].message == "the SQL of model 'large' has more than one statement"


def test_a_model_without_sql_copies_the_columns_that_it_declares(tmp_path: Path) -> None:
    job = large(tmp_path, sql=None, **{"from": [{"source": "orders"}]})

    assert job.problems == ()
    assert job.insert == "INSERT INTO `large` (`id`, `loaves`)\nSELECT `id`, `loaves`\nFROM `orders`"


def test_a_copy_of_columns_that_are_not_there_is_refused(tmp_path: Path) -> None:
    declared = [*LARGE["columns"], {"name": "price", "type": "BIGINT"}]
    job = large(tmp_path, sql=None, columns=declared, **{"from": [{"source": "orders"}]})

    assert problems(job) == [("flink_copy_differs", "/models/0/columns")]


@pytest.mark.parametrize("read", [["orders", "customers"], []])
def test_a_model_without_sql_that_reads_other_than_one_thing_is_refused(
    tmp_path: Path, read: list[str]
) -> None:
    sources = [ORDERS, changed(ORDERS, name="customers", topic="shop.customers")]
    model = changed(LARGE, sql=None, **{"from": [{"source": name} for name in read]})
    job = job_of(graph_of(tmp_path, sources=sources, models=[model]))

    assert problems(job) == [("flink_sql_missing", "/models/0/sql")]


def test_without_the_package_that_reads_sql_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = builtins.__import__

    def without_sqlglot(name: str, *rest: Any) -> Any:
        if name.startswith("sqlglot"):
            raise ImportError(name)
        return imported(name, *rest)

    words.tokenizer.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "__import__", without_sqlglot)
        with pytest.raises(FlinkExtraMissingError) as caught:
            large(tmp_path)

    assert caught.value.diagnostic().as_dict() == {
        "code": "E549_FLINK_EXTRA_MISSING",
        "message": "Flink jobs need the package sqlglot, which is not installed",
        "suggestion": "pip install 'streamt-ol[flink]'",
    }


@given(st.text())
def test_no_text_is_too_odd_to_be_read(sql: str) -> None:
    read = words.read_words(sql)

    if read is not None:
        assert [word for word in read if not 0 <= word.start < word.end <= len(sql)] == []
        assert list(read) == sorted(read, key=lambda word: word.start)
    words.is_type(sql)
    words.is_expression(sql)
