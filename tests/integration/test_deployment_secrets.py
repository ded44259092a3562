"""Planted secrets are in nothing that a deployment, a crash and its recovery write or say."""

from __future__ import annotations

import base64
import json
import os
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest
from applied import JOBS, to_log
from brokers import Broker
from dying import die
from program import run_streamt
from recovered import confirmations

SECRETS = {
    name: f"planted-{name}/+secret"
    for name in ("sasl", "registry", "connect", "jdbc", "sink", "topic", "url")
}
SPELLINGS = {
    spelling
    for secret in SECRETS.values()
    for spelling in (
        secret,
        json.dumps(secret)[1:-1].replace("/", "\\/"),
        urllib.parse.quote(secret, safe=""),
        base64.b64encode(secret.encode()).decode(),
    )
}


@pytest.fixture
def names(broker: Broker) -> Iterator[list[str]]:
    made = [f"t-{os.urandom(6).hex()}-{number}" for number in range(2)]
    yield made
    admin = broker.admin()
    for gone in admin.delete_topics([*(broker.topics() & {*made})]).values():
        gone.result(30)


def write(folder: Path, names: list[str], address: str, **config: str) -> Path:
    """Write a project that has a secret wherever there is room for one."""
    folder.mkdir(exist_ok=True)
    document = {
        "apiVersion": "streamt.dev/v1alpha1",
        "project": {"name": "shop"},
        "runtime": {
            "kafka": {
                "bootstrap_servers": address,
                "security_protocol": "PLAINTEXT",
                "sasl_username": "user",
                "sasl_password": "${SASL}",
            },
            "schema_registry": {
                "url": "http://registry.invalid:8081",
                "username": "user",
                "password": SECRETS["registry"],
            },
            "connect": {
                "default": "c",
                "clusters": {"c": {"rest_url": f"http://u:{SECRETS['url']}@connect.invalid"}},
            },
        },
        "connections": {"house": {"type": "jdbc", "config": {"connection.password": SECRETS["jdbc"]}}},
        "models": [
            {"name": names[0], "materialized": "topic", "topic": {"partitions": 1}},
            {
                "name": names[1],
                "materialized": "topic",
                "topic": {
                    "partitions": 1,
                    "config": {name.replace("_", "."): value for name, value in config.items()},
                },
            },
            {
                "name": "archive",
                "ownership": {"mode": "external"},
                "from": [{"ref": names[0]}],
                "sink": {
                    "connector": "jdbc-sink",
                    "connection": "house",
                    "config": {"aws.secret.key": SECRETS["sink"], "remark": f"password={SECRETS['sink']}"},
                },
            },
        ],
    }
    (folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")
    (folder / ".env").write_text(f"SASL={SECRETS['sasl']}\n", "utf-8")
    return folder


def test_no_planted_secret_is_in_a_file_an_event_or_a_message(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    folder = write(tmp_path / "p", names, broker.address)
    left = tmp_path / "left"
    left.mkdir()
    log, plan, recovery = left / "log.jsonl", left / "plan.json", left / "recovery.json"
    said: list[str] = []

    def run(*arguments: str | Path) -> int:
        worst = 0
        for mode in ((), ("--output", "json")):
            done = run_streamt(*mode, "--verbose", *arguments, environment=to_log(log))
            said.append(done.stdout + done.stderr)
            worst = max(worst, done.exit_status)
        return worst

    where = ("-p", folder)
    assert run("plan", *where, "--out", plan) == 0
    assert run("apply", *where, "--plan", plan, "--dry-run") == 0
    killed = die("after execute 0", "apply", *where, *JOBS, environment=to_log(log))
    said.append((killed.stdout + killed.stderr).decode())
    assert killed.returncode == -9
    assert run("state", "status", *where) == 0
    assert run("apply", *where) == 1
    planned = run_streamt("state", "recovery-plan", *where, "--resolution", "observed", "--out", recovery)
    said.append(planned.stdout + planned.stderr)
    confirmed = confirmations(json.loads(recovery.read_text("utf-8")))
    assert run("state", "recover", *where, "--plan", recovery, *confirmed) == 0
    write(folder, names, broker.address, sasl_jaas_config=SECRETS["topic"], cleanup_policy="nonsense")
    assert run("plan", *where, "--out", left / "second.json") == 0
    assert run("apply", *where, *JOBS) == 1
    write(folder, names, "broker.invalid:9092")
    assert run("plan", *where) == 1

    files = [path for path in (*left.rglob("*"), *folder.glob(".streamt/**/*")) if path.is_file()]
    assert {"log.jsonl", "plan.json", "recovery.json"} <= {path.name for path in files}
    assert {"default.control.json", "default.recovery-history.json"} <= {path.name for path in files}
    texts = [*said, *(path.read_text("utf-8") for path in files)]
    assert [spelling for spelling in SPELLINGS if any(spelling in text for text in texts)] == []
    assert names[0] in "".join(said)
