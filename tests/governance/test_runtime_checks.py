"""What models, tests and defaults ask of the chosen runtime."""

from __future__ import annotations

import pytest


def model(extra: str, sql: str = 'SELECT id FROM {{ source("ships") }} WHERE tons > 1') -> str:
    return f"models:\n  - {{name: m, sql: '{sql}', {extra}}}\n"


def runtime(*blocks: str) -> str:
    return "\nruntime:\n" + "".join(
        f"  {block}\n" for block in ('kafka: {bootstrap_servers: "b:9092"}', *blocks)
    )


FLINK = "flink: {clusters: {f: {}}}"
GATEWAY = "conduktor: {gateway: {}}"
CONFLUENT = "flink: {clusters: {f: {type: confluent}}}"
BLOCK = "gateway: {virtual_topic: {name: v}}"
LEARNING = 'SELECT p FROM {{ source("ships") }}, LATERAL TABLE(ML_PREDICT(``x``, id))'.replace("``", "`")


@pytest.mark.parametrize(
    ("body", "blocks", "expected"),
    [
        (model(BLOCK), [FLINK], [("E201_GATEWAY_REQUIRED", "/models/0/gateway/virtual_topic")]),
        (model(BLOCK), [GATEWAY], []),
        (model("tags: []"), [FLINK], [("W209_AMBIGUOUS_MATERIALIZATION", "/models/0")]),
        (model("tags: []"), [], [("W210_NO_PROCESSING_RUNTIME", "/models/0")]),
        (model("tags: []"), [GATEWAY], []),
        (model("materialized: flink"), [GATEWAY], [("E202_FLINK_REQUIRED", "/models/0")]),
        (model("materialized: flink"), [FLINK], []),
        (model("executor: flink"), [], [("E202_FLINK_REQUIRED", "/models/0")]),
        (model("materialized: topic"), [], []),
        (
            model("tags: []", LEARNING),
            [FLINK],
            [("E203_CONFLUENT_FLINK_REQUIRED", "/models/0"), ("W212_ML_PREDICT_OPAQUE_OUTPUT", "/models/0")],
        ),
        (model("ml_outputs: {x: {columns: []}}", LEARNING), [CONFLUENT], []),
    ],
)
def test_a_runtime_that_cannot_run_a_model_is_found(
    found, body: str, blocks: list[str], expected: list
) -> None:
    assert found(body, runtime=runtime(*blocks)) == expected


@pytest.mark.parametrize(
    ("milliseconds", "expected"),
    [
        ("0", "E301_INVALID_STATE_TTL"),
        ('"-5"', "E301_INVALID_STATE_TTL"),
        ("999", "W215_STATE_TTL_TOO_SHORT"),
        ("1000", None),
    ],
)
def test_a_state_ttl_is_positive_and_at_least_a_second(
    found, milliseconds: str, expected: str | None
) -> None:
    wanted = [] if expected is None else [(expected, "/models/0/flink/state_ttl_ms")]

    assert found(model(f"materialized: flink, flink: {{state_ttl_ms: {milliseconds}}}")) == wanted


MASK = "{mask: {column: id, method: hash}}"


@pytest.mark.parametrize(
    ("kind", "policies", "codes"),
    [
        ("virtual_topic", MASK, []),
        ("topic", MASK, ["W211_SECURITY_POLICIES_NOT_ENFORCED"]),
        ("flink", MASK, ["W211_SECURITY_POLICIES_NOT_ENFORCED"]),
        ("virtual_topic", f"{MASK}, {{allow: {{roles: [a]}}}}", ["W211_SECURITY_POLICIES_NOT_ENFORCED"]),
        ("virtual_topic", "{deny: {roles: [a]}}", ["W211_SECURITY_POLICIES_NOT_ENFORCED"]),
    ],
)
def test_policies_that_nothing_enforces_are_found(found, kind: str, policies: str, codes: list[str]) -> None:
    expected = [(code, "/models/0/security/policies") for code in codes]

    assert found(model(f"materialized: {kind}, security: {{policies: [{policies}]}}")) == expected


def test_names_of_clusters_and_connections_are_looked_up(find) -> None:
    findings = find(
        """
defaults: {tests: {flink_cluster: g}}
connections: {known: {type: x}}
models:
  - {name: a, materialized: topic, sql: 'SELECT id FROM {{ source("ships") }}', flink_cluster: g}
  - {name: b, from: [{ref: a}], sink: {connector: k, connection: unknown}, connect_cluster: d}
  - {name: c, from: [{ref: a}], sink: {connector: k, connection: known}, connect_cluster: c}
tests:
  - {name: t, model: a, type: continuous, flink_cluster: g}
""",
        runtime=runtime(
            "flink: {default: x, clusters: {f: {}}}", 'connect: {clusters: {c: {rest_url: "http://c"}}}'
        ),
    )

    assert [(one.code, one.location, one.message) for one in findings] == [
        (
            "E209_INVALID_CLUSTER_REF",
            "/defaults/tests/flink_cluster",
            "the defaults names the flink cluster 'g', which the runtime does not have",
        ),
        (
            "E209_INVALID_CLUSTER_REF",
            "/runtime/flink/default",
            "the runtime names the flink cluster 'x', which the runtime does not have",
        ),
        (
            "E209_INVALID_CLUSTER_REF",
            "/models/0/flink_cluster",
            "model 'a' names the flink cluster 'g', which the runtime does not have",
        ),
        (
            "E209_INVALID_CLUSTER_REF",
            "/models/1/connect_cluster",
            "model 'b' names the connect cluster 'd', which the runtime does not have",
        ),
        (
            "E210_INVALID_CONNECTION_REF",
            "/models/1/sink/connection",
            "model 'b' names the connection 'unknown', which is not declared",
        ),
        (
            "E209_INVALID_CLUSTER_REF",
            "/tests/0/flink_cluster",
            "test 't' names the flink cluster 'g', which the runtime does not have",
        ),
    ]


def test_tests_are_about_something_that_exists_and_can_be_run(found, kafka_only: str) -> None:
    assert found(
        """
tests:
  - {name: a, model: gone, type: schema, sample_size: 5}
  - {name: b, model: ships, type: continuous}
  - {name: c, model: ships, type: sample, sample_size: 5}
  - name: d
    model: ships
    type: sample
    assertions: [{foreign_key: {column: id, ref_model: gone, ref_key: id}}]
    on_failure: {actions: [{dlq: true}, {dlq: {model: gone}}]}
""",
        runtime=kafka_only,
    ) == [
        ("E107_TEST_MODEL_NOT_FOUND", "/tests/0/model"),
        ("W206_SAMPLE_SIZE_IGNORED", "/tests/0/sample_size"),
        ("E207_CONTINUOUS_TEST_REQUIRES_FLINK", "/tests/1/type"),
        ("E107_TEST_MODEL_NOT_FOUND", "/tests/3/assertions/0/foreign_key/ref_model"),
        ("E132_DLQ_MODEL_NOT_FOUND", "/tests/3/on_failure/actions/1/dlq/model"),
    ]
