"""Each server that the tests start answers as what it is; and a record goes through all of what they share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from apache_kafka import SecuredBroker
from brokers import SILENT, until
from confluent_kafka import Consumer, TopicPartition
from connect_worker import ConnectWorker
from flink_cluster import SLOTS, FlinkCluster

FINISHED = {"FINISHED", "ERROR", "CANCELED", "CLOSED", "TIMEOUT"}


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=30, trust_env=False) as asking:
        yield asking


class Session:
    """A session of the SQL Gateway, asked as its documentation says, with nothing of the program."""

    def __init__(self, client: httpx.Client, cluster: FlinkCluster) -> None:
        self._client = client
        opened = client.post(f"{cluster.sql_gateway_url}/v3/sessions", json={})
        self._url = f"{cluster.sql_gateway_url}/v3/sessions/{opened.json()['sessionHandle']}"

    def run(self, statement: str) -> dict[str, Any]:
        submitted = self._client.post(f"{self._url}/statements", json={"statement": statement})
        operation = f"{self._url}/operations/{submitted.json()['operationHandle']}"
        until(lambda: self._client.get(f"{operation}/status").json()["status"] in FINISHED)
        result = self._client.get(f"{operation}/result/0")
        assert result.status_code == httpx.codes.OK, result.text
        answer: dict[str, Any] = result.json()
        return answer


def table(name: str, topic: str, broker: SecuredBroker) -> str:
    options = {
        "connector": "kafka",
        "topic": topic,
        "properties.bootstrap.servers": broker.address,
        "properties.group.id": topic,
        "scan.startup.mode": "earliest-offset",
        "format": "json",
    }
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    return f"CREATE TABLE `{name}` (`id` BIGINT, `amount` DOUBLE) WITH ({listed})"


def order(number: int, amount: float) -> bytes:
    return json.dumps({"id": number, "amount": amount}, separators=(",", ":")).encode()


def values(broker: SecuredBroker, topic: str, count: int) -> list[bytes]:
    """Return the first values of a topic, once there are that many."""
    consumer = Consumer(broker.client(group_id="tests", enable_auto_commit=False), logger=SILENT)
    consumer.assign([TopicPartition(topic, 0, 0)])
    read: list[bytes] = []

    def enough() -> bool:
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            read.append(message.value())
        return len(read) == count

    try:
        until(enough)
    finally:
        consumer.close()
    return read


def test_kafka_is_4_3_1(apache_kafka: SecuredBroker) -> None:
    log = apache_kafka.service.log  # written when it has started, and it answers before that
    until(lambda: "Kafka version: 4.3.1" in log.read_text("utf-8"))


def test_a_connect_worker_is_4_3_1_and_of_the_shared_broker(
    connect_worker: ConnectWorker, apache_kafka: SecuredBroker
) -> None:
    told = connect_worker.ask("GET", "/").json()

    assert (told["version"], told["kafka_cluster_id"]) == (
        "4.3.1",
        apache_kafka.admin().list_topics(timeout=10).cluster_id,
    )


def test_a_connect_worker_writes_a_topic_into_its_folder(
    connect_worker: ConnectWorker, apache_kafka: SecuredBroker
) -> None:
    topic = apache_kafka.new_topic()
    apache_kafka.produce(topic, [b'"a record"'])
    written = connect_worker.folder / f"{topic}.txt"
    config = {
        "connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
        "topics": topic,
        "file": str(written),
    }
    created = connect_worker.ask("PUT", f"/connectors/{topic}/config", config)

    assert created.status_code == httpx.codes.CREATED
    until(lambda: written.read_text("utf-8") == "a record\n", FileNotFoundError)
    assert connect_worker.ask("DELETE", f"/connectors/{topic}").status_code == httpx.codes.NO_CONTENT


def test_a_flink_cluster_is_2_2_1_with_its_slots(client: httpx.Client, flink_cluster: FlinkCluster) -> None:
    told = client.get(f"{flink_cluster.rest_url}/overview").json()

    assert (told["flink-version"], told["taskmanagers"], told["slots-total"]) == ("2.2.1", 1, SLOTS)


def test_a_sql_gateway_is_of_flink_2_2_1(client: httpx.Client, flink_cluster: FlinkCluster) -> None:
    told = client.get(f"{flink_cluster.sql_gateway_url}/info").json()

    assert told == {"productName": "Apache Flink", "version": "2.2.1"}


def test_a_job_of_the_sql_gateway_filters_from_topic_to_topic_and_goes_on_from_its_savepoint(
    client: httpx.Client, flink_cluster: FlinkCluster, apache_kafka: SecuredBroker
) -> None:
    raw, clean = apache_kafka.new_topic(), apache_kafka.new_topic()
    apache_kafka.produce(raw, [order(1, 5.0), order(2, -1.0), order(3, 7.0)])
    session = Session(client, flink_cluster)
    session.run(table("raw", raw, apache_kafka))
    session.run(table("clean", clean, apache_kafka))
    insert = "INSERT INTO `clean` SELECT `id`, `amount` FROM `raw` WHERE `amount` > 0"
    first = f"{flink_cluster.rest_url}/jobs/{session.run(insert)['jobID']}"

    assert values(apache_kafka, clean, 2) == [order(1, 5.0), order(3, 7.0)]

    stopping = client.post(
        f"{first}/stop", json={"targetDirectory": flink_cluster.savepoints.as_uri()}
    ).json()
    stopped = f"{first}/savepoints/{stopping['request-id']}"
    until(lambda: client.get(stopped).json()["status"]["id"] == "COMPLETED")
    savepoint = client.get(stopped).json()["operation"]["location"]
    apache_kafka.produce(raw, [order(4, 9.0)])
    session.run(f"SET 'execution.state-recovery.path' = '{savepoint}'")
    second = f"{flink_cluster.rest_url}/jobs/{session.run(insert)['jobID']}"

    assert values(apache_kafka, clean, 3) == [order(1, 5.0), order(3, 7.0), order(4, 9.0)]
    restored = client.get(f"{second}/checkpoints").json()["latest"]["restored"]
    assert restored["external_path"] == savepoint
    assert client.patch(second).status_code == httpx.codes.ACCEPTED
