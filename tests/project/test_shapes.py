"""What the language accepts and refuses, field by field (sections 1 and 3), and what a refusal says."""

from __future__ import annotations

from textwrap import indent

import pytest

from streamt_ol.ground.errors import Place

MODEL = "name: m\n"
SOURCE = "name: s\ntopic: t\n"
TEST = "name: t\nmodel: m\ntype: sample\n"
EXPOSURE = "name: e\ntype: api\n"


def entry(section: str, *parts: str) -> str:
    return f"{section}:\n  -\n" + indent("".join(parts), "    ")


def model(rest: str) -> str:
    return entry("models", MODEL, rest)


def source(rest: str) -> str:
    return entry("sources", SOURCE, rest)


def assertion(text: str) -> str:
    return entry("tests", TEST, f"assertions: [{text}]")


def exposure(rest: str) -> str:
    return entry("exposures", EXPOSURE, rest)


def column(rest: str) -> str:
    return source(f"columns: [{{name: c, {rest}}}]")


def in_runtime(rest: str) -> str:
    return 'project: {name: p}\nruntime:\n  kafka: {bootstrap_servers: "b:1"}\n' + indent(rest, "  ")


def in_kafka(rest: str) -> str:
    return f'project: {{name: p}}\nruntime: {{kafka: {{bootstrap_servers: "b:1", {rest}}}}}\n'


DIGEST = "0123456789abcdef" * 4
REMOVAL = "{logical_owner: %s, name: %s, cluster: c}"
MANY = [f"n{number}" for number in range(257)]
RULE = (
    "{logical_owner: o, prior_artifact: {name: %s, virtualTopic: %s, physicalTopic: p, interceptors: [mask]}}"
)

POSTGRES = "deployment_state: {backend: postgres, namespace: n, postgres: {%s}}"

