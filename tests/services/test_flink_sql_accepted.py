"""What a project compiles to is SQL that Flink takes: every example, every kind of table, and real records."""

from __future__ import annotations

import functools
import json
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest
from apache_kafka import KEY_PASSWORD, SecuredBroker
from brokers import SILENT, until
from checked import KINDS, packaged_rules
from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from flink_cluster import FlinkCluster
from flink_jobs import LARGE, ORDERS, changed, continuous, graph_of, job_of, large, submitted
from gateway_session import RefusedStatementError, gateway_session, running_job
from golden_cases import GOLDEN
from secured_runtimes import login, tls, with_certificate

from streamt_ol.compiler.artifacts import build_artifacts
from streamt_ol.compiler.compiling import compile_project
from streamt_ol.deploy.flink_sql.job import job_definition
from streamt_ol.deploy.flink_sql.records import JobDefinition
from streamt_ol.ground.errors import Failures, StreamtError
from streamt_ol.project.load import load_project

AMOUNTS = "Incompatible types for sink column 'force' at position 0."
CHANGES = "doesn't support consuming update changes which is produced by node GroupAggregate"
REFUSED = {
    ("bakery-plans", "large_orders"): CHANGES,
    ("forge-runtime", "promised_processor"): AMOUNTS,
    ("forge-runtime", "typed_processor"): AMOUNTS,
    ("power-meter", "looped"): "Sort on a non-time-attribute field is not supported.",
    ("power-meter", "trimmed_processor"): 'Encountered "kw" at line 2',
    ("tram-macros", "late_trams"): "Column 'stop_id' not found in table 'l'",
    ("weather-shapes", "counted"): "Column 'speed' not found in any table",
    ("weather-shapes", "declared_topic_processor"): "Column 'speed' not found in any table",
    ("weather-shapes", "distinct"): CHANGES,
    ("weather-shapes", "grouped"): CHANGES,
    ("weather-shapes", "ordered"): "Sort on a non-time-attribute field is not supported.",
    ("weather-shapes", "predicted"): "No match found for function signature ML_PREDICT",
    ("weather-shapes", "ranked"): "Window 'w' not found",
    ("weather-shapes", "windowed"): "Invalid number of arguments to function 'TUMBLE'",
}
"""The jobs of examples whose own SQL is not right for Flink, and what Flink says of it: examples are of other things."""


@functools.cache
def examples() -> dict[tuple[str, str], JobDefinition]:
    """Return the jobs of all examples that declare what a job needs, in the first of their environments."""
    found = {}
    for folder in sorted(GOLDEN.glob("*/project")):
        environments = sorted(path.stem for path in folder.glob("environments/*.yml"))
        chosen = environments[0] if environments else None
        try:
            project = load_project(
                folder, environment=chosen, process_environment={}, materializations=KINDS
            ).project
            graph = compile_project(project, packaged_rules())
        except (StreamtError, Failures):
            continue  # an example of a project that cannot be compiled
        for artifact in build_artifacts(graph, packaged_rules())["flink_jobs"]:
            job = job_definition(artifact, graph, packaged_rules())
            if not job.blocked:
                found[folder.parent.name, job.name] = job
    return found


@pytest.mark.parametrize("example", examples(), ids="/".join)
def test_flink_takes_the_jobs_of_every_example(flink_cluster: FlinkCluster, example: tuple[str, str]) -> None:
    with gateway_session(flink_cluster) as session:
        if example in REFUSED:
            with pytest.raises(RefusedStatementError) as caught:
                session.explain(examples()[example].statements)
            assert REFUSED[example] in str(caught.value)
        else:
            assert "Optimized Execution Plan" in session.explain(examples()[example].statements)


def test_no_example_is_expected_to_be_refused_that_is_not_there() -> None:
    assert set(REFUSED) <= set(examples())
    assert len(examples()) > len(REFUSED) > 0


def window(**source: Any) -> dict[str, Any]:
    """Return a project with a window over the event time of `orders`."""
    sql = (
        "SELECT window_start AS `from`, SUM(loaves) AS loaves FROM TABLE(TUMBLE(TABLE {{ source('orders') }}, "
        "DESCRIPTOR(`at`), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"
    )
    declared = [{"name": "from", "type": "TIMESTAMP(3)"}, {"name": "loaves", "type": "BIGINT"}]
    return {"sources": [changed(ORDERS, **source)], "models": [changed(LARGE, sql=sql, columns=declared)]}


@pytest.mark.parametrize(
    "watermark",
    [
        None,
        {"max_out_of_orderness_ms": 0},
        {"max_out_of_orderness_ms": 86_399_999_999},
        {"strategy": "monotonously_increasing"},
        {"strategy": "custom", "expression": "`at` - INTERVAL '1' HOUR -- a quiet hour"},
    ],
)
def test_flink_takes_every_kind_of_watermark(
    flink_cluster: FlinkCluster, tmp_path: Path, watermark: dict[str, Any] | None
) -> None:
    project = window(event_time={"column": "at", "watermark": watermark})

    with gateway_session(flink_cluster) as session:
        assert "watermark=[" in session.explain(job_of(graph_of(tmp_path, **project)).statements)


