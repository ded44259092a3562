"""What of a plan that Flink explains must stay for a job to go on, and how its operators are named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from checked import packaged_rules
from flink_answers import EXPLAINED
from flink_plans import definition

from streamt_ol.deploy.flink_sql.records import Column, Table
from streamt_ol.deploy.providers.flink.job_plans import JobPlan, job_plan

NAMED = {"table.exec.uid.generation": "ALWAYS", "table.exec.uid.format": "<type>_<transformation>"}
SOURCE = ("Source: orders[1]", "[1]:TableSourceScan(table=[[c, d, orders]], fields=[id, loaves])", "")
COUNT = ("GroupAggregate[4]", "[4]:GroupAggregate(groupBy=[id], select=[id, COUNT(*) AS EXPR$1])", "HASH")
CHECKED = ("ConstraintEnforcer[5]", "[5]:ConstraintEnforcer[NotNullEnforcer(fields=[id])]", "FORWARD")
SINK = ("out[5]: Writer", "out[5]: Writer", "FORWARD")
COMMITTER = ("out[5]: Committer", "out[5]: Committer", "FORWARD")
Operator = tuple[str, str, str]


def calc(select: str = "id", where: str = "") -> Operator:
    condition = f", where=[{where}]" if where else ""
    return ("Calc[3]", f"[3]:Calc(select=[{select}]{condition})", "FORWARD")


def explained(*operators: Operator, first: int = 1) -> str:
    """Return an explanation of operators one after the other."""
    nodes: list[dict[str, Any]] = []
    for position, (name, contents, sent) in enumerate(operators, first):
        node = {"id": position, "type": name, "pact": "Operator", "contents": contents, "parallelism": 1}
        if nodes:
            node["predecessors"] = [{"id": position - 1, "ship_strategy": sent, "side": "second"}]
        nodes.append(node)
    return f"== Abstract Syntax Tree ==\n...\n\n== Physical Execution Plan ==\n{json.dumps({'nodes': nodes})}"


def table(
    name: str, columns: Sequence[tuple[str, str]] = (), topic: str = "shop.orders", connector: str = "kafka"
) -> Table:
    fields = tuple(Column(*column) for column in columns or [("id", "STRING"), ("loaves", "BIGINT")])
    return Table(name, fields, {"connector": connector, "topic": topic}, "json")


def planned(*operators: Operator, read: Table | None = None) -> JobPlan:
    job = definition()._replace(tables=(read or table("orders"), table("out", topic="shop.out")))
    return job_plan(explained(*operators), job, packaged_rules())


def shape(*operators: Operator, read: Table | None = None) -> str:
    made = planned(*operators, read=read).shape
    assert made is not None
    return made


COPY, COUNTED = (SOURCE, SINK), (SOURCE, calc(), COUNT, CHECKED, SINK)


@pytest.mark.parametrize("operators", [COPY, (SOURCE, calc(), SINK), COUNTED, (*COUNTED, COMMITTER)], ids=len)
def test_operators_are_named_by_their_kinds_where_each_is_there_once(operators: Sequence[Operator]) -> None:
    assert planned(*operators).options == NAMED


@pytest.mark.parametrize(
    "operators",
    [
        (SOURCE, calc(), COUNT, calc(), SINK),
        (SOURCE, ("Source: lines[2]", *SOURCE[1:]), SINK),
        (SOURCE, ("AsyncCalc[2]", "[2]:AsyncCalc(select=[id])", "FORWARD"), SINK),
        (SOURCE, ("Calc(select=[id])", "Calc(select=[id])", "FORWARD"), SINK),
    ],
    ids=["a kind twice", "two sources", "an unknown kind", "names of a cluster of its own"],
)
def test_else_nothing_is_set_and_flinks_own_rule_stands(operators: Sequence[Operator]) -> None:
    assert planned(*operators).options == {}


def test_a_filter_and_other_columns_of_a_copy_change_nothing_that_is_kept() -> None:
    wanted = shape(*COPY)

    assert shape(SOURCE, calc(where="(loaves > 1)"), SINK) == wanted
    assert shape(SOURCE, calc("UPPER(id) AS EXPR$0"), CHECKED, SINK, COMMITTER) == wanted
    assert shape(*COPY, read=table("orders", [("id", "INT")])) == wanted


def test_a_filter_before_a_group_and_numbers_of_operators_change_nothing_that_is_kept() -> None:
    other = [(name.replace("[", "[17"), text.replace("[3]:", "[99]:"), sent) for name, text, sent in COUNTED]

    assert shape(*other) == shape(*COUNTED)
    assert shape(SOURCE, calc(where="(loaves > 1)"), COUNT, CHECKED, SINK) == shape(*COUNTED)


def test_another_topic_is_another_state() -> None:
    assert shape(*COPY, read=table("orders", topic="shop.returns")) != shape(*COPY)
    assert shape(*COPY, read=table("orders", connector="upsert-kafka")) != shape(*COPY)


def test_what_an_operator_with_state_does_is_kept() -> None:
    total = ("GroupAggregate[4]", COUNT[1].replace("COUNT(*)", "SUM(loaves)"), "HASH")

    assert shape(SOURCE, calc(), total, CHECKED, SINK) != shape(*COUNTED)
    assert shape(*COPY) != shape(*COUNTED)


def test_what_goes_into_an_operator_with_state_is_kept_with_its_types() -> None:
    assert shape(SOURCE, calc("loaves"), COUNT, CHECKED, SINK) != shape(*COUNTED)
    others = [("id", "STRING"), ("loaves", "INT")]
    assert shape(*COUNTED, read=table("orders", others)) == shape(*COUNTED)  # not used
    assert shape(*COUNTED, read=table("orders", [("id", "BIGINT")])) != shape(*COUNTED)


def test_what_stands_between_operators_with_state_is_kept() -> None:
    first, other = (("Correlate[3]", f"[3]:Correlate(invocation=[{text}])", "FORWARD") for text in "ab")

    assert shape(SOURCE, first, SINK) not in (shape(SOURCE, other, SINK), shape(*COPY))


def test_without_a_projection_the_columns_of_the_topic_go_in() -> None:
    assert shape(SOURCE, calc("id, loaves"), COUNT, SINK) == shape(SOURCE, COUNT, SINK)
    assert shape(SOURCE, calc("id, loaves", "(id <> 'x')"), COUNT, SINK) == shape(SOURCE, COUNT, SINK)


def test_a_literal_that_looks_like_a_condition_is_part_of_what_goes_in() -> None:
    one, other = (calc(f"id, ', where=[{text}' AS EXPR$1", "(loaves > 1)") for text in "ab")

    assert shape(SOURCE, one, COUNT, SINK) != shape(SOURCE, other, COUNT, SINK)


def counting(text: str) -> Operator:
    return ("GroupAggregate[4]", f"[4]:GroupAggregate(groupBy=[id], select=[id, {text}])", "HASH")


@pytest.mark.parametrize("name", ["$f1", "orders", "EXPR$7"])
def test_how_results_are_called_is_no_part_of_a_shape(name: str) -> None:
    behind = calc(f"id, ({name} + 1) AS orders")

    assert shape(SOURCE, counting(f"COUNT(*) AS {name}"), behind, SINK) == shape(
        SOURCE, COUNT, calc("id, EXPR$1 AS orders"), SINK
    )


def test_a_column_that_is_called_as_a_result_is_a_column_all_the_same() -> None:
    read = table("orders", [("id", "STRING"), ("loaves", "BIGINT"), ("rolls", "BIGINT")])
    first, other = (
        (calc("id, loaves, rolls"), counting(f"SUM({name}) AS {name}"), SINK) for name in ("loaves", "rolls")
    )

    assert shape(SOURCE, *first, read=read) != shape(SOURCE, *other, read=read)


def test_a_literal_in_an_operator_with_state_is_never_taken_for_a_name() -> None:
    first, other = (
        shape(SOURCE, counting(f"COUNT(*) FILTER (kind = '{name}') AS {name}"), SINK) for name in ("a", "b")
    )

    assert first != other


def test_a_time_that_is_no_longer_one_is_the_same_column() -> None:
    assert shape(SOURCE, calc("id, Reinterpret(at) AS at"), COUNT, SINK) == shape(
        SOURCE, calc("id, at"), COUNT, SINK
    )


def test_of_operators_without_names_each_place_is_kept() -> None:
    two = (SOURCE, calc(), COUNT, calc("id, EXPR$1", "(EXPR$1 > 1)"), SINK)

    assert shape(*two[:3], calc("id, EXPR$1", "(EXPR$1 > 2)"), SINK) == shape(*two)
    assert shape(*two[:3], two[3], CHECKED, SINK) != shape(*two)
    sent = (calc()[0], calc()[1], "REBALANCE")
    assert shape(SOURCE, sent, *two[2:]) != shape(*two)


def test_a_plan_with_names_is_never_taken_for_one_without() -> None:
    assert shape(SOURCE, calc(), COUNT, SINK) != shape(SOURCE, calc(), COUNT, calc("id, EXPR$1"), SINK)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "== Physical Execution Plan ==",
        EXPLAINED.replace('"nodes"', '"knots"'),
        EXPLAINED.replace('"id" : 1,', '"id" : 7,', 1),
        EXPLAINED.replace('"type" : "Source: orders[1]",', ""),
        EXPLAINED.rpartition("{")[0],
        "\n== Physical Execution Plan ==\n[]",
    ],
)
def test_an_explanation_that_is_not_as_documented_says_nothing(text: str | None) -> None:
    assert job_plan(text, definition(), packaged_rules()) == JobPlan({}, None)


def test_no_sql_is_in_a_shape() -> None:
    made = planned(SOURCE, calc("id", "(id = 'planted')"), SINK)

    assert "planted" not in repr(made)
    assert (made.shape or "").startswith("sha256:")
