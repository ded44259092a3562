"""What a project wants: its compiled artifacts as resources, in the order of execution.

Source: section 1.1 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.planning.bindings import backend_of
from streamt_ol.deploy.planning.errors import ResourceIdentityError, ServiceNotConfiguredError
from streamt_ol.deploy.planning.identity import identity
from streamt_ol.deploy.planning.kinds import Kinds
from streamt_ol.deploy.planning.surfaces.registry import surfaces_of
from streamt_ol.deploy.records import Desired
from streamt_ol.ground.errors import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.planning.kinds import Kind
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.project.records import Project, Raw


NOTE: Final = "W120_DECLARATION_UNUSED"


def desired_resources(
    graph: Graph, artifacts: Mapping[str, Sequence[Artifact]], rules: RuleSet
) -> tuple[Desired, ...]:
    """Return the artifacts of a compiled project as resources: kinds in their order, each by physical name.

    Raises ResourceIdentityError for a name that can be no part of an id and for two resources of one id,
    TopicSettingError, and UnknownResourceKindError.
    """
    kinds = Kinds(rules)
    owners = rules.catalogue("resource-owners")
    declared = _declared(graph.project)
    wanted = [
        _desired(
            artifact, kinds.of_artifacts(artifact.kind), graph, declared, owners[artifact.owner_kind], rules
        )
        for of_kind in artifacts.values()
        for artifact in of_kind
    ]
    wanted.sort(key=lambda one: (kinds.by_name[one.kind].position, one.physical_name))
    _refuse_repeated(wanted)
    return tuple(wanted)


def notes(desired: Sequence[Desired], project: Project) -> list[Diagnostic]:
    """Return as warnings what of declarations has no effect, and keeps nothing from being made."""
    found = [
        Diagnostic(NOTE, problem.message, problem.at, project.origins.place(problem.at), problem.remedy)
        for one in desired
        if one.ownership != "external"
        for problem in one.problems
        if not problem.blocks
    ]
    return list(dict.fromkeys(found))  # several jobs may read one thing


def _declared(project: Project) -> dict[tuple[str, str], Raw]:
    """Return sources and models as written, by kind and name of the owner."""
    declared = {("source", source.name): source.raw for source in project.sources}
    return declared | {("model", model.name): model.raw for model in project.models}


def _desired(
    artifact: Artifact,
    kind: Kind,
    graph: Graph,
    declared: Mapping[tuple[str, str], Raw],
    owner: Mapping[str, Any],
    rules: RuleSet,
) -> Desired:
    project = graph.project
    written = declared.get((artifact.owner_kind, artifact.owner), {})
    mode = (written.get("ownership") or {}).get("mode") or owner["ownership"]
    logical = artifact.owner if owner["named"] == "owner" else artifact.name
    environment = project.environment.name
    described = surfaces_of(kind.name).describe(artifact, graph, rules)
    return Desired(
        resource_id=str(identity(project.name, environment, kind.name, logical, at=artifact.at)),
        kind=kind.name,
        logical_name=logical,
        physical_name=artifact.name,
        ownership=mode,
        at=artifact.at,
        surface=described.surface,
        checksum=checksum(
            {"kind": kind.name, "ownership": {"project": project.name, "mode": mode}, **artifact.document()}
        ),
        backend=_backend(kind, described.cluster, project.runtime),
        cluster=described.cluster,
        payload=described.payload,
        problems=described.problems,
    )


def _backend(kind: Kind, cluster: str | None, runtime: Mapping[str, Any]) -> str:
    """Return the service of a resource as the state has it, only its name where the runtime leads to none.

    Whether one is needed is not known here: what is external is not asked about.
    """
    if kind.backend is None:
        return ""
    try:
        return backend_of(kind.backend, cluster, runtime)
    except ServiceNotConfiguredError:
        return kind.backend


def _refuse_repeated(wanted: Sequence[Desired]) -> None:
    known: dict[str, Desired] = {}
    for one in wanted:
        other = known.setdefault(one.resource_id, one)
        if other is not one:
            raise ResourceIdentityError(
                f"'{one.physical_name}' and '{other.physical_name}' are both {one.resource_id}",
                location=one.at,
                suggestion="give one of their owners another name",
            )
