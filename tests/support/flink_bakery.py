"""A project with one job on a real Flink cluster: what it becomes, and what its records are."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
from apache_kafka import SecuredBroker
from applied import apply, told
from brokers import SILENT, until
from confluent_kafka import Consumer
from flink_cluster import FlinkCluster
from program import Done, run_streamt

LIVE = {"CREATED", "RUNNING", "RESTARTING", "INITIALIZING"}


class Bakery:
    """A project with one job, `NAME`, that counts orders by their id; what it has become, and where it runs."""

    def __init__(self, folder: Path, kafka: SecuredBroker, flink: FlinkCluster, stack: ExitStack) -> None:
        self.folder = folder
        self.kafka, self.flink = kafka, flink
        self.client = stack.enter_context(httpx.Client(timeout=30, trust_env=False, base_url=flink.rest_url))
        self.name = f"counted-{uuid.uuid4().hex[:8]}"
        self.orders = kafka.new_topic()
        self.declares: dict[str, Any] = {}
        self.runtime: dict[str, Any] = {
            "kafka": {"bootstrap_servers": kafka.address},
            "flink": {
                "default": "mill",
                "clusters": {"mill": {"rest_url": flink.rest_url, "sql_gateway_url": flink.sql_gateway_url}},
            },
        }

    @property
    def job(self) -> str:
        return self.name

    def write(self, **declares: Any) -> None:
        """Write the project; what is declared otherwise stays so."""
        self.declares |= declares
        model = {
            "name": self.name,
            "materialized": "flink",
            "topic": {"name": self.name, "partitions": 1, "replication_factor": 1},
            "primary_key": ["id"],
            "columns": [{"name": "id", "type": "STRING"}, {"name": "orders", "type": "BIGINT"}],
            "sql": 'SELECT id, COUNT(*) AS orders FROM {{ source("orders") }} GROUP BY id',
            **self.declares,
        }
        columns = [{"name": "id", "type": "STRING"}, {"name": "loaves", "type": "BIGINT"}]
        document = {
            "apiVersion": "streamt.dev/v1alpha1",
            "project": {"name": "bakery"},
            "runtime": self.runtime,
            "sources": [{"name": "orders", "topic": self.orders, "columns": columns}],
            "models": [model],
        }
        self.folder.mkdir(exist_ok=True)
        (self.folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")

    def plan(self, *arguments: str | Path) -> Done:
        return run_streamt("--output", "json", "plan", "-p", self.folder, *arguments)

    def apply(self, *arguments: str | Path) -> Done:
        return apply(self.folder, *arguments)

    def applied(self, *arguments: str | Path) -> None:
        done = self.apply(*arguments)
        assert done.exit_status == 0, done.stdout

    def jobs(self, *states: str) -> list[dict[str, Any]]:
        """Return the jobs of this name, in these states or in any."""
        found = self.client.get("/jobs/overview").json()["jobs"]
        named = [job for job in found if job["name"] == self.job]
        return [job for job in named if not states or job["state"] in states]

    def live(self) -> dict[str, Any]:
        (job,) = self.jobs(*LIVE)
        return job

    def cancel(self) -> None:
        for job in self.jobs(*LIVE):
            self.client.patch(f"/jobs/{job['jid']}")
        until(lambda: not [job for job in self.jobs() if job["end-time"] == -1])

    def order(self, *names: str) -> None:
        self.kafka.produce(self.orders, [json.dumps({"id": name, "loaves": 1}).encode() for name in names])

    def counts(self, name: str, expected: int) -> list[int]:
        """Return what was counted of a name, once the expected number is."""

        def counted(values: list[Any]) -> list[int]:
            return [value["orders"] for value in values if value is not None and value["id"] == name]

        return counted(self._read(lambda values: counted(values)[-1:] == [expected]))

    def values(self, last: Any) -> list[Any]:
        """Return all that was written, once it ends with this."""
        return self._read(lambda values: values[-1:] == [last])

    def first(self, count: int) -> list[Any]:
        """Return all that was written, once it is this much."""
        return self._read(lambda values: len(values) >= count)

    def _read(self, enough: Callable[[list[Any]], bool]) -> list[Any]:
        consumer = Consumer(
            self.kafka.client(group_id=uuid.uuid4().hex, auto_offset_reset="earliest"), logger=SILENT
        )
        consumer.subscribe([self.name])
        read: list[Any] = []

        def done() -> bool:
            message = consumer.poll(0.2)
            if message is not None and message.error() is None:
                value = message.value()
                read.append(None if value is None else json.loads(value))
            return enough(read)

        try:
            until(done, seconds=60)
        finally:
            consumer.close()
        return read

    def restored_from(self) -> str | None:
        """Return the savepoint that the job which runs was restored from."""
        told = self.client.get(f"/jobs/{self.live()['jid']}/checkpoints").json()["latest"]["restored"]
        return told and str(told["external_path"])

    def savepoint_of(self, job: str) -> str:
        """Return the last savepoint of a job."""
        told = self.client.get(f"/jobs/{job}/checkpoints").json()["latest"]["savepoint"]
        return str(told["external_path"])


def blockers(done: Done) -> list[str]:
    assert done.exit_status == 0, done.stdout
    return [one["code"] for one in told(done)["data"]["safety_blockers"]]


def message(done: Done) -> str:
    (error,) = told(done)["errors"]
    assert error["code"] == "E407_DEPLOY_ERROR"
    text: str = error["message"]
    return text


def recovered(bakery: Bakery, resolution: str) -> None:
    """Recover what an apply left, as the plan of the recovery says."""
    path = bakery.folder / f"{uuid.uuid4()}.recovery"
    where = ("-p", bakery.folder)
    planned = run_streamt("state", "recovery-plan", *where, "--resolution", resolution, "--out", path)
    assert planned.exit_status == 0, planned.stderr
    plan = json.loads(path.read_text("utf-8"))
    done = run_streamt(
        *("state", "recover", *where, "--plan", path, "--confirm-operation-id", plan["blocked_operation_id"]),
        *("--confirm-resolution", resolution, "--confirm-evidence-checksum", plan["evidence_checksum"]),
    )
    assert done.exit_status == 0, done.stderr
