"""The project's own rules (section 3.7), keys and versions."""

from __future__ import annotations

import pytest

TOPIC_RULES = """
rules:
  topics:
    min_partitions: 2
    max_partitions: "12"
    min_replication_factor: 2
    max_replication_factor: 3
    max_retention_ms: 1000
    required_config: [cleanup.policy]
    naming_pattern: "[a-z]+\\\\."
    forbidden_prefixes: [tmp]
    forbidden_suffixes: [.old]
"""
COPY = "sql: 'SELECT id FROM {{ source(\"ships\") }}', materialized: topic"


def rule(text: str) -> str:
    return f"\nrules: {{{text}}}\n"


def test_topics_of_models_are_held_to_their_rules(found) -> None:
    models = f"""
models:
  - name: a
    executor: flink
    sql: SELECT id FROM {{{{ source("ships") }}}}
    topic: {{name: few.a, partitions: 1, replication_factor: 1, config: {{retention.ms: 1001}}}}
  - name: b
    executor: flink
    sql: SELECT id FROM {{{{ source("ships") }}}}
    topic: {{name: many.b, partitions: 13, replication_factor: 4, config: {{retention.ms: "-1"}}}}
  - {{name: c, {COPY}, topic: {{name: tmp.c.old, config: {{cleanup.policy: x, retention.ms: a week}}}}}}
  - {{name: d, {COPY}, topic: {{config: {{cleanup.policy: x}}}}}}
"""

    assert found(TOPIC_RULES + models) == [
        ("E602_RULE_TOPIC", "/models/0/topic/config"),
        ("E602_RULE_TOPIC", "/models/0/topic/config/retention.ms"),
        ("E602_RULE_TOPIC", "/models/0/topic/partitions"),
        ("E602_RULE_TOPIC", "/models/0/topic/replication_factor"),
        ("E602_RULE_TOPIC", "/models/1/topic/config"),
        ("E602_RULE_TOPIC", "/models/1/topic/config/retention.ms"),
        ("E602_RULE_TOPIC", "/models/1/topic/partitions"),
        ("E602_RULE_TOPIC", "/models/1/topic/replication_factor"),
        ("E601_NAMING_VIOLATION", "/models/2/topic/name"),
        ("E601_NAMING_VIOLATION", "/models/2/topic/name"),
        ("E601_NAMING_VIOLATION", "/models/3/name"),
    ]


def test_topic_rules_are_about_topics_and_flink_jobs_only(found) -> None:
    assert (
        found("""
rules: {topics: {required_config: [x]}}
models:
  - {name: v, materialized: virtual_topic, from: [{source: ships}]}
  - {name: s, from: [{source: ships}], sink: {connector: c}}
""")
        == []
    )


def test_a_naming_pattern_holds_for_source_topics_from_their_start(found) -> None:
    assert found(
        rule('topics: {naming_pattern: "harbour"}')
        + "models: [{name: m, from: [{source: in}], sink: {connector: c}}]",
        sources="""
sources:
  - {name: in, topic: harbour.x, columns: [{name: n}]}
  - {name: out, topic: my.harbour, columns: [{name: n}]}
exposures: [{name: e, type: api, consumes: [{source: out}]}]
""",
    ) == [("E601_NAMING_VIOLATION", "/sources/1/topic")]


@pytest.mark.parametrize("pattern", ["(", "*a", "(?P<n>a)(?P<n>b)", "a{99999999999999999999}"])
def test_a_pattern_that_is_none_is_found_at_the_rule(found, pattern: str) -> None:
    assert ("E607_RULE_INVALID", "/rules/topics/naming_pattern") in found(
        rule(f"topics: {{naming_pattern: '{pattern}'}}")
    )


