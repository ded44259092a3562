"""What `lifecycle` says is to be removed: nothing else ever removes a resource.

What can be said of it before any service is asked is checked here: where a removed resource is, and that it
is one resource, of one owner, claimed once. Sources: sections 1.2, 2.2 and 7 of the runtime facts, section
3.1 of the project language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.planning.bindings import backend_of
from streamt_ol.deploy.planning.errors import (
    ConnectRequiredError,
    RemovalClusterError,
    RemovalInvalidError,
    ResourceIdentityError,
)
from streamt_ol.deploy.planning.identity import identity, parse_identity
from streamt_ol.deploy.planning.kinds import Kinds
from streamt_ol.deploy.providers.connect.names import is_usable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamt_ol.deploy.records import Desired
    from streamt_ol.deploy.state.records import Snapshot
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.project.records import Project, Raw


CONNECTOR: Final = "connector"
RULE: Final = "gateway_rule"


class PriorRule(NamedTuple):
    """A Gateway rule as the project says that it was applied."""

    name: str
    virtual_topic: str
    physical_topic: str
    interceptors: tuple[str, ...]
    """The kind of each, `filter` or `mask`."""


class Removal(NamedTuple):
    """A resource that the project says is to be removed."""

    resource_id: str
    kind: str
    """`connector` or `gateway_rule`."""
    logical_name: str
    physical_name: str
    at: str
    cluster: str | None = None
    """The name in the runtime of the cluster that holds it; None where a kind has one service."""
    prior: PriorRule | None = None
    """Of a rule."""
    backend: str = ""
    """The service that holds it, as the state records it; empty before it is located."""

    def declared(self) -> list[Any]:
        """Return what the project says, as plain values."""
        return [part for name, part in self._asdict().items() if name != "backend"]


def removals(project: Project) -> tuple[Removal, ...]:
    """Return what `lifecycle` says is to be removed; raises ResourceIdentityError."""
    lifecycle = project.document.get("lifecycle") or {}
    return tuple(
        described(
            str(identity(project.name, project.environment.name, kind, declared["logical_owner"], at=at)),
            declared,
            at,
        )
        for kind, described in ((CONNECTOR, _connector), (RULE, _rule))
        for position, declared in enumerate(lifecycle.get(f"{kind}_removals") or ())
        for at in (f"/lifecycle/{kind}_removals/{position}",)
    )


def refuse_conflicts(removed: Sequence[Removal], desired: Sequence[Desired]) -> None:
    """Refuse removals that are not each about one resource, of an owner that has no other.

    Raises RemovalInvalidError, and of rules ResourceIdentityError.
    """
    owners = {one.resource_id: one.physical_name for one in desired}
    names: dict[tuple[str, str], Removal] = {}
    for removal in removed:
        fault = _FAULTS[removal.kind]
        if removal.kind == CONNECTOR and not is_usable(removal.physical_name):
            raise fault("no address of Kafka Connect leads to a connector of this name", location=removal.at)
        if removal.resource_id in owners:
            other = owners[removal.resource_id]
            raise fault(
                f"'{removal.logical_name}' has two: '{removal.physical_name}', which is to be removed, "
                f"and '{other}'; both would be {removal.resource_id}",
                location=removal.at,
                suggestion="remove the one first, and declare the other when it is gone",
            )
        owners[removal.resource_id] = removal.physical_name
        first = names.setdefault((removal.kind, removal.physical_name), removal)
        if first is not removal:
            raise fault(
                f"'{removal.physical_name}' is removed twice, here and at {first.at}",
                location=removal.at,
                suggestion="take one of them out; if they are two, on two clusters, remove them in turn",
            )


def located(
    removed: Sequence[Removal], project: Project, snapshot: Snapshot, rules: RuleSet
) -> tuple[Removal, ...]:
    """Return removals with the services that hold them, of which the state must not have two claims.

    Raises ConnectRequiredError, RemovalClusterError, ServiceNotConfiguredError and ResourceIdentityError.
    """
    kinds = Kinds(rules)
    found = []
    for removal in removed:
        if removal.cluster is not None:
            _require_cluster(removal, project.runtime)
        backend = kinds.by_name[removal.kind].backend
        if backend is not None:
            removal = removal._replace(backend=backend_of(backend, removal.cluster, project.runtime))  # noqa: PLW2901
        _refuse_two_claims(removal, snapshot)
        found.append(removal)
    return tuple(found)


def claimants(kind: str, name: str, backend: str, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the resource ids under which the state has a resource of a service."""
    return tuple(
        resource_id
        for resource_id, record in snapshot.resources.items()
        if (parse_identity(resource_id).kind, record.physical_name, record.backend) == (kind, name, backend)
    )


def _connector(resource_id: str, declared: Raw, at: str) -> Removal:
    return Removal(
        resource_id, CONNECTOR, declared["logical_owner"], declared["name"], at, declared["cluster"]
    )


def _rule(resource_id: str, declared: Raw, at: str) -> Removal:
    written = declared["prior_artifact"]
    prior = PriorRule(
        written["name"], written["virtualTopic"], written["physicalTopic"], tuple(written["interceptors"])
    )
    return Removal(resource_id, RULE, declared["logical_owner"], prior.virtual_topic, at, prior=prior)


def _require_cluster(removal: Removal, runtime: Mapping[str, Any]) -> None:
    connect = runtime.get("connect")
    if not connect:
        raise ConnectRequiredError(
            f"connector '{removal.physical_name}' is to be removed, and the runtime has no Kafka Connect",
            location=f"{removal.at}/cluster",
            suggestion="add `connect` with the cluster to the runtime",
        )
    clusters = connect.get("clusters") or {}
    if removal.cluster not in clusters:
        raise RemovalClusterError(
            f"connector '{removal.physical_name}' is to be removed from the Connect cluster "
            f"'{removal.cluster}', which the runtime does not have",
            location=f"{removal.at}/cluster",
            suggestion=f"the runtime has: {', '.join(sorted(clusters)) or 'none'}",
        )


def _refuse_two_claims(removal: Removal, snapshot: Snapshot) -> None:
    claims = claimants(removal.kind, removal.physical_name, removal.backend, snapshot)
    if len(claims) > 1:
        raise ResourceIdentityError(
            f"the state has {removal.kind} '{removal.physical_name}' more than once: {', '.join(claims)}",
            location=removal.at,
        )


_FAULTS: Mapping[str, Callable[..., Exception]] = {
    CONNECTOR: RemovalInvalidError,
    RULE: ResourceIdentityError,
}
"""What is raised for removals of a kind that make no sense."""
