"""What describes a dataset or a job: prose and fields, each let in by the `texts` table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.lineage.facts import ColumnFacts, DatasetFacts, JobFacts, ModelFacts
from streamt_ol.lineage.texts import text_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.lineage.facts import SourceFacts
    from streamt_ol.lineage.texts import TextGate
    from streamt_ol.project.records import Column


def dataset_facts(
    facts: SourceFacts | ModelFacts, columns: Sequence[Column], columns_at: str, gate: TextGate
) -> DatasetFacts:
    """Return the facts of a dataset; TextRefusedError where one of its texts is refused."""
    of = f"{facts.entity} '{facts.name}'"
    description_state = gate.admit(
        "description", facts.description, f"{facts.at}/description", f"the description of {of}"
    )
    owner_state = gate.admit("owner", facts.owner, f"{facts.at}/owner", f"the owner of {of}")
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
        description=facts.description,
        owner=facts.owner,
        columns=_column_facts(columns, columns_at, gate),
    )


def job_facts(facts: ModelFacts, gate: TextGate) -> JobFacts:
    """Return the facts of a job; TextRefusedError where one of its texts is refused."""
    of = f"model '{facts.name}'"
    return JobFacts(
        at=facts.at,
        label=facts.name,
        effective=facts.effective,
        process=facts.process,
        description_state=gate.admit(
            "description", facts.description, f"{facts.at}/description", f"the description of {of}"
        ),
        owner_state=gate.admit("owner", facts.owner, f"{facts.at}/owner", f"the owner of {of}"),
        description=facts.description,
        owner=facts.owner,
    )


def _column_facts(columns: Sequence[Column], at: str, gate: TextGate) -> tuple[ColumnFacts, ...]:
    """Return the facts of declared columns. A blank type is left out, an empty description too."""
    asked = gate.asked
    seen: set[str] = set()
    made: list[ColumnFacts] = []
    for index, column in enumerate(columns):
        name, description, kind = column.name, column.description, column.type
        state = "repeated" if name in seen else text_state(name)
        if ("column_name", state) in asked:
            gate.decide("column_name", state, f"{at}/{index}/name", f"column '{name}'")
        seen.add(name)
        state = text_state(description)
        if ("column_description", state) in asked:
            gate.decide(
                "column_description",
                state,
                f"{at}/{index}/description",
                f"the description of column '{name}'",
            )
        made.append(
            ColumnFacts(name, kind if kind and not kind.isspace() else None, description or None, index + 1)
        )
    return tuple(made)