ACCEPTED = [
    "defaults:\nrules:\nlifecycle:\ndeployment_state:\n",
    "defaults: {topic: {partitions: 2}, models: {cluster: c, topic: null}, tests: {flink_cluster: f}}",
    "connections: {c: {type: jdbc, config: {any: [1, {thing: true}]}}}",
    "udfs: [{name: f, return_type: INT}]",
    "deployment_state: {backend: local}",
    "deployment_state: {backend: postgres, namespace: n, lock_timeout_seconds: 300, postgres: {dsn_env: A}}",
    POSTGRES % "dsn_env: A, writer_dsn_env: B, writer_role_env: C, schema: s",
    f"lifecycle: {{gateway_rule_removals: [{RULE % ('a', 'v')}, {RULE % ('b', 'w')}]}}",
    f"lifecycle: {{connector_removals: [{REMOVAL % ('a', 'x')}, {REMOVAL % ('b', 'y')}]}}",
    "rules: {topics: {min_partitions: 1, required_config: [a]}, models: {require_owner: 1}}",
    "rules: {sources: {require_schema: yes}, security: {require_classification: 'on'}}",
    "rules: {data_residency: {allowed_regions: [eu]}}",
    source("description: ''\nowner:\ncluster: c\nregion: r\nownership: {mode: adopted}\ntags: [a]\n"),
    source("schema: {version: 3, format: Avro, fields: [{name: a}]}\n"),
    source("schema: {version: '3', format: PROTOBUF, fields: null}\n"),
    source("schema_: {version: latest}\n"),
    source("freshness: {max_lag_seconds: '5', warn_after_seconds: null}\n"),
    source("event_time: {column: c, watermark: {strategy: custom, expression: e}, allowed_lateness_ms: 5}\n"),
    column("type: null, classification: sensitive, description: d, required: 'YES', proctime: 0"),
    model("from: other\n"),
    model("from: [{source: a}, {ref: b}, {}, {source: null, ref: ''}]\n"),
    model("from_: other\n"),
    model("sql: ''\nmacro: m\nparams: {a: b}\n"),
    model("sql: s\nmacro: ''\n"),
    model("topic: {name: '', partitions: '6', replication_factor: 3.0, config: {retention.ms: 5}}\n"),
    model("topic: {name: t}\ngateway: {virtual_topic: {name: t}}\n"),
    model("topic: {name: t}\ngateway: {virtual_topic: {compression: gzip}}\n"),
    model("gateway: {}\n"),
    model("sink: {connector: c, connection: n, config: {a: 1}}\n"),
    model("connector: {type: c, config: {a: 1}}\n"),
    model("sql: s\nexecutor: flink\nmaterialized: topic\nsink: null\n"),
    model("macro: m\nexecutor: flink\nmaterialized: null\n"),
    model("contract: {}\n"),
    model("contract: {enforced: false, columns: [{name: a, nullable: null}]}\n"),
    model("key: k\nprimary_key: [a]\ngroup: g\nversion: 2\naccess: public\ncolumns: null\n"),
    model("security: {classification: {c: public}, policies: [{mask: {column: c, method: 'null'}}]}\n"),
    model("security: {policies: [{deny: {roles: []}}, {allow: {roles: [a], purpose: p}}]}\n"),
    model("ml_outputs: {o: {columns: [{name: a}], description: d}}\n"),
    model("flink: {parallelism: 2, checkpoint: {mode: m, externalized: true, unaligned: 'no'}}\n"),
    model("flink: {restart_strategy: {backoff_multiplier: '1.5'}, resources: {taskmanager_slots: 1}}\n"),
    entry(
        "tests",
        TEST,
        "sample_size: 5\non_failure: {severity: warning, actions: [{dlq: true}, {dlq: {topic: t}}]}",
    ),
    assertion("{not_null: {columns: [a]}}"),
    assertion("{unique_key: {key: k, window: w, tolerance: 0.5}}"),
    assertion("{accepted_values: {column: c, values: [1, a, null, {b: c}]}}"),
    assertion("{accepted_types: {types: {a: int}}}, {accepted_types: {}}"),
    assertion("{range: {column: c, min: '-1.5e3', max: null}}"),
    assertion("{max_lag: {column: c, max_seconds: 5}}, {throughput: {min_per_second: 1.5}}"),
    assertion("{distribution: {column: c, buckets: [{min: 1, max: 2, expected_ratio: 0.5}]}}"),
    assertion("{foreign_key: {column: c, ref_model: m, ref_key: k, match_rate: 1}}"),
    assertion("{custom_sql: {where: w, name: n, detail_column: d}}"),
    exposure("role: both\nowners: [{email: x}]\nproduces: [{ref: a}]\nconsumes: [{source: b}]\n"),
    exposure(
        "sla: {availability: 99.9, max_error_rate: '0.5', freshness_minutes: 5}\ncontracts: {schema_: s}\n"
    ),
    exposure(
        "access: {roles: [r], purpose: p}\nfreshness: {max_lag_seconds: 1}\ndata_requirements: {a: [1]}\n"
    ),
]

ACCEPTED_MAINS = [
    in_kafka(
        "security_protocol: sasl_Ssl, sasl_mechanism: SCRAM-SHA-256, sasl_username: u, sasl_password: p"
    ),
    in_kafka("sasl_mechanism: PLAIN"),
    in_kafka("security_protocol: SSL, sasl_mechanism: null"),
    in_runtime("schema_registry: {url: 'HTTPS://r.example', username: u, password: p}\nflink:\nconnect:\n"),
    in_runtime(
        "flink: {default: a, clusters: {a: {type: confluent, sql_gateway_url: 'http://g', timeout: '5'}}}\n"
    ),
    in_runtime(
        "connect: {clusters: {a: {rest_url: 'http://c'}}}\nconduktor: {gateway: {}, console: {url: u}}\n"
    ),
    in_runtime(f"kafka_streams: {{image: 'sha256:{DIGEST}', startup_timeout: 1, initial_offset: latest}}\n"),
    in_runtime(f"kafka_streams: {{image: 'registry.example:5000/a/b@sha256:{DIGEST}'}}\n"),
]


@pytest.mark.parametrize("rest", ACCEPTED)
def test_a_shape_of_the_language_is_accepted(load, rest):
    load(rest)


@pytest.mark.parametrize("main", ACCEPTED_MAINS)
def test_a_runtime_of_the_language_is_accepted(load, main):
    load(main=main)


