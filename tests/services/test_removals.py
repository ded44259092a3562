"""Connectors removed from a real Kafka Connect worker, by a project whose state is in PostgreSQL."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from apache_kafka import SecuredBroker
from applied import codes, told
from connect_worker import ConnectWorker
from postgres_projects import SharedState, shared_state
from postgres_server import PostgresServer
from program import Done
from services import until

CLASS = "org.apache.kafka.connect.file.FileStreamSinkConnector"
PLANTED = "planted-hunter2"


class Shop:
    """A project with a file sink, and then without it."""

    def __init__(
        self, folder: Path, state: SharedState, kafka: SecuredBroker, worker: ConnectWorker, topic: str
    ) -> None:
        self.name = f"old-{uuid.uuid4().hex[:8]}"
        self.connector = f"/connectors/{self.name}"
        self.ask = worker.ask
        self.plan = folder.parent / "removal.plan"
        self._folder, self._state, self._topic = folder, state, topic
        self._file = worker.folder / f"{self.name}.txt"
        self._runtime = {
            "kafka": {"bootstrap_servers": kafka.address},
            "connect": {"clusters": {"main": {"rest_url": worker.rest_url}}},
        }

    def writes(self, **more: Any) -> None:
        document = {
            "apiVersion": "streamt.dev/v1alpha1",
            "project": {"name": "shop"},
            "runtime": self._runtime,
            "deployment_state": self._state.block,
            "sources": [{"name": "orders", "topic": self._topic}],
            **more,
        }
        self._folder.mkdir(exist_ok=True)
        (self._folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")

    def declares(self) -> None:
        config = {"file": str(self._file), "unknown.password": PLANTED}
        model = {"name": self.name, "from": [{"source": "orders"}], "connect_cluster": "main"}
        self.writes(models=[{**model, "sink": {"connector": CLASS, "config": config}}])

    def removes(self) -> None:
        removal = {"logical_owner": self.name, "name": self.name, "cluster": "main"}
        self.writes(lifecycle={"connector_removals": [removal]})

    def runs(self, *arguments: str | Path) -> Done:
        done = self._state.streamt(*arguments, "-p", self._folder)
        assert PLANTED not in done.stdout + done.stderr
        return done

    def succeeds(self, *arguments: str | Path) -> dict[str, Any]:
        done = self.runs(*arguments)
        assert done.exit_status == 0, done.stdout
        data: dict[str, Any] = told(done)["data"]
        return data

    def init(self) -> None:
        self.declares()
        assert self._state.init(self._folder).exit_status == 0

    def owned(self) -> list[str]:
        return self._state.names(self._folder)

    def exists(self) -> bool:
        return self.ask("GET", self.connector).status_code == httpx.codes.OK

    def settings(self) -> dict[str, str]:
        """Return the configuration of the connector as the worker has it."""
        told_of: dict[str, str] = self.ask("GET", f"{self.connector}/config").json()
        return told_of


@pytest.fixture
def shop(
    tmp_path: Path,
    apache_kafka: SecuredBroker,
    connect_worker: ConnectWorker,
    postgres_server: PostgresServer,
) -> Iterator[Shop]:
    """Return a project whose connector runs and is to be removed."""
    topic = apache_kafka.new_topic()
    state = shared_state(postgres_server)
    made = Shop(tmp_path / "shop", state, apache_kafka, connect_worker, topic)
    made.init()
    assert made.succeeds("apply")["created"] == [f"connector:{made.name}"]
    made.removes()
    yield made
    if made.exists():
        made.ask("DELETE", made.connector)
    admin = apache_kafka.admin()  # held: what it was asked ends with it
    admin.delete_topics([topic])[topic].result(30)


def test_a_connector_is_removed_and_seen_to_be_gone(shop: Shop) -> None:
    shop.succeeds("plan", "--out", shop.plan)
    assert PLANTED not in shop.plan.read_text("utf-8")

    data = shop.succeeds("apply", "--plan", shop.plan, "--force")

    assert data["deleted"] == [f"connector:{shop.name}"]
    assert (shop.exists(), shop.owned()) == (False, [])
    again = shop.succeeds("plan", "--out", shop.plan)
    assert [one["verdict"] for one in again["connector_removal_assessments"]] == ["removed"]


def test_a_connector_that_was_removed_is_declared_again_and_is_a_new_one(shop: Shop) -> None:
    shop.succeeds("plan", "--out", shop.plan)
    shop.succeeds("apply", "--plan", shop.plan, "--force")

    shop.declares()
    data = shop.succeeds("apply")

    assert data["created"] == [f"connector:{shop.name}"]
    assert (shop.exists(), shop.owned()) == (True, [shop.name])


def test_a_connector_that_somebody_changed_since_is_kept(shop: Shop) -> None:
    shop.succeeds("plan", "--out", shop.plan)
    changed = {**shop.settings(), "errors.tolerance": "all"}
    assert shop.ask("PUT", f"{shop.connector}/config", changed).is_success
    until(lambda: shop.settings() == changed)

    done = shop.runs("apply", "--plan", shop.plan, "--force")

    assert codes(done) == ["E409_PLAN_STALE"]
    assert shop.exists()
    assert shop.owned() == [shop.name]


def test_a_connector_that_is_gone_is_forgotten(shop: Shop) -> None:
    assert shop.ask("DELETE", shop.connector).is_success
    until(lambda: not shop.exists())
    shop.succeeds("plan", "--out", shop.plan)

    data = shop.succeeds("apply", "--plan", shop.plan)

    assert (data["deleted"], data["forgotten"], shop.owned()) == ([], [f"connector:{shop.name}"], [])
