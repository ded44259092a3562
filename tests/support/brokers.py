"""Real brokers for tests: each on free ports of 127.0.0.1, in a folder of its own, ended by who started it."""

from __future__ import annotations

import logging
import os
import subprocess
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from services import free_port, service, until

SILENT = logging.getLogger("tests.kafka")
SILENT.addHandler(logging.NullHandler())

Value = bytes | None


@dataclass(frozen=True)
class Broker:
    """A broker that runs. `settings` are what a client of the tests needs besides the address."""

    address: str
    process: subprocess.Popen[bytes]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def client(self, **more: Any) -> dict[str, Any]:
        """Return the configuration of a client; `_` stands for the dots of its keys."""
        named = {key.replace("_", "."): value for key, value in more.items()}
        return {"bootstrap.servers": self.address, **self.settings, **named}

    def admin(self) -> AdminClient:
        return AdminClient(self.client(), logger=SILENT)

    def new_topic(self, partitions: int = 1, **config: str) -> str:
        """Create a topic with a name that no other test has, wait for it, and return the name."""
        name = f"topic-{uuid.uuid4().hex[:12]}"
        settings = {key.replace("_", "."): value for key, value in config.items()}
        admin = self.admin()  # held: what it was asked ends with it
        admin.create_topics([NewTopic(name, partitions, 1, config=settings)])[name].result(30)
        until(lambda: len(admin.list_topics(timeout=30).topics[name].partitions) == partitions, KeyError)
        return name

    def produce(self, topic: str, values: Sequence[Value], partition: int = 0, **more: Any) -> None:
        """Write values in their order and wait until the broker has them; `more` goes to the producer."""
        producer = Producer(self.client(**more), logger=SILENT)
        for value in values:
            producer.produce(topic, value, partition=partition, on_delivery=_raise_failure)
        assert producer.flush(30) == 0

    def transaction(self, topic: str, values: Sequence[Value], *, commit: bool, partition: int = 0) -> None:
        """Write values in one transaction and commit or abort it."""
        producer = Producer(self.client(transactional_id=uuid.uuid4().hex), logger=SILENT)
        producer.init_transactions(30)
        producer.begin_transaction()
        for value in values:
            producer.produce(topic, value, partition=partition)
        producer.flush(30)
        (producer.commit_transaction if commit else producer.abort_transaction)(30)

    def topics(self) -> set[str]:
        return set(self.admin().list_topics(timeout=30).topics)

    def groups(self) -> set[str]:
        """Return the consumer groups that the broker knows, in any state."""
        admin = self.admin()
        listed = admin.list_consumer_groups(request_timeout=30).result()
        assert listed.errors == []
        return {group.group_id for group in listed.valid}

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)


def _raise_failure(error: Any, _message: Any) -> None:
    if error is not None:
        raise KafkaException(error)


def await_answer(broker: Broker, log: Path, seconds: float) -> None:
    """Wait until the broker tells its topics; fail with its log where it ends instead, or says nothing."""
    asking = Consumer(broker.client(group_id="tests"), logger=SILENT)

    def answers() -> bool:
        assert broker.process.poll() is None, f"the broker ended: {log.read_text('utf-8', 'replace')[-4000:]}"
        return bool(asking.list_topics(timeout=0.5).brokers)

    try:
        until(answers, KafkaException, seconds=seconds)
    finally:
        asking.close()


APACHE = os.environ.get("STREAMT_TEST_BROKER") == "apache"
"""Whether tests run on Apache Kafka, as `make test-services` asks for."""


@contextmanager
def running_broker(folder: Path) -> Iterator[Broker]:
    """Run a broker of the kind that was asked for."""
    if APACHE:
        from apache_kafka import apache_broker

        with apache_broker(folder) as broker:
            yield broker
    else:
        with noida_broker(folder) as broker:
            yield broker


@contextmanager
def noida_broker(folder: Path) -> Iterator[Broker]:
    """Run the instant broker: a reimplementation without TLS, logins and access lists."""
    found = find_spec("noida_db")
    assert found is not None
    assert found.origin is not None
    program = Path(found.origin).with_name("noida-db")
    port = free_port()
    command = [program, "start", "--only", "kafka", "--kafka-port", str(port), "--data-dir", folder / "data"]
    with service("noida", command, folder) as running:
        broker = Broker(f"127.0.0.1:{port}", running.process)
        await_answer(broker, running.log, 300)
        yield broker