REFUSED = [
    ("api_version: x\n", "/api_version", "`api_version`"),
    ("sources:\n", "/sources", "must be a list"),
    ("models: {name: m}\n", "/models", "must be a list"),
    ("models: [m]\n", "/models/0", "`models[0]` must be a mapping"),
    ("udfs:\n", "/udfs", "must be a list"),
    ("udfs: [{name: f}]\n", "/udfs/0/return_type", "lacks the key `return_type`"),
    ("connections:\n", "/connections", "must be a mapping"),
    ("connections: {c: {config: {}}}\n", "/connections/c/type", "lacks the key `type`"),
    ("connections: {c: {type: t, config: 5}}\n", "/connections/c/config", "must be a mapping"),
    ("connections: {c: {type: t, url: u}}\n", "/connections/c/url", "has no key `url`"),
    ("x-anchors: {}\n", "/x-anchors", "has no key `x-anchors`"),
    ("defaults: {topics: {}}\n", "/defaults/topics", "has no key `topics`"),
    ("defaults: {topic: {partitions: null}}\n", "/defaults/topic/partitions", "must be a whole number"),
    ("rules: {topics: {required_config: null}}\n", "/rules/topics/required_config", "must be a list"),
    ("rules: {models: {require_owner: maybe}}\n", "/rules/models/require_owner", "must be true or false"),
    ("rules: {models: {require_owner: 2}}\n", "/rules/models/require_owner", "must be true or false"),
    ("deployment_state: {}\n", "/deployment_state/backend", "lacks the key `backend`"),
    ("deployment_state: {backend: local, namespace: n}\n", "/deployment_state/namespace", "has no key"),
    ("deployment_state: {backend: postgres, namespace: n}\n", "/deployment_state/postgres", "lacks the key"),
    *(
        (
            (POSTGRES % f"dsn_env: {dsn}, writer_dsn_env: {writer}").replace(
                "namespace: n", f"namespace: {namespace}, lock_timeout_seconds: {seconds}"
            ),
            f"/deployment_state/{location}",
            message,
        )
        for namespace, seconds, dsn, writer, location, message in [
            ("a/b", 1, "A", "B", "namespace", "slash"),
            ("''", 1, "A", "B", "namespace", "empty"),
            ("n", 0, "A", "B", "lock_timeout_seconds", "from 1 to 300"),
            ("n", 301, "A", "B", "lock_timeout_seconds", "from 1 to 300"),
            ("n", "'5'", "A", "B", "lock_timeout_seconds", "not in quotes"),
            ("n", "true", "A", "B", "lock_timeout_seconds", "not in quotes"),
            ("n", 1, "'postgres://u:hunter2@h'", "B", "postgres/dsn_env", "name of an environment variable"),
            ("n", 1, "A", "A", "postgres/writer_dsn_env", "same as `dsn_env`"),
        ]
    ),
    (
        f"lifecycle: {{gateway_rule_removals: [{RULE % ('a', 'v')}, {RULE % ('a', 'w')}]}}\n",
        "/lifecycle/gateway_rule_removals/1",
        "same rule as `gateway_rule_removals[0]`",
    ),
    (
        f"lifecycle: {{gateway_rule_removals: [{RULE % ('a', 'v')}, {RULE % ('b', 'v')}]}}\n",
        "/lifecycle/gateway_rule_removals/1",
        "same virtual topic",
    ),
    (
        f"lifecycle: {{gateway_rule_removals: [{(RULE % ('a', 'v')).replace('mask', 'encrypt')}]}}\n",
        "/lifecycle/gateway_rule_removals/0/prior_artifact/interceptors/0",
        "must be filter or mask",
    ),
    (
        f"lifecycle: {{connector_removals: [{REMOVAL % ('a', 'x')}, {REMOVAL % ('b', 'x')}]}}\n",
        "/lifecycle/connector_removals/1",
        "same connector",
    ),
    (
        f"lifecycle: {{connector_removals: [{REMOVAL % ('a', 'x')}, {REMOVAL % ('a', 'y')}]}}\n",
        "/lifecycle/connector_removals/1",
        "same logical owner",
    ),
    (
        f"lifecycle: {{connector_removals: [{REMOVAL % ('a/b', 'x')}]}}\n",
        "/lifecycle/connector_removals/0/logical_owner",
        "no slash",
    ),
    (
        f"lifecycle: {{connector_removals: [{REMOVAL % ('a', 'x' * 257)}]}}\n",
        "/lifecycle/connector_removals/0/name",
        "1 to 256",
    ),
    (
        f"lifecycle: {{connector_removals: [{', '.join(REMOVAL % (i, i) for i in MANY)}]}}\n",
        "/lifecycle/connector_removals",
        "at most 256",
    ),
    (source("columns:\n"), "/sources/0/columns", "must be a list"),
    (source("tags: a\n"), "/sources/0/tags", "must be a list"),
    (source("tags:\n"), "/sources/0/tags", "must be a list"),
    (source("ownership: {mode: mine}\n"), "/sources/0/ownership/mode", "external, managed or adopted"),
    (source("schema: {version: 0}\n"), "/sources/0/schema/version", "whole number from 1, or latest"),
    (source("schema: {version: Latest}\n"), "/sources/0/schema/version", "whole number from 1, or latest"),
    (source('schema: {version: "1\\n"}\n'), "/sources/0/schema/version", "whole number from 1, or latest"),
    (source("schema: {version: null}\n"), "/sources/0/schema/version", "whole number from 1, or latest"),
    (source("schema: {format: xml}\n"), "/sources/0/schema/format", "avro, json or protobuf"),
    (source("schema: {}\nschema_: {}\n"), "/sources/0/schema_", "says the same as `schema`"),
    (source("event_time: {}\n"), "/sources/0/event_time/column", "lacks the key `column`"),
    (column("classification: secret"), "/sources/0/columns/0/classification", "highly_sensitive"),
    (
        column("required: null"),
        "/sources/0/columns/0/required",
        "must be true or false, but YAML read `null` as null",
    ),
    (model("from: [other]\n"), "/models/0/from/0", "`from[0]` must be a mapping"),
    (model("from: {ref: other}\n"), "/models/0/from", "must be a list of {source: NAME} or {ref: NAME}"),
    (model("from: a\nfrom_: a\n"), "/models/0/from_", "says the same as `from`"),
    (model("params:\n"), "/models/0/params", "must be a mapping"),
    (model("params: {n: 5}\n"), "/models/0/params/n", "must be a string, but YAML read `5` as the integer 5"),
    (model("sql: s\nmacro: m\n"), "/models/0/macro", "cannot be combined with `sql`"),
    (model("materialized: Topic\n"), "/models/0/materialized", "must be topic, virtual_topic, flink or sink"),
    (model("materialized: view\n"), "/models/0/materialized", "must be topic, virtual_topic, flink or sink"),
    (model("topic: {partitions: 6.5}\n"), "/models/0/topic/partitions", "must be a whole number"),
    (model("topic: {partitions: six}\n"), "/models/0/topic/partitions", "must be a whole number"),
    (model("topic: {config:}\n"), "/models/0/topic/config", "must be a mapping"),
    (
        model("topic: {name: a}\ngateway: {virtual_topic: {name: b}}\n"),
        "/models/0/gateway/virtual_topic/name",
        "both given and differ",
    ),
    (
        model("materialized: sink\ntopic: {name: a}\ngateway: {virtual_topic: {name: ''}}\n"),
        "/models/0/gateway/virtual_topic/name",
        "both given and differ",
    ),
    (model("sink: {}\n"), "/models/0/sink/connector", "lacks the key `connector`"),
    (model("connector: {config: {}}\n"), "/models/0/connector/type", "lacks the key `type`"),
    (model("contract: {columns:}\n"), "/models/0/contract/columns", "must be a list"),
    (
        model("contract: {columns: [{name: a, required: true}]}\n"),
        "/models/0/contract/columns/0/required",
        "has no key",
    ),
    (model("primary_key: a\n"), "/models/0/primary_key", "must be a list"),
    (model("flink: {paralelism: 1}\n"), "/models/0/flink/paralelism", "has no key `paralelism`"),
    (
        model("flink: {restart_strategy: {backoff_multiplier: fast}}\n"),
        "/models/0/flink/restart_strategy/backoff_multiplier",
        "must be a number",
    ),
    (model("executor: flink\n"), "/models/0/executor", "needs `sql` or `macro`"),
    (model("executor: flink\nsql: ''\nmacro: null\n"), "/models/0/executor", "needs `sql` or `macro`"),
    (model("executor: kafka_streams\nsql: s\n"), "/models/0/executor", "not supported"),
    (model("executor: spark\n"), "/models/0/executor", "must be flink"),
    *(
        (model(f"executor: flink\nsql: s\n{key}: {value}\n"), f"/models/0/{key}", "executor: flink")
        for key, value in [
            ("materialized", "sink"),
            ("materialized", "virtual_topic"),
            ("gateway", "{}"),
            ("sink", "{connector: c}"),
            ("connector", "{type: c}"),
        ]
    ),
    (
        model("security: {policies: [{}]}\n"),
        "/models/0/security/policies/0",
        "exactly one of mask, allow and deny",
    ),
    (
        model("security: {policies: [{allow: {roles: []}, deny: {roles: []}}]}\n"),
        "/models/0/security/policies/0",
        "exactly one of mask, allow and deny",
    ),
    (
        model("security: {policies: [{mask: {column: c, method: null}}]}\n"),
        "/models/0/security/policies/0/mask/method",
        "but YAML read `null` as null",
    ),
    (
        model("security: {policies: [{deny: {roles: [], purpose: p}}]}\n"),
        "/models/0/security/policies/0/deny/purpose",
        "has no key `purpose`",
    ),
    (model("security: {classification: {c: secret}}\n"), "/models/0/security/classification/c", "public"),
    (model("ml_outputs: {o: {}}\n"), "/models/0/ml_outputs/o/columns", "lacks the key `columns`"),
    (entry("tests", "name: t\nmodel: m\n"), "/tests/0/type", "lacks the key `type`"),
    (
        entry("tests", TEST, "on_failure: {severity: fatal}"),
        "/tests/0/on_failure/severity",
        "error or warning",
    ),
    (
        entry("tests", TEST, "on_failure: {actions: [{alert: x}]}"),
        "/tests/0/on_failure/actions/0/alert",
        "has no key",
    ),
    (
        entry("tests", TEST, "on_failure: {actions: [{}]}"),
        "/tests/0/on_failure/actions/0",
        "must have the key `dlq`",
    ),
    (
        entry("tests", TEST, "on_failure: {actions: [{dlq: false}]}"),
        "/tests/0/on_failure/actions/0/dlq",
        "must be true",
    ),
    (entry("tests", TEST, "assertions:"), "/tests/0/assertions", "must be a list"),
    (assertion("{}"), "/tests/0/assertions/0", "exactly one check"),
    (
        assertion("{not_null: {columns: [a]}, range: {column: a}}"),
        "/tests/0/assertions/0",
        "exactly one check",
    ),
    (assertion("{unknown: {}}"), "/tests/0/assertions/0/unknown", "has no key `unknown`"),
    (assertion("{not_null: {columns: a}}"), "/tests/0/assertions/0/not_null/columns", "must be a list"),
    (assertion("{range: {column: a, min: low}}"), "/tests/0/assertions/0/range/min", "must be a number"),
    (assertion("{range: {column: a, min: true}}"), "/tests/0/assertions/0/range/min", "must be a number"),
    (assertion("{custom_sql: {name: n}}"), "/tests/0/assertions/0/custom_sql/where", "lacks the key `where`"),
    (exposure("owners: {name: a}\n"), "/exposures/0/owners", "must be a list"),
    (exposure("owners: [{name: 5}]\n"), "/exposures/0/owners/0/name", "must be a string"),
    (exposure("consumes:\n"), "/exposures/0/consumes", "must be a list"),
    (exposure("consumes: [{model: m}]\n"), "/exposures/0/consumes/0/model", "has no key `model`"),
    (exposure("sla: {max_error_rate: 1.5}\n"), "/exposures/0/sla/max_error_rate", "from 0 to 1"),
    (exposure("sla: {max_error_rate: '1.5'}\n"), "/exposures/0/sla/max_error_rate", "from 0 to 1"),
    (exposure("contracts: {schema: a, schema_: a}\n"), "/exposures/0/contracts/schema_", "says the same"),
    (entry("exposures", "name: e\ntype: robot\n"), "/exposures/0/type", "application"),
]


