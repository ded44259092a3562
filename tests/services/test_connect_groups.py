"""Connectors on workers that share them: changes that make them rebalance, and a leader that is lost."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from apache_kafka import SecuredBroker
from applied import told
from checked import packaged_rules
from connect_worker import ConnectWorker, connect_worker
from program import run_streamt

from streamt_ol.deploy.providers.connect.provider import Connectors
from streamt_ol.deploy.records import Action, Surface

FILE_SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
RUNS = "RUNNING, 1 task RUNNING"


class Pair(NamedTuple):
    """Two workers of one group; the first has led it since before the second came."""

    leader: ConnectWorker
    other: ConnectWorker


@pytest.fixture
def pair(apache_kafka: SecuredBroker, tmp_path: Path) -> Iterator[Pair]:
    group = f"pair-{uuid.uuid4().hex[:8]}"
    folders = tmp_path / "leader", tmp_path / "other"
    for folder in folders:
        folder.mkdir()
    with (
        connect_worker(folders[0], apache_kafka.address, group) as leader,
        connect_worker(folders[1], apache_kafka.address, group) as other,
    ):
        yield Pair(leader, other)


def project(folder: Path, kafka: SecuredBroker, topic: str, worker: ConnectWorker, **settings: Any) -> Path:
    """Write a project with six sinks of two tasks each."""
    models = [
        {
            "name": f"sink-{number}",
            "from": [{"source": "orders"}],
            "ownership": {"mode": "managed"},
            "sink": {
                "connector": FILE_SINK,
                "config": {"file": str(folder / f"{number}.txt"), "tasks.max": 2, **settings},
            },
        }
        for number in range(6)
    ]
    document = {
        "apiVersion": "streamt.dev/v1alpha1",
        "project": {"name": "shop"},
        "runtime": {
            "kafka": {"bootstrap_servers": kafka.address},
            "connect": {"default": "main", "clusters": {"main": {"rest_url": worker.rest_url}}},
        },
        "sources": [{"name": "orders", "topic": topic}],
        "models": models,
    }
    folder.mkdir(exist_ok=True)
    (folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")
    return folder


def apply(folder: Path) -> dict[str, Any]:
    done = run_streamt("--output", "json", "apply", "-p", folder)
    assert done.exit_status == 0, done.stdout + done.stderr
    data: dict[str, Any] = told(done)["data"]
    return data


def test_six_connectors_go_through_while_workers_rebalance(
    pair: Pair, apache_kafka: SecuredBroker, tmp_path: Path
) -> None:
    names = [f"connector:sink-{number}" for number in range(6)]
    topic = apache_kafka.new_topic()
    folder = project(tmp_path / "p", apache_kafka, topic, pair.other, enabled=True, ratio=1.5, unset=None)

    made = apply(folder)
    project(folder, apache_kafka, topic, pair.other, enabled=False)
    changed = apply(folder)

    assert (made["created"], changed["updated"]) == (names, names)
    assert made["seen"] == changed["seen"] == dict.fromkeys(names, "RUNNING, 2 tasks RUNNING")


def test_changes_outlast_the_loss_of_the_worker_that_leads(
    pair: Pair, apache_kafka: SecuredBroker, tmp_path: Path
) -> None:
    connectors = Connectors(
        {"connect": {"clusters": {"main": {"rest_url": pair.other.rest_url}}}}, packaged_rules()
    )
    first = surface(apache_kafka.new_topic(), tmp_path / "1.txt")
    second: Surface = {"config": {**first["config"], "tasks.max": "1"}}

    pair.leader.service.process.kill()
    pair.leader.service.process.wait(30)

    assert connectors.execute(action("create", None, first)) == RUNS
    assert connectors.execute(action("update", first, second)) == RUNS
    assert pair.other.ask("GET", "/connectors/sink").json()["config"] == second["config"]


def surface(topic: str, file: Path) -> Surface:
    return {
        "config": {"name": "sink", "connector.class": FILE_SINK, "topics": topic, "file": str(file)},
    }


def action(verb: str, before: Surface | None, after: Surface | None) -> Action:
    return Action(
        0, "streamt://shop/default/connector/sink", "connector", verb, "sink", before, after, "main"
    )
