"""The example of payments, end to end on real servers: deployed, fed, tested, described, changed, and taken down.

Apache Kafka, a Flink cluster with its SQL Gateway, Kafka Connect, and PostgreSQL for the state. Each test is a step
of one story: it goes on where the one before it ended, so they run in their order, and a failure ends the story.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from apache_kafka import SecuredBroker
from applied import events, told
from brokers import until
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from connect_worker import ConnectWorker
from flink_cluster import FlinkCluster
from postgres_server import PostgresServer
from program import Done, run_streamt

EVENT_TIME = "2026-01-02T03:04:05Z"
JOBS = "https://lineage.example/namespaces/prod"
RAW, CLEAN = "payments.raw.v1", "payments.clean.v1"
SQL = 'SELECT payment_id FROM {{ source("payments_raw") }}'


class Story:
    """One project in one folder, and what it runs on."""

    def __init__(
        self,
        folder: Path,
        kafka: SecuredBroker,
        flink: FlinkCluster,
        connect: ConnectWorker,
        dsn: str,
    ) -> None:
        self.folder = folder
        self.kafka, self.flink, self.connect = kafka, flink, connect
        self.log = folder / "lineage.jsonl"
        self.file = connect.folder / "payments.txt"
        self.plan = folder / "plan.json"
        self.environment = {
            "STATE_DSN": dsn,
            "KAFKA": kafka.address,
            "FLINK": flink.rest_url,
            "SQL": flink.sql_gateway_url,
            "CONNECT": connect.rest_url,
            "OPENLINEAGE_NAMESPACE": JOBS,
            "OPENLINEAGE__TRANSPORT__TYPE": "file",
            "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(self.log),
        }

    def write(self, *, sql: str = SQL, sink: bool = True, **more: Any) -> None:
        """Write the project of the example, with its runtime, a sink and a test."""
        models: list[dict[str, Any]] = [
            {
                "name": "payments_clean",
                "materialized": "topic",
                "sql": sql,
                "description": "Validated payment stream",
                "owner": "payments-platform",
                "topic": {"name": CLEAN},
                "contract": {
                    "enforced": True,
                    "columns": [{"name": "payment_id", "type": "STRING", "nullable": False}],
                },
            }
        ]
        if sink:
            models.append(
                {
                    "name": "payments_file",
                    "materialized": "sink",
                    "from": [{"ref": "payments_clean"}],
                    "sink": {
                        "connector": "org.apache.kafka.connect.file.FileStreamSinkConnector",
                        "config": {
                            "file": str(self.file),
                            "tasks.max": 1,
                            "value.converter": "org.apache.kafka.connect.storage.StringConverter",
                        },
                    },
                }
            )
        document = {
            "apiVersion": "streamt.dev/v1alpha1",
            "project": {"name": "payments-streams", "version": "2.3.0"},
            "runtime": {
                "kafka": {"bootstrap_servers": "${KAFKA}"},
                "flink": {
                    "default": "main",
                    "clusters": {"main": {"rest_url": "${FLINK}", "sql_gateway_url": "${SQL}"}},
                },
                "connect": {"default": "main", "clusters": {"main": {"rest_url": "${CONNECT}"}}},
            },
            "deployment_state": {
                "backend": "postgres",
                "namespace": "payments",
                "postgres": {"dsn_env": "STATE_DSN"},
            },
            "sources": [
                {
                    "name": "payments_raw",
                    "topic": RAW,
                    "description": "Raw payment events",
                    "owner": "payments-platform",
                    "columns": [{"name": "payment_id", "type": "STRING"}],
                }
            ],
            "models": models,
            "tests": [
                {
                    "name": "payments_are_named",
                    "model": "payments_clean",
                    "type": "sample",
                    "assertions": [{"not_null": {"columns": ["payment_id"]}}],
                }
            ],
            **more,
        }
        (self.folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")

    def run(self, *arguments: str | Path) -> Done:
        """Run a command in JSON mode; `-p` is added."""
        return run_streamt("--output", "json", *arguments, "-p", self.folder, environment=self.environment)

    def pay(self, *names: str) -> None:
        """Write payments into the raw topic."""
        producer = Producer({"bootstrap.servers": self.kafka.address})
        for name in names:
            producer.produce(RAW, json.dumps({"payment_id": name}).encode())
        assert producer.flush(30) == 0

    def clean(self) -> list[str]:
        """Return the names of the payments in the clean topic, in their order."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.kafka.address,
                "group.id": f"reader-{uuid4()}",
                "auto.offset.reset": "earliest",
                "enable.partition.eof": True,
            }
        )
        consumer.subscribe([CLEAN])
        found: list[str] = []
        try:
            while True:
                message = consumer.poll(30)
                assert message is not None
                if message.error():
                    return found
                value = message.value()
                assert value is not None
                found.append(json.loads(value)["payment_id"])
        finally:
            consumer.close()

    def written(self) -> list[str]:
        """Return the names of the payments that the connector wrote, in their order."""
        lines = self.file.read_text("utf-8").splitlines() if self.file.exists() else []
        return [json.loads(line)["payment_id"] for line in lines]

    def running(self) -> dict[str, str]:
        """Return the jobs of the cluster by name, with their states; the latest of a name counts."""
        jobs = _get(f"{self.flink.rest_url}/jobs/overview")["jobs"]
        return {job["name"]: job["state"] for job in sorted(jobs, key=lambda job: job["start-time"])}

    def tables(self) -> tuple[list[str], list[str]]:
        """Return the tables that the running job reads, and those that it writes, by its plan on the cluster."""
        jobs = _get(f"{self.flink.rest_url}/jobs/overview")["jobs"]
        (job,) = [
            one for one in jobs if one["name"] == "payments_clean_processor" and one["state"] == "RUNNING"
        ]
        nodes = _get(f"{self.flink.rest_url}/jobs/{job['jid']}/plan")["plan"]["nodes"]
        told_of = " ".join(node["description"] for node in nodes)
        read = set(re.findall(r"default_database, (\w+)]]", told_of))
        written = set(re.findall(r"(\w+)\[\d+\]: Writer", told_of))
        return sorted(read), sorted(written)

    def lineage(self) -> list[tuple[str, str]]:
        """Return the type of each run event and the last part of its job's name, in their order."""
        return [(event["eventType"], event["job"]["name"].rpartition("/")[2]) for event in events(self.log)]