@pytest.mark.parametrize(("rest", "location", "message"), REFUSED)
def test_anything_else_is_refused_where_it_stands(failure, rest, location, message):
    error = failure(rest)

    assert error.code == "E501_PARSE_ERROR"
    assert error.location == location
    assert message in error.message
    assert error.place.file == "stream_project.yml"
    assert error.place.line > 3


REFUSED_MAINS = [
    (in_kafka("sasl_pasword: hunter2"), "/runtime/kafka/sasl_pasword"),
    (in_kafka("sasl_password: 70707"), "/runtime/kafka/sasl_password"),
    (in_kafka("security_protocol: TLS"), "/runtime/kafka/security_protocol"),
    (in_kafka("sasl_mechanism: plain"), "/runtime/kafka/sasl_mechanism"),
    (in_kafka("security_protocol: ssl, sasl_mechanism: PLAIN"), "/runtime/kafka/sasl_mechanism"),
    ('project: {name: p}\nruntime: {kafka: {bootstrap_servers: " "}}', "/runtime/kafka/bootstrap_servers"),
    ("project: {name: p}\nruntime: {kafka: {}}", "/runtime/kafka/bootstrap_servers"),
    ("project: {name: p}\nruntime: {kafka: null}", "/runtime/kafka"),
    ("project: {name: p}\nruntime: null", "/runtime"),
    (in_runtime("schema_registry: {url: 'registry:8081'}"), "/runtime/schema_registry/url"),
    (in_runtime("schema_registry: {url: 'http://'}"), "/runtime/schema_registry/url"),
    (in_runtime("flink: {clusters: {a: {rest_url: 'ftp://x'}}}"), "/runtime/flink/clusters/a/rest_url"),
    (in_runtime("flink: {clusters: {a: {timeout: 1.5}}}"), "/runtime/flink/clusters/a/timeout"),
    (in_runtime("connect: {clusters: {a: {}}}"), "/runtime/connect/clusters/a/rest_url"),
    (in_runtime("conduktor: {gateway: {admin_url: 'x'}}"), "/runtime/conduktor/gateway/admin_url"),
    (in_runtime("conduktor: {console: {}}"), "/runtime/conduktor/console/url"),
    (in_runtime("kafka_streams: {}"), "/runtime/kafka_streams/image"),
    (in_runtime("kafka_streams: {image: 'repo:latest'}"), "/runtime/kafka_streams/image"),
    (
        in_runtime(f"kafka_streams: {{image: 'sha256:{DIGEST}', stop_timeout: '5'}}"),
        "/runtime/kafka_streams/stop_timeout",
    ),
    (in_runtime("spark: {}"), "/runtime/spark"),
]


