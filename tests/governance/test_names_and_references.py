"""Names and references: each fault is found, wherever it stands, and none hides another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.governance.findings import Finding


def test_a_project_without_faults_has_no_findings(found) -> None:
    assert (
        found("""
models:
  - name: heavy
    materialized: topic
    sql: SELECT id, tons FROM {{ source("ships") }} WHERE tons > 10
    columns: [{name: id, type: STRING}, {name: tons, type: BIGINT}]
""")
        == []
    )


def test_every_second_use_of_a_name_is_found_and_the_first_named(find) -> None:
    findings = find("""
  - {name: ships, topic: other, columns: [{name: id}]}
models:
  - {name: a, materialized: topic, sql: 'SELECT id FROM {{ source("ships") }}'}
  - {name: a}
  - {name: a}
  - {name: ships}
tests:
  - {name: t, model: a, type: schema}
  - {name: t, model: a, type: schema}
exposures:
  - {name: e, type: api}
  - {name: e, type: api}
  - {name: a, type: api}
""")

    assert [(one.code, one.location, one.message) for one in findings] == [
        ("E103_DUPLICATE_NAME", "/sources/1/name", "source 'ships' is declared twice: first at /sources/0"),
        ("E103_DUPLICATE_NAME", "/models/1/name", "model 'a' is declared twice: first at /models/0"),
        ("E103_DUPLICATE_NAME", "/models/2/name", "model 'a' is declared twice: first at /models/0"),
        ("E111_NAME_COLLISION", "/models/3/name", "'ships' is a source and a model"),
        ("E103_DUPLICATE_NAME", "/tests/1/name", "test 't' is declared twice: first at /tests/0"),
        ("E103_DUPLICATE_NAME", "/exposures/1/name", "exposure 'e' is declared twice: first at /exposures/0"),
        ("E111_NAME_COLLISION", "/exposures/2/name", "'a' is an exposure, and a source or a model"),
    ]


def test_a_name_that_is_taken_twice_is_no_unknown_name_besides(found) -> None:
    assert found("""
models:
  - {name: ships}
  - {name: a, materialized: flink, sql: 'SELECT id FROM {{ ref("ships") }}, {{ source("ships") }}'}
""") == [("E111_NAME_COLLISION", "/models/0/name")]


def test_every_unknown_name_of_every_model_is_found(found) -> None:
    assert found(
        """
models:
  - name: a
    materialized: topic
    sql: SELECT 1 AS n FROM {{ source("x") }}, {{ source("y") }}, {{ ref("z") }}
  - {name: b, from: [{source: ships}, {ref: nowhere}, {source: a, ref: a}], sink: {connector: c}}
  - {name: c, macro: copy, params: {feed: gone}}
""",
        macros={"copy.sql.j2": "SELECT id FROM {{ source(feed) }}"},
    ) == [
        ("E101_SOURCE_NOT_FOUND", "/models/0/sql"),
        ("E101_SOURCE_NOT_FOUND", "/models/0/sql"),
        ("E102_MODEL_NOT_FOUND", "/models/0/sql"),
        ("E102_MODEL_NOT_FOUND", "/models/1/from/1/ref"),
        ("E115_REFERENCE_INVALID", "/models/1/from/2"),
        ("E101_SOURCE_NOT_FOUND", "/models/2/macro"),
    ]


def test_templates_that_fail_are_found_beside_everything_else(found) -> None:
    assert found("""
models:
  - {name: a, sql: 'SELECT {{ oops FROM {{ source("ships") }}'}
  - {name: b, sql: 'SELECT {{ nothing }} FROM {{ source("ships") }}'}
  - {name: c, macro: missing}
  - {name: d, materialized: flink, sql: 'SELECT * FROM {{ ref("b") }}'}
""") == [
        ("E105_JINJA_SYNTAX_ERROR", "/models/0/sql"),
        ("E112_TEMPLATE_ERROR", "/models/1/sql"),
        ("E113_MACRO_NOT_FOUND", "/models/2/macro"),
        ("W204_SELECT_STAR", "/models/3/sql"),
    ]


def test_every_circle_is_found(find) -> None:
    findings = find("""
models:
  - {name: a, materialized: topic, sql: 'SELECT n FROM {{ ref("b") }}'}
  - {name: b, materialized: topic, sql: 'SELECT n FROM {{ ref("a") }}'}
  - {name: c, materialized: topic, sql: 'SELECT n FROM {{ ref("d") }}'}
  - {name: d, materialized: topic, sql: 'SELECT n FROM {{ ref("c") }}'}
  - {name: e, materialized: topic, sql: 'SELECT id FROM {{ source("ships") }}'}
  - {name: f, materialized: topic, sql: 'SELECT id FROM {{ ref("e") }}'}
exposures:
  - {name: x, type: api, consumes: [{ref: f}], produces: [{ref: e}]}
""")

    assert [(one.code, one.location) for one in findings] == [
        ("E104_CYCLE_DETECTED", "/models/0"),
        ("E104_CYCLE_DETECTED", "/models/2"),
        ("E104_CYCLE_DETECTED", "/exposures/0"),
    ]
    assert findings[1].message == "models read each other in a circle: c -> d -> c"


def test_what_kinds_of_models_need_is_found_for_every_model(found) -> None:
    assert found("""