@pytest.mark.parametrize(
    "kind", ["TIMESTAMP(3)", "TIMESTAMP_LTZ(0)", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP(1) NOT NULL"]
)
def test_flink_agrees_about_the_types_of_event_times(
    flink_cluster: FlinkCluster, tmp_path: Path, kind: str
) -> None:
    declared = [*ORDERS["columns"][:2], {"name": "at", "type": kind}]
    job = large(tmp_path, source={"columns": declared, "event_time": {"column": "at"}})

    with gateway_session(flink_cluster) as session:
        assert "watermark=[" in session.explain(job.statements)


@pytest.mark.parametrize(
    "key", ["id", "a;b", "it's", " padded ", '"quoted"', "[listed]", "größe", "order", "tick`ed"]
)
@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_flink_takes_keys_of_any_name(
    flink_cluster: FlinkCluster, tmp_path: Path, key: str, mode: str
) -> None:
    declared = [{"name": key, "type": "STRING"}, {"name": "loaves", "type": "BIGINT"}]
    source = {"columns": declared}
    sql = "SELECT * FROM {{ source('orders') }}"
    job = large(
        tmp_path, source=source, columns=declared, sql=sql, primary_key=[key], flink={"changelog_mode": mode}
    )

    with gateway_session(flink_cluster) as session:
        assert "Sink(table=" in session.explain(job.statements)


def test_flink_reads_what_it_upserts_and_tests_it(flink_cluster: FlinkCluster, tmp_path: Path) -> None:
    counted = changed(
        LARGE, primary_key=["id"], sql="SELECT id, COUNT(*) AS loaves FROM {{ source('orders') }} GROUP BY id"
    )
    contract = {"columns": [{"name": "id", "nullable": False}, {"name": "loaves", "nullable": False}]}
    copied = changed(
        LARGE, name="copied", topic={"name": "c"}, primary_key=["id"], sql=None, contract=contract
    )
    copied["from"] = [{"ref": "large"}]
    test = {
        "name": "fit",
        "model": "copied",
        "type": "continuous",
        "assertions": [{"not_null": {"columns": ["id"]}}],
    }
    graph = graph_of(tmp_path, models=[counted, copied], tests=[test])

    for name in ("large", "copied", "test_fit"):
        with gateway_session(flink_cluster) as session:
            plan = session.explain(job_of(graph, name).statements)
        assert "Sink(table=" in plan
    assert "IS NULL" in plan  # a column that is said to be never null would have made it a test of nothing


def test_flink_takes_every_assertion(flink_cluster: FlinkCluster, tmp_path: Path) -> None:
    job = continuous(
        tmp_path,
        {"not_null": {"columns": ["id", "at"]}},
        {"accepted_values": {"column": "id", "values": ["it's", "\\", "größe; --"]}},
        {"accepted_values": {"column": "loaves", "values": [-1, 10**12]}},
        {"range": {"column": "loaves", "min": -0.5, "max": "1e3"}},
        {"accepted_types": {"types": {"id": "DECIMAL(10, 2)"}}},
        {"custom_sql": {"where": "loaves > 5 -- many"}},
    )

    with gateway_session(flink_cluster) as session:
        assert "Sink(table=" in session.explain(job.statements)


def test_a_job_runs_with_the_options_of_its_model(
    flink_cluster: FlinkCluster, broker: SecuredBroker, tmp_path: Path
) -> None:
    options = {
        "parallelism": 2,
        "checkpoint_interval_ms": 12_345,
        "checkpoint": {
            "timeout_ms": 54_321,
            "min_pause_ms": 7,
            "mode": "at_least_once",
            "externalized": True,
            "unaligned": False,
        },
        "state_backend": "hashmap",
        "restart_strategy": {"attempts": 3, "delay_ms": 500},
    }
    graph = shop(tmp_path, broker, {"bootstrap_servers": broker.address}, flink=options)
    job = job_of(graph)
    with running_job(flink_cluster, job.statements, job.settings) as identity:
        url = f"{flink_cluster.rest_url}/jobs/{identity}"
        config = httpx.get(f"{url}/config", timeout=60, trust_env=False).json()
        checkpoints = httpx.get(f"{url}/checkpoints/config", timeout=60, trust_env=False).json()

    assert config["name"] == "large"
    assert config["execution-config"]["job-parallelism"] == 2
    assert "PT0.5S). #3" in config["execution-config"]["restart-strategy"]
    assert {name: checkpoints[name] for name in ("mode", "interval", "timeout", "min_pause")} == {
        "mode": "at_least_once",
        "interval": 12_345,
        "timeout": 54_321,
        "min_pause": 7,
    }
    assert checkpoints["externalization"] == {"enabled": True, "delete_on_cancellation": False}
    assert checkpoints["state_backend"] == "HashMapStateBackend"


def shop(folder: Path, broker: SecuredBroker, kafka: dict[str, Any], **model: Any) -> Any:
    """Return the graph of `orders` and `large` on new topics of a broker."""
    source = changed(ORDERS, topic=broker.new_topic())
    target = changed(LARGE, topic={"name": broker.new_topic()}, **model)
    return graph_of(folder, sources=[source], models=[target], runtime={"kafka": kafka})


def records(broker: SecuredBroker, topic: str, count: int) -> list[dict[str, Any]]:
    """Return the first values of a topic, once there are that many."""
    consumer = Consumer(broker.client(group_id="tests", enable_auto_commit=False), logger=SILENT)
    consumer.assign([TopicPartition(topic, 0, 0)])
    read: list[dict[str, Any]] = []

    def enough() -> bool:
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            read.append(json.loads(message.value()))
        return len(read) == count

    try:
        until(enough)
    finally:
        consumer.close()
    return read


def order(name: str, loaves: int) -> bytes:
    return json.dumps({"id": name, "loaves": loaves, "at": "2026-01-02 03:04:05"}).encode()


ODD_PASSWORD = 'planted "odd" \\secret\\; it\'s = {"größe"}'


def odd_login(broker: SecuredBroker) -> dict[str, Any]:
    """Return a login whose password has whatever could end a text in one of the languages around it."""
    user = f"odd-{uuid.uuid4().hex[:8]}"
    added = UserScramCredentialUpsertion(
        user, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), ODD_PASSWORD.encode()
    )
    admin = broker.admin()  # held: what it was asked ends with it
    for future in admin.alter_user_scram_credentials([added]).values():
        future.result(30)
    odd = {**login(broker), "sasl_username": user, "sasl_password": ODD_PASSWORD}
    client = AdminClient({key.replace("_", "."): value for key, value in odd.items()}, logger=SILENT)
    until(lambda: bool(client.list_topics(timeout=10).brokers), KafkaException)  # it is not known at once
    return odd


