"""Contracts and columns against what SQL certainly gives; where that is not certain, nothing is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.governance.facts import Breach
from streamt_ol.governance.type_families import differ
from streamt_ol.project.coerce import as_bool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.compiler.records import CompiledModel
    from streamt_ol.governance.queries import Output
    from streamt_ol.governance.subject import Subject


def contract_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield contract columns that the SQL does not give, or gives as another type."""
    for model in subject.models:
        given = _given(model, subject)
        if given is None or model.declared.contract_columns is None:
            continue
        enforced = as_bool(model.declared.raw["contract"].get("enforced", True))
        for index, column in enumerate(model.declared.contract_columns):
            at = f"{model.at}/contract/columns/{index}"
            if column.name not in given:
                yield Breach(
                    at, "contract_missing_column", model.declared.name, column.name, enforced=enforced
                )
            elif differ(column.type, given[column.name], subject.rules):
                kind = given[column.name] or ""
                yield Breach(f"{at}/type", "contract_type", model.declared.name, column.name, kind, enforced)


def column_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield declared columns that the SQL gives as another type."""
    for model in subject.models:
        given = _given(model, subject) or {}
        for index, column in enumerate(model.declared.columns):
            kind = given.get(column.name)
            if differ(column.type, kind, subject.rules):
                at = f"{model.at}/columns/{index}/type"
                yield Breach(at, "column_type", model.declared.name, column.name, kind or "")


def _given(model: CompiledModel, subject: Subject) -> dict[str, str | None] | None:
    """Return the columns that a model's SQL gives with their types where certain; None where unknown."""
    query = subject.queries.get(model.position)
    if query is None or query.outputs is None:
        return None
    read = {
        column.name: column.type
        for dependency in model.dependencies
        if dependency.name == query.table
        for column in subject.columns(dependency)
    }
    return {output.name: _type(output, read) for output in query.outputs}


def _type(output: Output, read: dict[str, str | None]) -> str | None:
    return output.cast if output.column is None else read.get(output.column)