@pytest.mark.parametrize(("main", "location"), REFUSED_MAINS)
def test_a_runtime_is_refused_where_it_is_wrong_and_no_value_is_shown(failure, main, location):
    error = failure(main=main)

    assert (error.code, error.location) == ("E501_PARSE_ERROR", location)
    assert error.place.line >= 2
    assert not any(
        value in str(error.diagnostic()) for value in ("hunter2", "70707", "TLS", "ftp", "repo:latest")
    )


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("no", "`no` as the boolean false"),
        ("on", "`on` as the boolean true"),
        ("1.10", "`1.10` as the number 1.1"),
        ("2.30", "`2.30` as the number 2.3"),
        ("0123", "`0123` as the integer 83"),
        ("12:30:45", "`12:30:45` as the integer 45045"),
        ("~", "`~` as null"),
        ("null", "`null` as null"),
        ("", "null"),
        ("&a no", "`no` as the boolean false"),
        ("[a]", "a list"),
        ("{a: b}", "a mapping"),
    ],
)
def test_a_string_field_takes_only_strings_and_shows_what_yaml_read(failure, written, read):
    error = failure(f"sources:\n- topic: t\n  name: {written}\n")

    assert type(error).__name__ == "WrongTypeError"
    assert error.message == f"`name` must be a string, but YAML read {read}"
    assert error.suggestion == (None if written[:1] in ("[", "{") else "quote it")
    assert (error.place.file, error.place.line) == ("stream_project.yml", 6)


