"""What a plan was made from: project, environment, runtime, artifacts and state, each as a checksum.

Source: section 1.7 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.planning.redacting import redacted
from streamt_ol.deploy.state.state_file import state_checksum

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.deploy.planning.removals import Removal
    from streamt_ol.deploy.records import Desired
    from streamt_ol.deploy.state.records import Observed, StateBackend
    from streamt_ol.project.records import Project


class StateReference(NamedTuple):
    """The state that a plan was made with, without what changes although nothing has changed."""

    backend: str
    """`local` or `postgres`."""
    store_id: str
    address: str
    serial: int
    checksum: str


class PlanContext(NamedTuple):
    """What a plan is bound to."""

    project: str
    environment: str
    environment_fingerprint: str
    """Of the runtime without its secrets: a new password changes nothing, another broker does."""
    manifest_checksum: str
    state: StateReference | None
    """None for a plan that was made offline."""


def plan_context(
    project: Project,
    artifacts: Mapping[str, Sequence[Artifact]],
    desired: Sequence[Desired],
    removals: Sequence[Removal],
    state: StateReference | None,
) -> PlanContext:
    """Return what a plan of a compiled project is bound to."""
    environment = project.environment.name
    return PlanContext(
        project=project.name,
        environment=environment,
        environment_fingerprint=checksum({"environment": environment, "runtime": redacted(project.runtime)}),
        manifest_checksum=checksum(
            {
                "artifacts": {
                    kind: [redacted(artifact.document()) for artifact in of_kind]
                    for kind, of_kind in artifacts.items()
                },
                "ownership": {one.resource_id: one.ownership for one in desired},
                "removals": [removal.declared() for removal in removals],
            }
        ),
        state=state,
    )


def state_reference(backend: StateBackend, observed: Observed) -> StateReference:
    """Return the state that was observed."""
    snapshot = observed.snapshot
    return StateReference(
        backend.kind, backend.store_id, backend.address, snapshot.serial, state_checksum(snapshot)
    )
