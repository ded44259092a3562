"""Starts servers of the tests by hand, for who develops against them, until Ctrl-C or the end of its input.

    PYTHONPATH=tests/support python -m servers kafka connect flink postgres registry

Prints one JSON object with the addresses once all of them answer. `connect` brings `kafka`.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from apache_kafka import apache_broker
from apicurio_registry import apicurio_registry
from connect_worker import connect_worker
from flink_cluster import flink_cluster
from postgres_server import postgres_server

Addresses = dict[str, str]


class Servers:
    """The servers of one run, each in a folder below one that is removed with them."""

    def __init__(self, running: ExitStack) -> None:
        self._running = running
        self._folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="servers-")))
        self.addresses: dict[str, Addresses] = {}

    def start(self, name: str) -> None:
        starts: dict[str, Callable[[Path], Addresses]] = {
            "kafka": self._kafka,
            "connect": self._connect,
            "flink": self._flink,
            "postgres": self._postgres,
            "registry": self._registry,
        }
        if name not in self.addresses:
            folder = self._folder / name
            folder.mkdir()
            self.addresses[name] = {**starts[name](folder), "logs": str(folder)}

    def _kafka(self, folder: Path) -> Addresses:
        broker = self._running.enter_context(apache_broker(folder))
        return {"bootstrap_servers": broker.address}

    def _connect(self, folder: Path) -> Addresses:
        self.start("kafka")
        address = self.addresses["kafka"]["bootstrap_servers"]
        worker = self._running.enter_context(connect_worker(folder, address))
        return {"rest_url": worker.rest_url, "folder": str(worker.folder)}

    def _flink(self, folder: Path) -> Addresses:
        cluster = self._running.enter_context(flink_cluster(folder))
        urls = {"rest_url": cluster.rest_url, "sql_gateway_url": cluster.sql_gateway_url}
        return {**urls, "savepoints": str(cluster.savepoints)}

    def _postgres(self, folder: Path) -> Addresses:
        server = self._running.enter_context(postgres_server())
        return {"dsn": server.dsn(), "psql": str(server.programs / "psql")}

    def _registry(self, folder: Path) -> Addresses:
        return {"url": self._running.enter_context(apicurio_registry(folder)).url}


def main(names: list[str]) -> None:
    """Start what is named, tell the addresses, and wait."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C: nothing is left
    with ExitStack() as running:
        servers = Servers(running)
        for name in names:
            servers.start(name)
        sys.stdout.write(json.dumps(servers.addresses, indent=2) + "\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
