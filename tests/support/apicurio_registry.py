"""Apicurio Registry 2.6 of Maven Central: a real registry with the interface that deployments use, kept in memory.

Its interface is below a path, and beside the documented one it has ways of its own; tests say which.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from services import SERVICES, Service, free_port, jars, java, service

REGISTRY = SERVICES / "registry"
_RUNNER = "apicurio-registry-app-*-runner.jar"


@dataclass(frozen=True)
class ApicurioRegistry:
    """A registry that runs: the address below which the interface is."""

    url: str
    service: Service

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Ask as somebody else does, with nothing of the program."""
        return httpx.request(method, f"{self.url}{path}", json=body, timeout=30, trust_env=False)

    def put(self, subject: str, text: str, **more: Any) -> int:
        """Register a schema as somebody else does; return its id."""
        path = f"/subjects/{quote(subject, safe='')}/versions"
        answer = self.ask("POST", path, {"schema": text, **more})
        assert answer.is_success, answer.text
        number: int = answer.json()["id"]
        return number

    def level(self, level: str) -> None:
        """Set the level of compatibility of all subjects that have none of their own."""
        answer = self.ask("PUT", "/config", {"compatibility": level})
        # It answers NONE by taking a rule away, and says that there is none where there was none.
        assert answer.is_success or level == "NONE", answer.text

    def versions(self, subject: str) -> list[int]:
        """Return the numbers of the versions of a subject; none where it is not there."""
        answer = self.ask("GET", f"/subjects/{quote(subject, safe='')}/versions")
        return answer.json() if answer.is_success else []


@contextmanager
def apicurio_registry(folder: Path) -> Iterator[ApicurioRegistry]:
    """Start a registry and wait until it lists its subjects."""
    port = free_port()
    runner = next(jars(REGISTRY, _RUNNER).glob(_RUNNER))
    options = (f"-Dquarkus.http.port={port}", "-Dquarkus.http.host=127.0.0.1", f"-Djava.io.tmpdir={folder}")
    command = [*java(256, [runner], *options), "io.quarkus.runner.GeneratedMain"]
    with service("registry", command, folder) as running:
        registry = ApicurioRegistry(f"http://127.0.0.1:{port}/apis/ccompat/v7", running)
        running.wait(lambda: registry.ask("GET", "/subjects").is_success, httpx.HTTPError)
        yield registry
