"""What Flink itself says of the lineage of deployed jobs, through OpenLineage's listener, is what an export says.

The listener is in a Flink cluster of its own, and sends its events to a server of the tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from apache_kafka import SecuredBroker
from brokers import until
from flink_cluster import FlinkCluster, flink_cluster
from lineage_servers import Receiver, answering
from program import Done, run_streamt
from services import SERVICES, jars

JAR = "openlineage-flink-*.jar"
FACTORY = "io.openlineage.flink.listener.OpenLineageJobStatusChangedListenerFactory"
ORDERS = [
    {"name": "id", "type": "STRING"},
    {"name": "who", "type": "STRING"},
    {"name": "price", "type": "DECIMAL(10,2)"},
]
Event = dict[str, Any]
Datasets = set[tuple[str, str]]


@dataclass(frozen=True)
class Listening:
    """A Flink cluster with the listener, what the listener sent, and the file that configures it."""

    cluster: FlinkCluster
    receiver: Receiver
    file: Path

    def configure(self, more: Event | None = None) -> None:
        """Write the configuration, which the listener reads for each job."""
        transport = {"type": "http", "url": self.receiver.url}
        self.file.write_text(yaml.safe_dump({"transport": transport, **(more or {})}), "utf-8")

    def starts(self, jobs: Sequence[str]) -> list[Event]:
        """Return the one event of the start of each of these jobs, and cancel them: a cluster has few slots."""
        until(lambda: all(map(self._starts, jobs)))
        events = []
        with httpx.Client(timeout=30, trust_env=False) as client:
            for job in jobs:
                (event,) = self._starts(job)
                number = event["run"]["facets"]["flink_job"]["jobId"]
                client.patch(f"{self.cluster.rest_url}/jobs/{number}").raise_for_status()
                events.append(event)
        return events

    def _starts(self, job: str) -> list[Event]:
        events = [json.loads(body) for body in tuple(self.receiver.bodies)]
        return [one for one in events if (one["eventType"], one["job"]["name"]) == ("START", job)]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    folder = tmp_path_factory.mktemp("flink-listener")
    plugged = list(jars(SERVICES / "flink-listener", JAR).glob(JAR))
    options = {"execution.job-status-changed-listeners": FACTORY}
    with (
        answering(201) as receiver,
        flink_cluster(folder, plugged=plugged, options=options) as cluster,
    ):
        yield Listening(cluster, receiver, folder / "openlineage.yml")


@pytest.fixture
def listening(running: Listening) -> Listening:
    running.configure()
    return running


class Shop:
    """A project about orders, on Kafka and on the cluster with the listener; its topics have names of their own."""

    def __init__(self, folder: Path, kafka: SecuredBroker, listening: Listening) -> None:
        self.folder, self.listening = folder, listening
        self.orders = kafka.new_topic()
        self.kafka: dict[str, str] = {"bootstrap_servers": kafka.address}
        self.port = kafka.address.rpartition(":")[2]
        self.source: dict[str, Any] = {"columns": ORDERS}

    def topic(self, model: str) -> str:
        return f"{self.orders}-{model}"

    def model(self, name: str, sql: str, columns: Sequence[object] = ORDERS, **more: Any) -> dict[str, Any]:
        block = {"name": self.topic(name)}
        return {"name": name, "materialized": "flink", "topic": block, "sql": sql, "columns": columns, **more}

    def write(self, *models: dict[str, Any]) -> None:
        urls = {
            "rest_url": self.listening.cluster.rest_url,
            "sql_gateway_url": self.listening.cluster.sql_gateway_url,
        }
        document = {
            "apiVersion": "streamt.dev/v1alpha1",
            "project": {"name": "shop"},
            "runtime": {"kafka": self.kafka, "flink": {"default": "main", "clusters": {"main": urls}}},
            "sources": [{"name": "orders", "topic": self.orders, **self.source}],
            "models": list(models),
        }
        (self.folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")

    def deployed(self, *models: dict[str, Any]) -> list[Event]:
        """Apply the project, and return what the listener says of each job."""
        self.write(*models)
        done = run_streamt("apply", "-p", self.folder, "--confirm")
        assert done.exit_status == 0, done.stdout + done.stderr
        return self.listening.starts([model["name"] for model in models])

    def export(self, *arguments: str) -> Done:
        return run_streamt("docs", "openlineage", "-p", self.folder, "--job-namespace", "jobs", *arguments)

    def exported(self, *arguments: str) -> list[Event]:
        done = self.export(*arguments)
        assert done.exit_status == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def shop(tmp_path: Path, apache_kafka: SecuredBroker, listening: Listening) -> Shop:
    return Shop(tmp_path, apache_kafka, listening)


def edges(event: Event) -> tuple[Datasets, Datasets]:
    """Return the inputs and the outputs of an event about a job."""
    inputs, outputs = (
        {(one["namespace"], one["name"]) for one in event[side]} for side in ("inputs", "outputs")
    )
    return inputs, outputs


def job(events: Sequence[Event], model: str) -> Event:
    """Return what an export says of the job of a model."""
    (event,) = [
        one for one in events if "job" in one and one["job"]["name"] == f"streamt/shop/models/{model}"
    ]
    return event


def fields(dataset: Event) -> list[tuple[str, str | None]]:
    """Return the names and types that a dataset is said to have."""
    return [(one["name"], one.get("type")) for one in dataset["facets"]["schema"]["fields"]]


def described(events: Sequence[Event], topic: str) -> Event:
    """Return what an export says of a topic."""
    (dataset,) = [one["dataset"] for one in events if "dataset" in one and one["dataset"]["name"] == topic]
    found: Event = dataset
    return found


COPY = "SELECT id, who, price FROM {{ source('orders') }}"


def test_an_export_has_the_datasets_and_edges_that_flink_tells_of(shop: Shop) -> None:
    latest = "SELECT who, id FROM {{ source('orders') }}"
    joined = (
        "SELECT l.id, p.who FROM {{ ref('listener_large') }} AS l"
        " JOIN {{ ref('listener_latest') }} AS p ON l.who = p.who"
    )
    large, people, both = shop.deployed(
        shop.model("listener_large", f"{COPY} WHERE price > 10"),
        shop.model("listener_latest", latest, [ORDERS[1], ORDERS[0]], primary_key=["who"]),
        shop.model("listener_joined", joined, ORDERS[:2], primary_key=["id"]),
    )
    exported = shop.exported()
    cluster = f"kafka://{shop.kafka['bootstrap_servers']}"
    orders = {(cluster, shop.orders)}
    outputs = {
        name: {(cluster, shop.topic(name))}
        for name in ("listener_large", "listener_latest", "listener_joined")
    }

    assert edges(large) == edges(job(exported, "listener_large")) == (orders, outputs["listener_large"])
    assert edges(people) == edges(job(exported, "listener_latest")) == (orders, outputs["listener_latest"])
    assert (
        edges(both)
        == edges(job(exported, "listener_joined"))
        == (outputs["listener_large"] | outputs["listener_latest"], outputs["listener_joined"])
    )
    assert both["job"]["namespace"] == "flink-jobs"


def test_the_listener_names_the_first_broker_as_a_refusal_says(shop: Shop) -> None:
    shop.kafka["bootstrap_servers"] = f"127.0.0.1:{shop.port},localhost:{shop.port}"
    (event,) = shop.deployed(shop.model("listener_of_brokers", COPY))
    refused = shop.export()
    first = f"kafka://127.0.0.1:{shop.port}"

    assert edges(event) == ({(first, shop.orders)}, {(first, shop.topic("listener_of_brokers"))})
    assert refused.exit_status == 1
    assert refused.stdout == ""
    assert (
        f"the Flink 2 OpenLineage listener would say {first} (the first broker, as written)" in refused.stderr
    )


def test_the_resolver_that_a_refusal_shows_gives_both_one_identity(shop: Shop) -> None:
    shop.kafka["bootstrap_servers"] = f"127.0.0.1:{shop.port},localhost:{shop.port}"
    shop.write(shop.model("listener_resolved", COPY))
    shown = re.search(
        r"dataset\.namespaceResolvers\.IDENTITY = (\{[^{}]*\})", " ".join(shop.export().stderr.split())
    )
    assert shown is not None
    resolver = yaml.safe_load(shown[1])
    shop.listening.configure({"dataset": {"namespaceResolvers": {"mill": resolver}}})
    (event,) = shop.deployed(shop.model("listener_resolved", COPY))
    identity = f"kafka://mill:{shop.port}"

    assert resolver == {"type": "hostList", "schema": "kafka", "hosts": ["127.0.0.1", "localhost"]}
    assert (
        edges(event)
        == edges(job(shop.exported("--kafka-namespace", identity), "listener_resolved"))
        == ({(identity, shop.orders)}, {(identity, shop.topic("listener_resolved"))})
    )


def test_an_export_is_given_the_internal_address_where_jobs_use_it(shop: Shop) -> None:
    shop.kafka["bootstrap_servers_internal"] = f"localhost:{shop.port}"
    (event,) = shop.deployed(shop.model("listener_inside", COPY))
    internal = f"kafka://localhost:{shop.port}"
    expected = ({(internal, shop.orders)}, {(internal, shop.topic("listener_inside"))})

    assert edges(event) == expected
    assert edges(job(shop.exported(), "listener_inside")) != expected
    assert edges(job(shop.exported("--kafka-namespace", internal), "listener_inside")) == expected


def test_the_listener_leaves_out_computed_columns_and_writes_types_as_flink_does(shop: Shop) -> None:
    columns = [*ORDERS, {"name": "box", "type": "row<a int>"}]
    shop.source = {"columns": [*columns, {"name": "now", "proctime": True}]}
    sql = COPY.replace("price", "price, box")
    (event,) = shop.deployed(shop.model("listener_typed", sql, columns, primary_key=["id"]))
    exported = shop.exported()
    as_flink_does = [("who", "STRING"), ("price", "DECIMAL(10, 2)"), ("box", "ROW<`a` INT>")]
    as_declared = [
        ("id", "STRING"),
        ("who", "STRING"),
        ("price", "DECIMAL(10,2)"),
        ("box", "row<a int>"),
    ]

    assert fields(event["inputs"][0]) == [("id", "STRING"), *as_flink_does]
    assert fields(event["outputs"][0]) == [("id", "STRING NOT NULL"), *as_flink_does]
    assert fields(described(exported, shop.orders)) == [*as_declared, ("now", None)]
    assert fields(described(exported, shop.topic("listener_typed"))) == as_declared


def test_the_listener_says_of_every_description_that_it_is_empty(shop: Shop) -> None:
    shop.source["description"] = "What was ordered"
    (event,) = shop.deployed(shop.model("listener_described", COPY))

    assert event["inputs"][0]["facets"]["documentation"]["description"] == ""
    assert described(shop.exported(), shop.orders)["facets"]["documentation"]["description"] == (
        "What was ordered"
    )


def test_the_listener_says_nothing_of_descriptions_where_their_facet_is_disabled(shop: Shop) -> None:
    shop.listening.configure({"facets": {"documentation": {"disabled": True}}})
    (event,) = shop.deployed(shop.model("listener_silent", COPY))

    assert [set(one["facets"]) for one in event["inputs"] + event["outputs"]] == [
        {"schema", "symlinks"},
        {"schema", "symlinks"},
    ]
