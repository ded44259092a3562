"""How jobs log in: in what is submitted alone, and no part of what a job is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checked import packaged_rules
from flink_jobs import (
    FLINK,
    KAFKA,
    LARGE,
    ORDERS,
    changed,
    continuous,
    graph_of,
    job_of,
    options,
    problems,
    submitted,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamt_ol.deploy.flink_sql.logins import login_options, login_secrets
from streamt_ol.deploy.flink_sql.records import JobDefinition
from streamt_ol.services.errors import SslFileError

SHADED = "org.apache.flink.kafka.shaded.org.apache.kafka.common.security"
LOGIN = {
    **KAFKA,
    "sasl_mechanism": "SCRAM-SHA-512",
    "sasl_username": "job",
    "sasl_password": "planted-secret",
}


@pytest.fixture
def pem(tmp_path: Path) -> dict[str, str]:
    """Return the files of a runtime with certificates."""
    texts = {"ca": "CERTIFICATE", "certificate": "CERTIFICATE", "key": "ENCRYPTED PRIVATE KEY"}
    for name, kind in texts.items():
        (tmp_path / name).write_text(f"-----BEGIN {kind}-----\n{name}\n-----END {kind}-----\n\n", "ascii")
    return {f"ssl_{name}_location": str(tmp_path / name) for name in texts}


def logged_in(**kafka: Any) -> dict[str, str]:
    """Return the options that log a table in, without the word in front."""
    chosen = login_options({"kafka": {**KAFKA, **kafka}}, "json", packaged_rules())
    assert [name for name in chosen if not name.startswith("properties.")] == []
    return {name.removeprefix("properties."): value for name, value in chosen.items()}


def test_an_open_broker_is_asked_without_a_login(tmp_path: Path) -> None:
    graph = graph_of(tmp_path)

    assert submitted(graph) == job_of(graph).statements
    assert logged_in() == {}


@pytest.mark.parametrize(
    ("mechanism", "module"),
    [
        ("PLAIN", "plain.PlainLoginModule"),
        ("SCRAM-SHA-256", "scram.ScramLoginModule"),
        ("SCRAM-SHA-512", "scram.ScramLoginModule"),
    ],
)
def test_a_password_is_for_the_client_inside_flinks_connector(mechanism: str, module: str) -> None:
    assert logged_in(sasl_mechanism=mechanism, sasl_username="job", sasl_password="planted-secret") == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": f'{SHADED}.{module} required username="job" password="planted-secret";',
    }


def test_a_password_in_the_clear_is_sent_only_where_the_runtime_says_so() -> None:
    login = {**LOGIN, "security_protocol": "sasl_plaintext"}

    assert logged_in(**login)["security.protocol"] == "SASL_PLAINTEXT"


def test_certificates_are_handed_over_as_texts(pem: dict[str, str]) -> None:
    def text(name: str, kind: str) -> str:
        return f"-----BEGIN {kind}-----\n{name}\n-----END {kind}-----"

    assert logged_in(**pem, ssl_key_password="planted-secret") == {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": text("ca", "CERTIFICATE"),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": text("certificate", "CERTIFICATE"),
        "ssl.keystore.key": text("key", "ENCRYPTED PRIVATE KEY"),
        "ssl.key.password": "planted-secret",
    }
    assert sorted(logged_in(**{**pem, "ssl_certificate_location": None})) == [
        "security.protocol",
        "ssl.truststore.certificates",
        "ssl.truststore.type",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "names a file that cannot be read: No such file or directory"),
        (
            "-----BEGIN RSA PRIVATE KEY-----",
            "names a file without a key in PKCS #8 form, which Kafka's Java client needs",
        ),
        ("schlüssel", "names a file that is not in PEM form"),
    ],
)
def test_a_key_that_cannot_be_handed_over_is_said_and_not_shown(
    pem: dict[str, str], tmp_path: Path, text: str | None, said: str
) -> None:
    key = tmp_path / "other"
    if text is not None:
        key.write_text(text, "utf-8")
    with pytest.raises(SslFileError) as caught:
        logged_in(**{**pem, "ssl_key_location": str(key)})

    assert (caught.value.code, caught.value.location) == ("E405_SSL_ERROR", "/runtime/kafka/ssl_key_location")
    assert caught.value.message == f"`ssl_key_location` {said}"


REGISTRY = {"url": "https://registry.example"}


@pytest.mark.parametrize(
    ("registry", "user"),
    [
        ({**REGISTRY, "username": "job", "password": "planted-secret"}, "job:planted-secret"),
        ({"url": "https://job:planted%2Fsecret@registry.example"}, "job:planted/secret"),
        ({"url": "https://job:old@registry.example", "password": "planted-secret"}, "job:planted-secret"),
        (REGISTRY, None),
    ],
)
def test_a_login_at_the_registry_is_that_of_tables_in_avro_alone(
    tmp_path: Path, registry: dict[str, str], user: str | None
) -> None:
    source = changed(ORDERS, schema={"format": "avro"})
    graph = graph_of(tmp_path, sources=[source], runtime={"schema_registry": registry})
    read, written, _insert = submitted(graph)
    login = {
        "value.avro-confluent.basic-auth.credentials-source": "USER_INFO",
        "value.avro-confluent.basic-auth.user-info": user,
    }

    plain = [options(statement) for statement in job_of(graph).statements[:2]]
    assert options(read) == {**plain[0], **(login if user else {})}
    assert options(read)["value.avro-confluent.url"] == "https://registry.example"
    assert options(written) == plain[1]


def test_a_table_that_only_counts_logs_in_nowhere(tmp_path: Path) -> None:
    test = {
        "name": "fit",
        "model": "orders",
        "type": "continuous",
        "assertions": [{"not_null": {"columns": ["id"]}}],
    }
    graph = graph_of(tmp_path, tests=[test], runtime={"kafka": LOGIN})
    read, counted, _insert = submitted(graph, "test_fit")

    assert options(read)["properties.sasl.mechanism"] == "SCRAM-SHA-512"
    assert options(counted) == {"connector": "blackhole"}


def test_a_job_that_is_blocked_has_nothing_to_submit(tmp_path: Path) -> None:
    assert submitted(graph_of(tmp_path, models=[changed(LARGE, columns=None)])) == ()


@pytest.mark.parametrize(
    ("kafka", "problem", "place", "said"),
    [
        ({"sasl_mechanism": "GSSAPI"}, "flink_login", "/runtime/kafka/sasl_mechanism", "by GSSAPI"),
        ({"sasl_mechanism": "OAUTHBEARER"}, "flink_login", "/runtime/kafka/sasl_mechanism", "by OAUTHBEARER"),
        (
            {"security_protocol": "SASL_SSL", "sasl_username": "u", "sasl_password": "p"},
            "flink_login",
            "/runtime/kafka",
            "no sasl_mechanism",
        ),
        (
            {"sasl_mechanism": "PLAIN", "sasl_username": "u"},
            "flink_login",
            "/runtime/kafka",
            "no sasl_password",
        ),
        ({"ssl_certificate_location": "/c"}, "flink_login", "/runtime/kafka", "no ssl_key_location"),
    ],
)
def test_a_login_that_a_job_cannot_make_is_said(
    tmp_path: Path, kafka: dict[str, str], problem: str, place: str, said: str
) -> None:
    job = job_of(graph_of(tmp_path, runtime={"kafka": {**KAFKA, **kafka}}))

    assert problems(job) == [(problem, place)]
    assert said in job.problems[0].message


def test_how_a_job_logs_in_is_no_part_of_what_it_is(tmp_path: Path, pem: dict[str, str]) -> None:
    runtimes = [
        LOGIN,
        {**LOGIN, "sasl_password": "planted-other", "sasl_username": "b"},
        {**KAFKA, **pem},
        KAFKA,
    ]
    jobs = [job_of(graph_of(tmp_path / str(n), runtime={"kafka": kafka})) for n, kafka in enumerate(runtimes)]

    assert len({job.fingerprint for job in jobs}) == 1
    assert len({job.statements for job in jobs}) == 1
    assert [
        job for job in jobs if "planted" in "".join((*job.statements, repr(job), *job.settings.values()))
    ] == []


def test_a_registry_may_be_asked_as_another(tmp_path: Path) -> None:
    def of(url: str) -> str:
        source = changed(ORDERS, schema={"format": "avro"})
        return job_of(
            graph_of(tmp_path, sources=[source], runtime={"schema_registry": {"url": url}})
        ).fingerprint

    assert (
        of("https://a:planted-one@r.example")
        == of("https://b:planted-two@r.example")
        != of("https://s.example")
    )


CHANGES: dict[str, dict[str, Any]] = {
    "sql": {"models": [changed(LARGE, sql=LARGE["sql"].replace("10", "11"))]},
    "column": {
        "models": [changed(LARGE, columns=[*LARGE["columns"][:1], {"name": "loaves", "type": "INT"}])]
    },
    "topic": {"models": [changed(LARGE, topic={"name": "shop.larger"})]},
    "key": {"models": [changed(LARGE, key="id")]},
    "primary key": {"models": [changed(LARGE, primary_key=["id"])]},
    "option": {"models": [changed(LARGE, flink={"parallelism": 2})]},
    "input's topic": {"sources": [changed(ORDERS, topic="shop.orders.v2")]},
    "input's column": {
        "sources": [changed(ORDERS, columns=[*ORDERS["columns"], {"name": "x", "type": "INT"}])]
    },
    "event time": {"sources": [changed(ORDERS, event_time={"column": "at"})]},
    "brokers": {"runtime": {"kafka": {"bootstrap_servers": "other.example:9092"}}},
    "project": {"project": {"name": "other"}},
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_the_definition_changes_its_fingerprint(tmp_path: Path, change: str) -> None:
    before, after = job_of(graph_of(tmp_path / "a")), job_of(graph_of(tmp_path / "b", **CHANGES[change]))

    assert before.problems == after.problems == ()
    assert before.fingerprint != after.fingerprint
    assert len(after.fingerprint) == len("sha256:") + 64


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_the_order_of_declarations_is_no_part_of_a_job(tmp_path: Path, data: st.DataObject) -> None:
    sources = [changed(ORDERS, name=name, topic=f"shop.{name}") for name in ("orders", "a", "b", "c")]
    sql = "SELECT id, loaves FROM {} UNION ALL SELECT id, loaves FROM {} UNION ALL SELECT id, loaves FROM {}"
    calls = ['{{ source("a") }}', '{{ source("b") }}', '{{ source("c") }}']
    block = {"parallelism": 2, "state_ttl_ms": 5, "checkpoint_interval_ms": 10}
    other = changed(LARGE, name="other", topic={"name": "other"})

    def job(order: Callable[[list[Any]], list[Any]]) -> JobDefinition:
        model = changed(LARGE, sql=sql.format(*calls), flink=dict(order(list(block.items()))))
        return job_of(graph_of(tmp_path, sources=order(sources), models=order([model, other])))

    assert job(lambda values: data.draw(st.permutations(values))) == job(list)


def test_a_test_that_is_written_otherwise_is_another_job(tmp_path: Path) -> None:
    jobs = [continuous(tmp_path, {"range": {"column": "loaves", "min": least}}) for least in (1, 2)]

    assert jobs[0].fingerprint != jobs[1].fingerprint
    assert FLINK["default"] == jobs[0].cluster


def test_a_password_in_an_address_is_a_secret_as_it_stands_there_and_as_statements_have_it() -> None:
    registry = {"url": "https://job:planted%2Fsecret@registry.example"}

    assert set(login_secrets({"schema_registry": registry})) == {"planted%2Fsecret", "planted/secret"}


def test_secrets_are_known_as_they_stand_in_logins_and_in_literals() -> None:
    secrets = set(login_secrets({"kafka": {"sasl_password": "it's", "ssl_key_password": 'a"b'}}))

    assert secrets == {"it's", "it''s", 'a"b', 'a\\"b'}


@pytest.mark.parametrize("runtime", [{}, {"schema_registry": {"url": "http://[broken"}}])
def test_without_a_password_there_are_no_secrets(runtime: dict[str, Any]) -> None:
    assert login_secrets(runtime) == ()
