"""References into the runtime and the connections: clusters and connections by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.governance.facts import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.governance.subject import Subject
    from streamt_ol.project.records import Raw


def cluster_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield names of clusters and connections that nothing declares. Kafka clusters have no list to be in."""
    project = subject.project
    document, runtime = project.document, project.runtime
    for block in ("flink", "connect"):
        default = (runtime.get(block) or {}).get("default")
        yield from _unknown(default, block, runtime, f"/runtime/{block}/default", "the runtime")
    defaults = ((document.get("defaults") or {}).get("tests") or {}).get("flink_cluster")
    yield from _unknown(defaults, "flink", runtime, "/defaults/tests/flink_cluster", "the defaults")
    for position, model in enumerate(project.models):
        at, label = f"/models/{position}", f"model '{model.name}'"
        yield from _unknown(model.raw.get("flink_cluster"), "flink", runtime, f"{at}/flink_cluster", label)
        yield from _unknown(
            model.raw.get("connect_cluster"), "connect", runtime, f"{at}/connect_cluster", label
        )
        connection = (model.raw.get("sink") or {}).get("connection")
        if connection and connection not in (document.get("connections") or {}):
            yield Breach(f"{at}/sink/connection", "connection_unknown", label, connection)
    for position, test in enumerate(project.tests):
        location, label = f"/tests/{position}/flink_cluster", f"test '{test['name']}'"
        yield from _unknown(test.get("flink_cluster"), "flink", runtime, location, label)


def _unknown(name: Any, block: str, runtime: Raw, at: str, label: str) -> Iterator[Breach]:
    if name and name not in ((runtime.get(block) or {}).get("clusters") or {}):
        yield Breach(at, "cluster_unknown", label, name, block)
