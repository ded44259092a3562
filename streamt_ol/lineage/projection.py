"""Graph to facts: the one place where a compiled project is read for the export.

What is copied here is all that the mapping can ever know: identities, descriptions, owners, declared fields,
what is read, and what tables decided. A test sees to it that no other module of the mapping knows a graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.compiler.facts import presence
from streamt_ol.lineage.facts import ModelFacts, ProjectFacts, SourceFacts

if TYPE_CHECKING:
    from streamt_ol.compiler.records import CompiledModel, Graph


def project_facts(graph: Graph) -> ProjectFacts:
    """Return the facts of a compiled project, sources and models in the order of their declaration."""
    sources = tuple(
        SourceFacts(
            at=f"/sources/{position}",
            name=source.name,
            topic=source.topic,
            description=source.description,
            owner=source.owner,
            columns=source.columns,
        )
        for position, source in enumerate(graph.sources)
    )
    name = graph.project.name
    return ProjectFacts(name, sources, tuple(_model_facts(model, name) for model in graph.models))


def _model_facts(model: CompiledModel, project: str) -> ModelFacts:
    declared = model.declared
    return ModelFacts(
        at=model.at,
        name=declared.name,
        project=project,
        effective=model.effective,
        process=model.process,
        output=model.output,
        contract=presence(declared.contract_columns),
        output_name=model.output_name,
        output_name_at=_name_location(model),
        position=model.position,
        dependencies=model.dependencies,
        input_names=model.input_names,
        description=declared.description,
        owner=declared.owner,
        columns=declared.columns,
        contract_columns=declared.contract_columns,
    )


def _name_location(model: CompiledModel) -> str:
    """Return where a model's physical name was written: as its alias, as its topic, or as its own name."""
    written = {
        model.declared.virtual_name: f"{model.at}/gateway/virtual_topic/name",
        model.declared.topic_name: f"{model.at}/topic/name",
    }
    return written.get(model.output_name, f"{model.at}/name")
