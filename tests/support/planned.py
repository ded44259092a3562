"""Plans of projects whose state and services are values: what plans is real, what it looks at is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from checked import compiled, packaged_rules

from streamt_ol.compiler.artifacts import Artifact, build_artifacts
from streamt_ol.deploy.planning.context import PlanContext, StateReference, plan_context
from streamt_ol.deploy.planning.desired import desired_resources
from streamt_ol.deploy.planning.planning import plan
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.planning.removals import Removal, removals
from streamt_ol.deploy.records import Action, Desired, Live, Surface
from streamt_ol.deploy.state.records import Record, Snapshot
from streamt_ol.project.records import Project

BACKEND = "direct-kafka"
STORE = "11111111-1111-5111-8111-111111111111"


class Compiled(NamedTuple):
    """A project and what it wants."""

    project: Project
    artifacts: Mapping[str, Sequence[Artifact]]
    desired: tuple[Desired, ...]
    removals: tuple[Removal, ...]

    def context(self, serial: int = 1, *, offline: bool = False) -> PlanContext:
        """Return what a plan of the project is bound to, with a local state of this serial."""
        address = f"streamt-state://local/{self.project.name}/{self.project.environment.name}"
        state = StateReference("local", STORE, address, serial, f"sha256:{serial:064}")
        return plan_context(
            self.project, self.artifacts, self.desired, self.removals, None if offline else state
        )


def wanted(folder: Path, **document: Any) -> Compiled:
    """Compile a project about the source `orders` and what the document adds."""
    folder.mkdir(exist_ok=True)
    graph = compiled(folder, **document)
    artifacts = build_artifacts(graph, packaged_rules())
    desired = desired_resources(graph, artifacts, packaged_rules())
    return Compiled(graph.project, artifacts, desired, removals(graph.project))


def topic_id(name: str) -> str:
    return f"streamt://shop/default/topic/{name}"


def surface(partitions: int = 1, replication_factor: int = 1, **config: str) -> Surface:
    """Return the surface of a topic; `__` stands for the dots of a setting's name."""
    settings = {key.replace("__", "."): value for key, value in config.items()}
    return {"partitions": partitions, "replication_factor": replication_factor, "config": settings}


def topic(
    name: str, there: Surface | None = None, *, logical: str | None = None, mode: str = "managed"
) -> Desired:
    """Return a topic that is wanted as `there`."""
    return Desired(
        resource_id=topic_id(logical or name),
        kind="topic",
        logical_name=logical or name,
        physical_name=name,
        ownership=mode,
        at="/models/0",
        surface=surface() if there is None else there,
        checksum=f"sha256:{0:064}",
        backend=BACKEND,
    )


def known(*names: str, serial: int = 1, backend: str = BACKEND, **renamed: str) -> Snapshot:
    """Return a state that has topics of these names, and others under another name: logical=physical."""
    physical = {**{name: name for name in names}, **renamed}
    resources = {
        topic_id(logical): Record(name, "managed", f"sha256:{0:064}", backend)
        for logical, name in physical.items()
    }
    return Snapshot("shop", "default", serial, resources)


NOTHING = known(serial=0)


def there(**topics: Surface | None) -> dict[str, dict[str, Live]]:
    """Return what Kafka shows, by name."""
    return {"topic": {name: Live("topic", name, found) for name, found in topics.items()}}


def planned(
    desired: Sequence[Desired],
    snapshot: Snapshot = NOTHING,
    live: Mapping[str, Mapping[str, Live]] | None = None,
    removed: Sequence[Removal] = (),
) -> Plan:
    return plan(desired, snapshot, live, packaged_rules(), removed)


def done(live: Mapping[str, Mapping[str, Live]], actions: Sequence[Action]) -> dict[str, dict[str, Live]]:
    """Return what is there after actions, each of which must find what it was planned with."""
    after = {kind: dict(shown) for kind, shown in live.items()}
    for action in actions:
        shown = after[action.kind]
        assert shown[action.physical_name].surface == action.before
        shown[action.physical_name] = Live(action.kind, action.physical_name, action.after)
    return after
