"""Secrets planted wherever a project can hold one appear in no event, no message and no traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from program import run_streamt

SECRET = "hunter2-s3cr3t"
NAMED = re.compile(r"hunter2")

FILES = {
    ".env": f"BROKER_PASSWORD={SECRET}-dotenv\nOPENLINEAGE_NAMESPACE=jobs\n",
    "macros/copy.sql.j2": f"-- password {SECRET}-macro\nSELECT id FROM {{{{ source(feed) }}}} WHERE k = '{SECRET}-macro'\n",
    "stream_project.yml": f"""
apiVersion: streamt.dev/v1alpha1
project: {{name: vault}}
runtime:
  kafka:
    bootstrap_servers: "broker.example:9092"
    security_protocol: SASL_SSL
    sasl_mechanism: PLAIN
    sasl_username: {SECRET}-user
    sasl_password: ${{BROKER_PASSWORD}}
    ssl_key_password: {SECRET}-key
  schema_registry: {{url: "https://u:{SECRET}-registry@registry.example", username: u, password: {SECRET}-sr}}
  flink: {{default: f, clusters: {{f: {{rest_url: "http://flink.example:8081", api_key: {SECRET}-flink}}}}}}
  connect: {{default: c, clusters: {{c: {{rest_url: "http://u:{SECRET}-c@connect.example:8083", password: {SECRET}-c2}}}}}}
  conduktor:
    gateway: {{admin_url: "http://u:{SECRET}-g@gate.example:8888", proxy_bootstrap: "gate.example:6969", password: {SECRET}-g2}}
connections:
  warehouse: {{type: jdbc, config: {{connection.url: "jdbc:postgresql://u:{SECRET}-jdbc@db/x", connection.password: {SECRET}}}}}
sources:
  - name: raw
    topic: vault.raw
    columns: [{{name: id, type: STRING}}]
    schema: {{definition: '{{"doc": "{SECRET}-definition"}}'}}
models:
  - name: plain
    sql: |
      SELECT id FROM {{{{ source("raw") }}}} WHERE token = '{SECRET}-sql' -- {SECRET}-comment
    columns: [{{name: id, type: STRING}}]
  - name: copied
    macro: copy
    params: {{feed: raw, unused: {SECRET}-param}}
    materialized: flink
    topic: {{config: {{confluent.secret: {SECRET}-topic}}}}
    columns: [{{name: id, type: STRING}}]
  - name: archive
    from: [{{ref: copied}}]
    sink: {{connector: jdbc-sink, connection: warehouse, config: {{password: {SECRET}-sink, aws.secret.key: {SECRET}}}}}
""",
}

FAULTS = {
    "an unknown key beside a password": ("sasl_password:", "sasl_passwrd:"),
    "a password that is no text": (
        "ssl_key_password: hunter2-s3cr3t-key",
        "ssl_key_password: [hunter2-s3cr3t-key]",
    ),
    "a password that YAML reads as a number": ("password: hunter2-s3cr3t-sr", "password: 0x2002"),
    "a connection that sets a decided key": ("connection.password: hunter2-s3cr3t", "topics: hunter2-s3cr3t"),
    "a sink that sets a decided key": ("{password: hunter2-s3cr3t-sink,", "{topics: hunter2-s3cr3t-sink,"),
    "a bootstrap address with user information": (
        "broker.example:9092",
        "u:hunter2-s3cr3t@broker.example:9092",
    ),
    "a list of brokers with user information": ("broker.example:9092", "u:hunter2-s3cr3t@a:9092,b:9092"),
    "a proxy address with user information": ("gate.example:6969", "u:hunter2-s3cr3t@gate.example:6969"),
    "SQL that does not parse": ("-- hunter2-s3cr3t-comment", "{{ hunter2-s3cr3t-comment"),
    "SQL with an unknown function": ("-- hunter2-s3cr3t-comment", '{{ env_var("hunter2-s3cr3t") }}'),
    "SQL that divides by zero": ("-- hunter2-s3cr3t-comment", '{{ "hunter2-s3cr3t" / 0 }}'),
    "an unset variable with a default": ("${BROKER_PASSWORD}", "${UNSET_NAME}${OTHER:-hunter2-s3cr3t}"),
    "a URL of another scheme": ('"https://u:hunter2-s3cr3t-registry@', '"ftp://u:hunter2-s3cr3t-registry@'),
    "a security protocol that is a secret": (
        "security_protocol: SASL_SSL",
        "security_protocol: hunter2-s3cr3t",
    ),
    "a duplicate password": ("sasl_username: hunter2", "sasl_password: hunter2"),
    "YAML that does not parse": ("project: {name: vault}", "project: {name: hunter2-s3cr3t: x: [}"),
    "a macro with an unknown variable": ("feed: raw, unused:", "unused:"),
}

COMMANDS = {
    "export": ("docs", "openlineage"),
    "export as JSON": ("--output", "json", "docs", "openlineage"),
    "validate": ("validate",),
    "compile": ("compile", "--dry-run"),
    "compile as JSON": ("--output", "json", "compile", "--dry-run"),
    "plan": ("plan", "--offline"),
    "plan as JSON": ("--output", "json", "plan", "--offline"),
}


def lay_out(folder: Path, old: str = "", new: str = "") -> Path:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        faulty = name == "stream_project.yml" and old
        assert not faulty or old in text, old
        path.write_text(text.replace(old, new, 1) if faulty else text, "utf-8")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_project_full_of_secrets_shows_none(tmp_path: Path, command: str) -> None:
    done = run_streamt(
        *COMMANDS[command], "-p", lay_out(tmp_path), environment={"VAULT_TOKEN": f"{SECRET}-environment"}
    )

    assert done.exit_status == 0, done.stderr
    assert NAMED.search(done.stdout + done.stderr) is None


def test_the_export_of_that_project_has_its_three_datasets_and_three_jobs(tmp_path: Path) -> None:
    assert run_streamt("docs", "openlineage", "-p", lay_out(tmp_path)).stdout.count("\n") == 6


def test_the_trace_shows_none(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    run_streamt("--trace", trace, "docs", "openlineage", "-p", lay_out(tmp_path / "project"))

    assert trace.stat().st_size > 1000
    assert NAMED.search(trace.read_text("utf-8")) is None


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("command", ["export", "export as JSON"])
def test_no_failure_shows_a_secret_or_a_traceback(tmp_path: Path, fault: str, command: str) -> None:
    done = run_streamt(*COMMANDS[command], "-p", lay_out(tmp_path, *FAULTS[fault]))

    assert done.exit_status == 1, done.stdout
    assert NAMED.search(done.stdout + done.stderr) is None
    assert "Traceback" not in done.stderr
    assert "E590_INTERNAL" not in done.stderr
    assert done.stderr.startswith("ERROR: E50")
