"""Jobs as scripts that people read: options, statements, and what the SQL cannot say."""

from __future__ import annotations

from pathlib import Path

from flink_jobs import graph_of, job_of, large, orders_table
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.deploy.flink_sql.records import JobDefinition
from streamt_ol.deploy.flink_sql.script import job_script
from streamt_ol.deploy.records import Problem

LARGE = f"""\
-- Flink job large of model large
-- cluster mill, definition {{fingerprint}}

SET 'parallelism.default' = '2';
SET 'pipeline.name' = 'large';

{orders_table("large")};

CREATE TEMPORARY TABLE `large` (
  `id` STRING,
  `loaves` BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'shop.large',
  'properties.bootstrap.servers' = 'broker.example:9092',
  'value.format' = 'json'
);

INSERT INTO `large` (`id`, `loaves`)
SELECT id, loaves FROM orders WHERE loaves > 10;
"""


def said(*, blocks: bool, message: str = "it does nothing", at: str = "/models/0") -> Problem:
    return Problem("no_effect", message, "take it out", at, blocks)


def told(*problems: Problem, name: str = "job", pipeline: str = "job") -> JobDefinition:
    """Return a job with these problems, which has statements unless one of them blocks."""
    blocked = any(problem.blocks for problem in problems)
    statements = () if blocked else ("INSERT INTO `a` SELECT 1",)
    settings = {"pipeline.name": pipeline}
    return JobDefinition(name, "mill", statements, settings, "sha256:0", problems, (), "")


def test_a_script_is_the_options_and_the_statements_of_a_job(tmp_path: Path) -> None:
    job = large(tmp_path, flink={"parallelism": 2})

    assert job_script(job, "model large") == LARGE.format(fingerprint=job.fingerprint)


def test_a_script_has_no_login(tmp_path: Path) -> None:
    login = {
        "bootstrap_servers": "broker.example:9092",
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "PLAIN",
        "sasl_username": "planted-user",
        "sasl_password": "planted-password",
    }
    job = job_of(graph_of(tmp_path, runtime={"kafka": login}))

    assert job.problems == ()
    assert "planted" not in job_script(job, "model large")


def test_of_a_job_that_cannot_be_submitted_a_script_says_only_why(tmp_path: Path) -> None:
    job = large(tmp_path, columns=None)

    assert job_script(job, "model large") == (
        "-- Flink job large of model large\n"
        "-- cluster mill, definition none\n"
        "-- blocks: flink_columns_missing at /models/0/columns: "
        "model 'large' declares no columns, and a table of Flink has columns\n"
        "--   declare its columns, each with a type of Flink\n"
    )


def test_what_has_no_effect_is_a_note_above_the_statements() -> None:
    assert job_script(told(said(blocks=False)), "test x") == (
        "-- Flink job job of test x\n"
        "-- cluster mill, definition sha256:0\n"
        "-- note: no_effect at /models/0: it does nothing\n"
        "--   take it out\n"
        "\n"
        "SET 'pipeline.name' = 'job';\n"
        "\n"
        "INSERT INTO `a` SELECT 1;\n"
    )


def test_a_comment_at_the_end_of_a_query_takes_no_semicolon_in(tmp_path: Path) -> None:
    for mark in ("--", "//"):
        sql = f"SELECT id, loaves FROM {{{{ source('orders') }}}} {mark} all; of them"

        assert job_script(large(tmp_path, sql=sql), "model large").endswith(
            f"SELECT id, loaves FROM orders {mark} all; of them\n;\n"
        )


def test_a_value_of_an_option_is_a_literal() -> None:
    assert "SET 'pipeline.name' = 'it''s; --';\n" in job_script(told(pipeline="it's; --"), "model x")


@given(st.text(), st.text(), st.text(), st.text())
def test_no_text_leaves_its_comment(name: str, owner: str, message: str, at: str) -> None:
    script = job_script(told(said(blocks=True, message=message, at=at), name=name), owner)

    assert [line[:3] for line in script.splitlines()] == ["-- "] * 4
