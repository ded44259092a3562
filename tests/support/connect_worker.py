"""Kafka Connect as one distributed worker, with the connectors of files: its state is in topics of a broker.

`make test-services` puts its jars into `.services/connect`.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from services import SERVICES, Service, free_port, jars, java, service, until

CONNECT = SERVICES / "connect"


@dataclass(frozen=True)
class ConnectWorker:
    """A worker that runs: its REST, and a folder for the files that its connectors read and write."""

    rest_url: str
    folder: Path
    service: Service
    client: httpx.Client
    """Asks its REST by paths."""

    def ask(self, method: str, path: str, body: Mapping[str, str] | None = None) -> httpx.Response:
        """Ask by hand, again as long as the worker puts it off: around each change its group shares out anew."""
        answers: list[httpx.Response] = []

        def answered() -> bool:
            answers.append(self.client.request(method, path, json=body))
            return not _put_off(answers[-1])

        until(answered)
        return answers[-1]

    def log_tail(self) -> str:
        return self.service.log_tail()


def _put_off(answer: httpx.Response) -> bool:
    """Return whether nothing was done, and the same is to be asked for a moment later."""
    return answer.status_code == httpx.codes.CONFLICT or (
        answer.status_code == httpx.codes.INTERNAL_SERVER_ERROR and "a rebalance is expected" in answer.text
    )


@contextmanager
def connect_worker(folder: Path, bootstrap_servers: str, group: str | None = None) -> Iterator[ConnectWorker]:
    """Start a worker and wait until it lists connectors; workers of one group share their connectors."""
    classes = [f"{jars(CONNECT, 'connect-runtime-*.jar')}/*"]
    files = folder / "files"
    files.mkdir()
    port = free_port()
    settings = folder / "worker.properties"
    settings.write_text(
        _properties(port, bootstrap_servers, group or f"connect-{uuid.uuid4().hex[:8]}"), "utf-8"
    )
    options = (f"-Djava.io.tmpdir={folder}", "-Dlog4j2.level=WARN")
    command = [*java(256, classes, *options), "org.apache.kafka.connect.cli.ConnectDistributed", settings]
    url = f"http://127.0.0.1:{port}"
    with (
        service("connect", command, folder) as running,
        httpx.Client(base_url=url, timeout=60, trust_env=False) as client,
    ):
        running.wait(  # it answers / before it has joined its group, and the list after that
            lambda: client.get("/connectors").status_code == httpx.codes.OK, httpx.HTTPError
        )
        yield ConnectWorker(url, files, running, client)


def _properties(port: int, bootstrap_servers: str, group: str) -> str:
    settings = {
        "bootstrap.servers": bootstrap_servers,
        "group.id": group,
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "key.converter.schemas.enable": "false",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "listeners": f"http://127.0.0.1:{port}",
        "rest.advertised.host.name": "127.0.0.1",
        "plugin.discovery": "service_load",
        "offset.flush.interval.ms": "500",
        "scheduled.rebalance.max.delay.ms": "0",
    }
    for name in ("config", "offset", "status"):
        settings[f"{name}.storage.topic"] = f"{group}-{name}"
        settings[f"{name}.storage.replication.factor"] = "1"
        if name != "config":  # that one has one partition always
            settings[f"{name}.storage.partitions"] = "1"
    return "".join(f"{key}={value}\n" for key, value in settings.items())