def _get(url: str) -> Any:
    answer = httpx.get(url, timeout=30, trust_env=False)
    answer.raise_for_status()
    return answer.json()


def _json(done: Done) -> Mapping[str, Any]:
    assert done.exit_status == 0, done.stdout + done.stderr
    data: Mapping[str, Any] = told(done)["data"]
    return data


@pytest.fixture(scope="module")
def story(
    tmp_path_factory: pytest.TempPathFactory,
    apache_kafka: SecuredBroker,
    flink_cluster: FlinkCluster,
    connect_worker: ConnectWorker,
    postgres_server: PostgresServer,
) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("payments")
    admin = AdminClient({"bootstrap.servers": apache_kafka.address})
    admin.create_topics([NewTopic(RAW, 1, 1)])[RAW].result(30)
    until(lambda: RAW in apache_kafka.topics())
    told_story = Story(folder, apache_kafka, flink_cluster, connect_worker, postgres_server.new_database())
    told_story.write()
    yield told_story
    for job in _get(f"{flink_cluster.rest_url}/jobs/overview")["jobs"]:
        if job["name"].startswith("payments_clean") and job["state"] == "RUNNING":
            httpx.patch(f"{flink_cluster.rest_url}/jobs/{job['jid']}", timeout=30, trust_env=False)


def test_the_state_is_set_up_once(story: Story) -> None:
    address = "streamt-state://postgres/payments/payments-streams/default"
    database = story.environment["STATE_DSN"].rpartition("/")[2]
    confirmed = ("--confirm-database", database, "--confirm-schema", "streamt", "--confirm-address", address)

    done = story.run("state", "init", *confirmed)

    assert _json(done)["outcome"] == "initialized"


def test_an_apply_makes_the_topic_the_job_and_the_connector(story: Story) -> None:
    data = _json(story.run("apply", "--emit-openlineage"))

    assert data["created"] == [
        f"topic:{CLEAN}",
        "flink_job:payments_clean_processor",
        "connector:payments_file",
    ]
    assert story.running()["payments_clean_processor"] == "RUNNING"
    status = story.connect.ask("GET", "/connectors/payments_file/status").json()
    assert [status["connector"]["state"], *(task["state"] for task in status["tasks"])] == ["RUNNING"] * 2


def test_payments_flow_from_the_raw_topic_through_the_job_and_the_connector_into_a_file(story: Story) -> None:
    story.pay("p-1", "p-2", "p-3")

    until(lambda: story.written() == ["p-1", "p-2", "p-3"], seconds=60)
    assert story.clean() == ["p-1", "p-2", "p-3"]


def test_the_test_of_what_came_out_passes(story: Story) -> None:
    data = _json(story.run("test", "--emit-openlineage"))

    assert (data["passed"], data["failed"], data["total"]) == (1, 0, 1)


def test_both_commands_tell_of_their_runs_in_one_file(story: Story) -> None:
    assert story.lineage() == [
        ("START", "apply"),
        ("COMPLETE", "apply"),
        ("START", "test"),
        ("COMPLETE", "test"),
    ]
    runs = [event["run"]["runId"] for event in events(story.log)]
    assert (runs[0], runs[2]) == (runs[1], runs[3])
    assert runs[0] != runs[2]


