"""Graph to facts: the one place where compiled models are read for the export.

What is copied here is all that the mapping can ever know: identities, descriptions, owners, declared fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.compiler.facts import presence
from streamt_ol.lineage.facts import ColumnFacts, DatasetFacts, JobFacts, ModelFacts, SourceFacts
from streamt_ol.lineage.texts import TextGate, text_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.compiler.records import Graph
    from streamt_ol.project.records import Column, Model, Source


def source_facts(graph: Graph) -> list[SourceFacts]:
    """Return the facts of every source in declaration order."""
    return [
        SourceFacts(at=f"/sources/{position}", name=source.name, topic=source.topic)
        for position, source in enumerate(graph.sources)
    ]


def model_facts(graph: Graph) -> list[ModelFacts]:
    """Return the facts of every model in declaration order."""
    project = graph.project.name
    return [
        ModelFacts(
            at=model.at,
            name=model.declared.name,
            project=project,
            effective=model.effective,
            process=model.process,
            output=model.output,
            contract=presence(model.declared.contract_columns),
            output_name=model.output_name,
        )
        for model in graph.models
    ]


def dataset_facts(
    facts: SourceFacts | ModelFacts,
    declared: Source | Model,
    columns: Sequence[Column],
    columns_at: str,
    gate: TextGate,
) -> DatasetFacts:
    """Return the facts of a dataset; TextRefusedError where one of its texts is refused."""
    of = f"{facts.entity} '{facts.name}'"
    description_state = gate.admit(
        "description", declared.description, f"{facts.at}/description", f"the description of {of}"
    )
    owner_state = gate.admit("owner", declared.owner, f"{facts.at}/owner", f"the owner of {of}")
    return DatasetFacts(
        at=facts.at,
        columns_at=columns_at,
        label=facts.name,
        declared_by=facts.entity,
        effective=facts.effective if isinstance(facts, ModelFacts) else "none",
        process=facts.process if isinstance(facts, ModelFacts) else "none",
        description_state=description_state,
        owner_state=owner_state,
        columns_state="present" if columns else "empty",
        description=declared.description,
        owner=declared.owner,
        columns=_column_facts(columns, columns_at, gate),
    )


def job_facts(facts: ModelFacts, declared: Model, gate: TextGate) -> JobFacts:
    """Return the facts of a job; TextRefusedError where one of its texts is refused."""
    of = f"model '{facts.name}'"
    return JobFacts(
        at=facts.at,
        label=facts.name,
        effective=facts.effective,
        process=facts.process,
        description_state=gate.admit(
            "description", declared.description, f"{facts.at}/description", f"the description of {of}"
        ),
        owner_state=gate.admit("owner", declared.owner, f"{facts.at}/owner", f"the owner of {of}"),
        description=declared.description,
        owner=declared.owner,
    )


def _column_facts(columns: Sequence[Column], at: str, gate: TextGate) -> tuple[ColumnFacts, ...]:
    """Return the facts of declared columns. A blank type is left out, an empty description too."""
    refused = gate.refused
    seen: set[str] = set()
    made: list[ColumnFacts] = []
    for index, column in enumerate(columns):
        name, description, kind = column.name, column.description, column.type
        state = "repeated" if name in seen else text_state(name)
        if ("column_name", state) in refused:
            gate.decide("column_name", state, f"{at}/{index}/name", f"column '{name}'")
        seen.add(name)
        if description is not None:
            gate.admit(
                "column_description",
                description,
                f"{at}/{index}/description",
                f"the description of column '{name}'",
            )
        made.append(
            ColumnFacts(name, kind if kind and not kind.isspace() else None, description or None, index + 1)
        )
    return tuple(made)