models:
  - {name: a, materialized: sink}
  - {name: b, from: [{source: ships}]}
  - {name: c, materialized: virtual_topic}
  - {name: d, materialized: topic, topic: {name: "  "}}
  - {name: "  "}
  - {name: f, from: [{source: ships}], sink: {connector: c, config: {topics: other, name: g}}}
""") == [
        ("E117_INPUT_REQUIRED", "/models/0"),
        ("E204_MISSING_SINK_CONFIG", "/models/1/sink"),
        ("E117_INPUT_REQUIRED", "/models/2"),
        ("E116_BLANK_NAME", "/models/3/topic/name"),
        ("E116_BLANK_NAME", "/models/4/name"),
        ("E118_RESERVED_CONNECTOR_KEY", "/models/5/sink/config/name"),
    ]


def test_faults_outside_of_models_do_not_hide_each_other(found) -> None:
    assert found("""
connections:
  shared: {type: x, config: {topics: other, connector.class: other}}
lifecycle:
  connector_removals:
    - {logical_owner: gone, name: gone, cluster: c}
    - {logical_owner: a, name: a, cluster: c}
    - {logical_owner: b, name: b, cluster: c}
models:
  - {name: a, from: [{source: ships}], sink: {connector: k, connection: shared}}
  - {name: b, from: [{source: ships}], sink: {connector: k}}
tests:
  - {name: t, model: a, type: continuous, assertions: [{not_null: {columns: []}}]}
  - {name: u, model: a, type: continuous, assertions: [{range: {column: n}}]}
""") == [
        ("E119_REMOVAL_CONFLICT", "/lifecycle/connector_removals/1"),
        ("E119_REMOVAL_CONFLICT", "/lifecycle/connector_removals/2"),
        ("E118_RESERVED_CONNECTOR_KEY", "/connections/shared/config/connector.class"),
        ("E118_RESERVED_CONNECTOR_KEY", "/connections/shared/config/topics"),
        ("E120_TEST_INCOMPLETE", "/tests/0/assertions/0/not_null"),
        ("E120_TEST_INCOMPLETE", "/tests/1/assertions/0/range"),
    ]


def test_a_private_model_is_for_its_own_group(found) -> None:
    assert found("""
models:
  - {name: ours, group: fleet, materialized: topic, sql: 'SELECT id FROM {{ source("ships") }}'}
  - name: open
    group: fleet
    access: public
    materialized: topic
    sql: SELECT id FROM {{ source("ships") }}
  - {name: free, materialized: topic, sql: 'SELECT id FROM {{ source("ships") }}'}
  - {name: same, group: fleet, materialized: topic, sql: 'SELECT id FROM {{ ref("ours") }}'}
  - {name: other, group: crane, materialized: topic, sql: 'SELECT id FROM {{ ref("ours") }}'}
  - {name: none, materialized: topic, sql: 'SELECT id FROM {{ ref("open") }}, {{ ref("free") }}'}
  - {name: away, from: [{ref: free}, {ref: ours}], sink: {connector: c}}
""") == [
        ("E106_ACCESS_DENIED", "/models/4/sql"),
        ("E106_ACCESS_DENIED", "/models/6/from/1/ref"),
    ]


def test_a_from_that_sql_overrides_is_pointed_out(found) -> None:
    assert found("""
models:
  - name: a
    materialized: topic
    sql: SELECT id FROM {{ source("ships") }}
    from: [{source: ships}, {source: gone}, {ref: gone}]
""") == [("W205_UNUSED_FROM", "/models/0/from/1"), ("W205_UNUSED_FROM", "/models/0/from/2")]


def test_sources_without_topic_columns_or_reader_are_found(found) -> None:
    assert found(
        "models: []\n", sources="sources: [{name: s, topic: ''}, {name: t, topic: t, columns: [{name: n}]}]\n"
    ) == [
        ("W202_UNUSED_SOURCE", "/sources/0"),
        ("W203_SOURCE_NO_COLUMNS", "/sources/0/columns"),
        ("E131_MISSING_TOPIC", "/sources/0/topic"),
        ("W202_UNUSED_SOURCE", "/sources/1"),
    ]


def test_a_source_that_a_test_or_an_exposure_names_is_used(found) -> None:
    sources = """
sources:
  - {name: s, topic: s, columns: [{name: n}]}
  - {name: t, topic: t, columns: [{name: n}]}
"""

    assert (
        found(
            """
tests: [{name: x, model: s, type: schema}]
exposures: [{name: y, type: api, produces: [{source: t}]}]
""",
            sources=sources,
        )
        == []
    )


@given(
    st.permutations(
        ["/project/name", "/runtime/flink", "/sources/2", "/sources/10/name", "/models/0", "/tests/1"]
    )
)
def test_findings_stand_in_the_order_of_the_project_not_of_text(locations: list[str]) -> None:
    findings = sorted((Finding("E1", "m", location) for location in locations), key=Finding.order)

    assert [finding.location for finding in findings] == [
        "/project/name",
        "/runtime/flink",
        "/sources/2",
        "/sources/10/name",
        "/models/0",
        "/tests/1",
    ]
