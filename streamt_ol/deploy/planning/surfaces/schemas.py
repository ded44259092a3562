"""Schemas as plans compare them: by type and digest. Their texts are carried along, and shown nowhere.

Sources: section 3.3 of the project language, sections 1.3 and 1.4 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.planning.changes import field_changes
from streamt_ol.deploy.planning.surfaces.kind_surfaces import Described, KindSurfaces
from streamt_ol.deploy.planning.surfaces.schema_facts import DeclaredSchema
from streamt_ol.deploy.providers.schema_registry.forms import SchemaTextError, schema_digest, surface_of
from streamt_ol.deploy.records import Problem

if TYPE_CHECKING:
    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.planning.changes import FieldChange
    from streamt_ol.deploy.records import Surface
    from streamt_ol.engine.ruleset import RuleSet

_EXTERNAL = "external"


def _described(artifact: Artifact, graph: Graph, rules: RuleSet) -> Described:
    """Return the schema of a source; of one that is external nothing is ever written, so nothing is sent."""
    text = artifact.content["definition"]
    facts = _declared(artifact, graph, rules)
    digest = None
    if text:
        try:
            digest = schema_digest(facts.type, text)
        except SchemaTextError:
            facts = facts._replace(definition="unreadable")
        else:
            facts = facts._replace(definition="present")
    surface = surface_of(facts.type, digest)
    decision = rules.table("schema-problems").decide(facts)
    if decision.get("problem") is not None:
        problem = Problem(
            decision["problem"],
            decision["message"](facts),
            decision["remedy"](facts),
            decision["where"](facts),
        )
        return Described(surface, problems=(problem,))
    if facts.ownership == _EXTERNAL:
        return Described(surface)
    return Described(surface, payload={"definition": text, "version": _number(artifact.content["version"])})


def _declared(artifact: Artifact, graph: Graph, rules: RuleSet) -> DeclaredSchema:
    source = graph.project.sources[int(artifact.at.rpartition("/")[2])]
    usual: str = rules.catalogue("resource-owners")[artifact.owner_kind]["ownership"]
    ownership = (source.raw.get("ownership") or {}).get("mode") or usual
    facts = DeclaredSchema(
        artifact.at, artifact.owner, ownership, format=artifact.content["format"] or "absent"
    )
    return facts._replace(type=rules.table("schema-types").decide(facts)["type"])


def _after(desired: Surface, live: Surface | None) -> Surface:
    """Return what is wanted; what is there where nobody says what that is."""
    return desired if live is None or desired["schema"] is not None else live


def _number(version: Any) -> int | None:
    """Return the version that the project names; None for the latest."""
    return None if version in (None, "latest") else int(version)


def _shown(before: Surface | None, after: Surface | None) -> list[FieldChange]:
    """Return what changes; that a schema builds on no other need not be said."""
    changes = field_changes(before, after)
    return [change for change in changes if change.field != "references" or change.before or change.after]


SCHEMAS = KindSurfaces(_described, _after, shown=_shown)