def open_certificate(broker: SecuredBroker, folder: Path) -> dict[str, Any]:
    """Return the login of a certificate whose key has no password."""
    key = load_pem_private_key(broker.files["client_key"].read_bytes(), KEY_PASSWORD.encode())
    file = folder / "key.pem"
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    named = {**with_certificate(broker), "ssl_key_location": str(file)}
    return {name: value for name, value in named.items() if name != "ssl_key_password"}


@pytest.mark.parametrize("way", ["tls", "certificate", "login", "odd login"])
def test_records_flow_over_a_secured_connection(
    flink_cluster: FlinkCluster, broker: SecuredBroker, tmp_path: Path, way: str
) -> None:
    ways = {
        "tls": lambda: tls(broker),
        "certificate": lambda: open_certificate(broker, tmp_path),
        "login": lambda: login(broker),
        "odd login": lambda: odd_login(broker),
    }
    graph = shop(tmp_path, broker, ways[way]())
    source, target = graph.sources[0].topic, graph.models[0].topic_name
    broker.produce(source, [order("small", 1), order("big", 11), order("huge", 99)])

    with running_job(flink_cluster, submitted(graph), job_of(graph).settings):
        assert records(broker, target, 2) == [{"id": "big", "loaves": 11}, {"id": "huge", "loaves": 99}]


def test_what_flink_says_against_a_job_has_no_password(
    flink_cluster: FlinkCluster, broker: SecuredBroker, tmp_path: Path
) -> None:
    graph = graph_of(
        tmp_path,
        models=[changed(LARGE, sql="SELECT id, nobody AS loaves FROM {{ source('orders') }}")],
        runtime={"kafka": login(broker)},
    )

    with gateway_session(flink_cluster) as session, pytest.raises(RefusedStatementError) as caught:
        session.explain(submitted(graph))

    assert "Column 'nobody' not found" in str(caught.value)
    assert "planted" not in str(caught.value)


def test_what_breaks_a_test_arrives_in_its_dead_letter_topic(
    flink_cluster: FlinkCluster, broker: SecuredBroker, tmp_path: Path
) -> None:
    source, letters = broker.new_topic(), broker.new_topic()
    test = {
        "name": "fit",
        "model": "orders",
        "type": "continuous",
        "assertions": [
            {"not_null": {"columns": ["id"]}},
            {"accepted_values": {"column": "loaves", "values": [1, 2]}},
        ],
        "on_failure": {"actions": [{"dlq": {"topic": letters}}]},
    }
    kafka = {"bootstrap_servers": broker.address}
    graph = graph_of(
        tmp_path, sources=[changed(ORDERS, topic=source)], tests=[test], runtime={"kafka": kafka}
    )
    nameless = json.dumps({"loaves": 1}).encode()
    broker.produce(source, [order("fine", 1), order("odd", 3), nameless, order("fine", 2), order("odd", 4)])

    with running_job(flink_cluster, job_of(graph, "test_fit").statements, job_of(graph, "test_fit").settings):
        assert records(broker, letters, 3) == [
            {"id": "odd", "loaves": 3, "at": "2026-01-02 03:04:05"},
            {"id": None, "loaves": 1, "at": None},
            {"id": "odd", "loaves": 4, "at": "2026-01-02 03:04:05"},
        ]