@pytest.mark.parametrize("written", ["2024-01-01", ".inf", "-.INF", ".nan"])
def test_a_scalar_that_no_field_can_take_is_refused(failure, written):
    error = failure(source(f"owner: {written}\n"))

    assert (error.code, error.location) == ("E501_PARSE_ERROR", "/sources/0/owner")


@pytest.mark.parametrize("written", ["1e3", "1.0.0", "'no'", "'1.10'", "yes please", '"017"'])
def test_what_yaml_reads_as_a_string_is_one(load, written):
    assert load(f"sources: [{{name: s, topic: {written}}}]").project.sources[0].topic == written.strip("'\"")


@pytest.mark.parametrize(
    ("rest", "suggestion"),
    [
        (model("advanced: {topic: {}}\n"), "move its keys"),
        (model("gateway: {virtual_topic: v}\n"), "virtual_topic: {name: NAME}"),
        (model("access: {level: public}\n"), "`access: private`, `protected` or `public`"),
        (model("security: {masking: []}\n"), "mask: {column, method, for_roles}"),
        (assertion("{accepted_types: {ph: double}}"), "`accepted_types: {types: {COLUMN: TYPE}}`"),
        (entry("tests", TEST, "on_failure: {actions: [{alert: x}]}"), "the only action is `dlq: true`"),
        (model("desciption: d\n"), "did you mean `description`?"),
        (model("materialized: Topic\n"), "did you mean `topic`?"),
        (model("sql: s\nmacro: m\n"), "keep one of `sql` and `macro`"),
        ("model: []\n", "did you mean `models`?"),
    ],
)
def test_a_near_miss_or_an_older_shape_gets_a_suggestion(failure, rest, suggestion):
    assert suggestion in failure(rest).suggestion


