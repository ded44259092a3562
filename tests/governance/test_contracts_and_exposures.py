"""Contracts, declared columns and exposures against what is certain."""

from __future__ import annotations

import pytest


def contract(columns: str, sql: str, enforced: str = "true") -> str:
    return f"""
models:
  - name: m
    materialized: topic
    sql: {sql}
    contract: {{enforced: {enforced}, columns: [{columns}]}}
"""


CERTAIN = 'SELECT id, CAST(tons AS INT) AS t, at AS moment FROM {{ source("ships") }}'


@pytest.mark.parametrize(
    ("enforced", "missing", "other"), [("true", "E302", "E303"), ("off", "W213", "W214")]
)
def test_a_contract_that_sql_breaks_is_an_error_where_it_is_enforced(
    found, enforced: str, missing: str, other: str
) -> None:
    columns = (
        "{name: id, type: VARCHAR(9)}, {name: t, type: BIGINT}, {name: moment, type: DATE}, {name: gone}"
    )

    assert found(contract(columns, CERTAIN, enforced)) == [
        (f"{other}_CONTRACT_TYPE_MISMATCH", "/models/0/contract/columns/1/type"),
        (f"{other}_CONTRACT_TYPE_MISMATCH", "/models/0/contract/columns/2/type"),
        (f"{missing}_CONTRACT_MISSING_COLUMN", "/models/0/contract/columns/3"),
    ]


def test_nothing_is_claimed_of_columns_that_are_not_certain(found) -> None:
    sql = 'SELECT id, tons * 2 FROM {{ source("ships") }}'

    assert found(contract("{name: gone, type: INT}", sql)) == []


def test_a_declared_type_that_sql_contradicts_is_found(find) -> None:
    findings = find(f"""
models:
  - name: m
    materialized: topic
    sql: {CERTAIN}
    columns:
      - {{name: id, type: BYTES}}
      - {{name: t, type: INTEGER}}
      - {{name: other, type: INT}}
      - {{name: moment}}
""")

    assert [(one.code, one.location, one.message) for one in findings] == [
        (
            "W301_COLUMN_TYPE_MISMATCH",
            "/models/0/columns/0/type",
            "model 'm' declares column 'id' as another type than STRING, which its SQL gives",
        )
    ]


MODELS = """
models:
  - name: m
    materialized: topic
    sql: SELECT id FROM {{ source("ships") }}
    columns: [{name: id, type: STRING}, {name: old, type: STRING}]
    contract: {columns: [{name: id, type: STRING}]}
  - {name: bare, materialized: topic, sql: 'SELECT id FROM {{ source("ships") }}'}
"""


def test_an_exposure_uses_what_the_contract_promises(found) -> None:
    assert found(f"""{MODELS}
exposures:
  - name: e
    type: api
    consumes: [{{ref: m}}]
    columns: [{{name: id, type: BIGINT}}, {{name: old}}, {{name: id, type: TEXT}}]
  - {{name: f, type: api, consumes: [{{ref: m}}, {{source: ships}}], columns: [{{name: tons, type: LONG}}]}}
  - {{name: g, type: api, consumes: [{{ref: m}}, {{ref: bare}}], columns: [{{name: anything}}]}}
  - {{name: h, type: api, columns: [{{name: anything}}]}}
""") == [
        ("E305_CONTRACT_CONSUMER_TYPE_MISMATCH", "/exposures/0/columns/0/type"),
        ("E304_CONTRACT_BREAKING_CHANGE", "/exposures/0/columns/1"),
    ]


def test_references_of_exposures_are_looked_up(found) -> None:
    assert found(f"""{MODELS}
exposures:
  - name: e
    type: api
    sla: {{availability: 1}}
    produces: [{{ref: gone}}, {{source: gone}}, {{ref: bare}}]
    consumes: [{{source: gone}}, {{ref: ships}}, {{source: ships, ref: m}}, {{ref: " "}}]
    depends_on: [{{ref: gone}}, {{source: gone}}, {{}}]
""") == [
        ("E109_EXPOSURE_SOURCE_NOT_FOUND", "/exposures/0/consumes/0/source"),
        ("E108_EXPOSURE_MODEL_NOT_FOUND", "/exposures/0/consumes/1/ref"),
        ("E133_EXPOSURE_REFERENCE_INVALID", "/exposures/0/consumes/2"),
        ("E133_EXPOSURE_REFERENCE_INVALID", "/exposures/0/consumes/3"),
        ("E110_EXPOSURE_DEPENDENCY_NOT_FOUND", "/exposures/0/depends_on/0/ref"),
        ("E110_EXPOSURE_DEPENDENCY_NOT_FOUND", "/exposures/0/depends_on/1/source"),
        ("E133_EXPOSURE_REFERENCE_INVALID", "/exposures/0/depends_on/2"),
        ("E108_EXPOSURE_MODEL_NOT_FOUND", "/exposures/0/produces/0/ref"),
        ("E109_EXPOSURE_SOURCE_NOT_FOUND", "/exposures/0/produces/1/source"),
        ("W207_SLA_NOT_ENFORCED", "/exposures/0/sla"),
    ]