def test_the_lineage_describes_exactly_what_runs(story: Story) -> None:
    done = run_streamt(
        "docs", "openlineage", "-p", story.folder, "--event-time", EVENT_TIME, environment=story.environment
    )
    described = [json.loads(line) for line in done.stdout.splitlines()]
    kafka = f"kafka://{story.kafka.address}"
    jobs = {
        event["job"]["name"]: (
            [(one["namespace"], one["name"]) for one in event.get("inputs", ())],
            [(one["namespace"], one["name"]) for one in event.get("outputs", ())],
        )
        for event in described
        if "job" in event
    }

    assert [(event["dataset"]["namespace"], event["dataset"]["name"]) for event in described[:2]] == [
        (kafka, CLEAN),
        (kafka, RAW),
    ]
    assert jobs == {
        "streamt/payments-streams/models/payments_clean": ([(kafka, RAW)], [(kafka, CLEAN)]),
        "streamt/payments-streams/models/payments_file": ([(kafka, CLEAN)], []),
    }
    # What the services say of themselves: the topics that the connector and the job really work with.
    touched = {"payments_file": {"topics": [CLEAN]}}
    until(lambda: story.connect.ask("GET", "/connectors/payments_file/topics").json() == touched)
    assert story.tables() == (["payments_raw"], ["payments_clean"])


def test_a_second_apply_changes_nothing(story: Story) -> None:
    data = _json(story.run("apply"))

    assert (data["created"], data["updated"], data["deleted"]) == ([], [], [])
    assert len(data["unchanged"]) == 3
    assert story.clean() == ["p-1", "p-2", "p-3"]


def test_another_query_is_not_put_into_a_running_job_by_itself(story: Story) -> None:
    story.write(sql=f"{SQL} WHERE payment_id <> 'p-test'")

    plan = _json(story.run("plan"))
    refused = story.run("apply", "--force")

    assert [blocker["code"] for blocker in plan["safety_blockers"]] == ["flink_update_requires_savepoint"]
    assert [error["code"] for error in told(refused)["errors"]] == ["E417_SAFETY_BLOCKED"]
    assert story.running()["payments_clean_processor"] == "RUNNING"


def test_a_reviewed_change_goes_on_where_the_job_was_stopped(story: Story) -> None:
    plan = _json(story.run("plan", "--flink-savepoint", "--out", story.plan))
    assert [(one["kind"], one["action"]) for one in plan["changes"]] == [("flink_job", "update")]

    kept = {*story.flink.savepoints.iterdir()}

    data = _json(story.run("apply", "--plan", story.plan, "--emit-openlineage"))

    assert data["updated"] == ["flink_job:payments_clean_processor"]
    assert story.running()["payments_clean_processor"] == "RUNNING"
    assert len({*story.flink.savepoints.iterdir()} - kept) == 1
    story.pay("p-test", "p-4")
    until(lambda: story.written() == ["p-1", "p-2", "p-3", "p-4"], seconds=60)
    assert story.clean() == ["p-1", "p-2", "p-3", "p-4"]  # nothing twice, nothing left out


def test_a_reviewed_removal_takes_the_connector_away_and_nothing_else(story: Story) -> None:
    tombstone = {"logical_owner": "payments_file", "name": "payments_file", "cluster": "main"}
    story.write(
        sql=f"{SQL} WHERE payment_id <> 'p-test'",
        sink=False,
        lifecycle={"connector_removals": [tombstone]},
    )
    plan = _json(story.run("plan", "--out", story.plan))
    assert [(one["kind"], one["name"], one["action"]) for one in plan["changes"]] == [
        ("connector", "payments_file", "delete")
    ]
    locked = story.run("apply", "--plan", story.plan)
    assert [error["code"] for error in told(locked)["errors"]] == ["E503_ENVIRONMENT_ERROR"]

    data = _json(story.run("apply", "--plan", story.plan, "--force", "--emit-openlineage"))

    assert data["deleted"] == ["connector:payments_file"]
    assert "payments_file" not in story.connect.ask("GET", "/connectors").json()
    assert story.running()["payments_clean_processor"] == "RUNNING"
    assert story.clean() == ["p-1", "p-2", "p-3", "p-4"]
    assert story.lineage()[4:] == [("START", "apply"), ("COMPLETE", "apply")] * 2


def test_after_all_of_it_the_state_knows_what_is_left(story: Story) -> None:
    story.write(sql=f"{SQL} WHERE payment_id <> 'p-test'", sink=False)

    plan = _json(story.run("plan"))
    status = _json(story.run("state", "status"))

    assert (plan["has_changes"], plan["is_apply_blocked"]) == (False, False)
    assert sorted(one["resource_id"] for one in status["resources"]) == [
        "streamt://payments-streams/default/flink_job/payments_clean",
        "streamt://payments-streams/default/topic/payments_clean",
    ]
    assert status["operation_status"]["status"] == "clear"