def test_models_are_held_to_their_rules(find) -> None:
    findings = find(
        rule(
            "models: {require_description: yes, require_owner: true, require_tests: 'on', "
            "valid_owners: [fleet], max_dependencies: 0}"
        )
        + f"""
models:
  - {{name: bare, {COPY}, description: ' '}}
  - {{name: full, {COPY}, description: d, owner: fleet}}
  - {{name: other, {COPY}, description: d, owner: crane}}
tests: [{{name: t, model: full, type: schema}}, {{name: u, model: other, type: schema}}]
"""
    )

    assert [(one.location, one.message) for one in findings] == [
        ("/models/0", "model 'bare' has no test"),
        ("/models/0", "model 'bare' reads 1 sources and models, and at most 0 are allowed"),
        ("/models/0/description", "model 'bare' has no description"),
        ("/models/0/owner", "model 'bare' has no owner"),
        ("/models/1", "model 'full' reads 1 sources and models, and at most 0 are allowed"),
        ("/models/2", "model 'other' reads 1 sources and models, and at most 0 are allowed"),
        ("/models/2/owner", "model 'other' is owned by 'crane', which is none of the valid owners"),
    ]
    assert {one.code for one in findings} == {"E603_RULE_MODEL"}


def test_rules_that_are_off_ask_for_nothing(found) -> None:
    assert (
        found(
            rule("models: {require_description: no, require_owner: 'off', require_tests: 0}, security: null")
            + f"models: [{{name: m, {COPY}}}]"
        )
        == []
    )


def test_sources_are_held_to_their_rules(found) -> None:
    assert found(
        rule("sources: {require_schema: true, require_freshness: true}")
        + "tests: [{name: t, model: s, type: schema}, {name: u, model: f, type: schema}]",
        sources="""
sources:
  - {name: s, topic: s}
  - {name: f, topic: f, schema: {fields: [{name: n}]}, freshness: {max_lag_seconds: 5}}
""",
    ) == [
        ("W203_SOURCE_NO_COLUMNS", "/sources/0/columns"),
        ("E604_RULE_SOURCE", "/sources/0/freshness"),
        ("E604_RULE_SOURCE", "/sources/0/schema"),
    ]


def test_columns_are_classified_and_sensitive_ones_masked(found) -> None:
    assert found(
        rule("security: {require_classification: true, sensitive_columns_require_masking: true}")
        + """
models:
  - name: m
    materialized: virtual_topic
    from: [{source: s}]
    columns:
      - {name: a, classification: sensitive}
      - {name: b, classification: sensitive}
      - {name: c}
      - {name: d}
    security:
      classification: {c: highly_sensitive, b: public}
      policies: [{mask: {column: a, method: hash}}]
""",
        sources="""
sources:
  - {name: s, topic: s, schema: {fields: [{name: x}, {name: y, classification: public}]}}
""",
    ) == [
        ("E605_RULE_SECURITY", "/sources/0/schema/fields/0"),
        ("E605_RULE_SECURITY", "/models/0/columns/3"),
        ("E605_RULE_SECURITY", "/models/0/security/policies"),
    ]


def test_regions_outside_of_the_allowed_ones_are_found(found) -> None:
    assert found(
        rule("data_residency: {allowed_regions: [north]}")
        + f"models: [{{name: a, {COPY}, region: south}}, {{name: b, {COPY}, region: north}}]\n",
        sources="sources: [{name: ships, topic: t, region: east, columns: [{name: id}]}]",
    ) == [
        ("E606_RULE_DATA_RESIDENCY", "/sources/0/region"),
        ("E606_RULE_DATA_RESIDENCY", "/models/0/region"),
    ]


def test_keys_are_declared_columns_where_columns_are_declared(found) -> None:
    assert found(f"""
models:
  - {{name: a, {COPY}, key: gone, primary_key: [id, gone], columns: [{{name: id}}]}}
  - {{name: b, {COPY}, key: id, contract: {{columns: [{{name: id}}]}}}}
  - {{name: c, {COPY}, key: anything}}
""") == [
        ("E211_INVALID_KEY_COLUMN", "/models/0/key"),
        ("E211_INVALID_KEY_COLUMN", "/models/0/primary_key/1"),
    ]


def test_versions_of_one_family_are_different_and_without_gaps(find) -> None:
    findings = find(f"""
models:
  - {{name: m_v1, {COPY}, version: 1}}
  - {{name: m_v2, {COPY}, version: "1"}}
  - {{name: m, {COPY}, version: 4}}
  - {{name: other, {COPY}, version: 7}}
""")

    assert [(one.code, one.location, one.message) for one in findings] == [
        ("E134_DUPLICATE_VERSION", "/models/1/version", "model 'm_v2' has version 1, as 'm_v1' has"),
        (
            "W208_VERSION_GAP",
            "/models/2/version",
            "model 'm' has the versions 1 and 4, and none between them",
        ),
    ]