def test_an_older_spelling_is_never_suggested(failure):
    assert failure(model("conector: {type: c}\n")).suggestion is None
    assert failure(model("advance: {}\n")).suggestion is None


@pytest.mark.parametrize("version", ["null", "streamt.dev/v1", "", "5"])
def test_any_other_api_version_is_refused(failure, version):
    error = failure(
        main=f'apiVersion: {version}\nproject: {{name: p}}\nruntime: {{kafka: {{bootstrap_servers: "b:1"}}}}'
    )

    assert (error.message, error.location) == ("`apiVersion` must be streamt.dev/v1alpha1", "/apiVersion")


def test_the_place_of_an_unknown_key_is_that_of_the_key(failure):
    assert failure("models:\n  - {name: m, extra: {a: 1}}\n").place == Place("stream_project.yml", 5, 15)


def test_failures_are_found_in_one_pass_with_at_most_twenty_shown(failures):
    found = failures("models:\n" + "".join(f"  - {{name: m{i}, extra: 1}}\n" for i in range(30)))

    assert [error.location for error in found] == [f"/models/{i}/extra" for i in range(20)]


def test_failures_of_main_and_folder_files_point_into_their_files(failures):
    found = failures(
        "models: [{name: a}, {nme: b}]\n", {"models/x.yml": "models:\n  - name: c\n  - name: 5\n"}
    )

    assert [(error.location, str(error.place)) for error in found] == [
        ("/models/1/nme", "stream_project.yml:4:22"),
        ("/models/1/name", "stream_project.yml:4:21"),
        ("/models/3/name", "models/x.yml:3:11"),
    ]


def test_the_kinds_of_the_rule_tables_are_those_that_are_accepted(load, failure):
    assert load(model("materialized: view\n"), kinds=("view",)).project.models[0].materialized == "view"
    assert failure(model("materialized: topic\n"), kinds=("view",)).message == "`materialized` must be view"


def test_a_long_or_unprintable_key_is_shown_short_and_printable(failure):
    assert failure('"\\e[31m": 1\n').message == "the file has no key `\\x1b[31m`"
    assert failure(f"{'k' * 100}: 1\n").message == f"the file has no key `{'k' * 60}...`"
