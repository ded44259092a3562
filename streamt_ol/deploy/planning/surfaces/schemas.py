"""Schemas as plans compare them: by type and digest. Their texts are carried along, and shown nowhere.

Sources: section 3.3 of the project language, sections 1.3 and 1.4 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.planning.surfaces.kind_surfaces import Described, KindSurfaces
from streamt_ol.deploy.providers.schema_registry.forms import AVRO, SchemaTextError, schema_digest
from streamt_ol.deploy.providers.schema_registry.subjects import surface_of
from streamt_ol.deploy.records import Problem

if TYPE_CHECKING:
    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.records import Surface
    from streamt_ol.engine.ruleset import RuleSet


def _described(artifact: Artifact, graph: Graph, rules: RuleSet) -> Described:
    """Return the schema of a source: one without a `format` is Avro, as it is for a registry.

    Of a source that is external nothing is ever written, so nothing is asked about what it declares.
    """
    kind = (artifact.content["format"] or AVRO).upper()
    text = artifact.content["definition"]
    external = _ownership(artifact, graph, rules) == "external"
    if not text:
        missing = Problem(
            "schema_definition_missing",
            f"source '{artifact.owner}' declares no `definition` of its schema: none is made up from fields",
            "write the text of the schema into `schema.definition`, or declare the source as external",
            f"{artifact.at}/schema",
        )
        return Described(surface_of(kind, None), problems=() if external else (missing,))
    try:
        surface = surface_of(kind, schema_digest(kind, text))
    except SchemaTextError as error:
        unreadable = Problem(
            "schema_definition_invalid",
            f"the schema of source '{artifact.owner}' cannot be read as {kind}: {error}",
            "correct `schema.definition`, or say in `schema.format` what it is",
            f"{artifact.at}/schema/definition",
        )
        return Described(surface_of(kind, None), problems=() if external else (unreadable,))
    if external:
        return Described(surface)
    return Described(surface, payload={"definition": text, "version": _number(artifact.content["version"])})


def _after(desired: Surface, live: Surface | None) -> Surface:
    """Return what is wanted; what is there where nobody says what that is."""
    return desired if live is None or desired["schema"] is not None else live


def _ownership(artifact: Artifact, graph: Graph, rules: RuleSet) -> str:
    source = graph.project.sources[int(artifact.at.rpartition("/")[2])]
    usual: str = rules.catalogue("resource-owners")[artifact.owner_kind]["ownership"]
    return (source.raw.get("ownership") or {}).get("mode") or usual


def _number(version: Any) -> int | None:
    """Return the version that the project names; None for the latest."""
    return None if version in (None, "latest") else int(version)


SCHEMAS = KindSurfaces(_described, _after)
