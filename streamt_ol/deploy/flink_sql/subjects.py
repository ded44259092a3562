"""Sources and models as topics that a Flink job reads or writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from streamt_ol.project.coerce import as_bool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.compiler.records import CompiledModel, Graph
    from streamt_ol.project.records import Source


class Field(NamedTuple):
    """A declared column."""

    name: str
    type: str | None
    proctime: bool
    not_null: bool
    """Whether an enforced contract says so."""
    at: str


class Subject(NamedTuple):
    """A source or a model, with what the job's table of it is made from."""

    name: str
    """By which SQL refers to it."""
    label: str
    at: str
    topic: str
    home: str
    """The namespace of its topic, or `none`."""
    writer: Literal["job", "others"]
    fields: tuple[Field, ...]
    fields_at: str
    primary_key: tuple[str, ...] = ()
    key: str | None = None
    changelog: str | None = None
    schema: Mapping[str, Any] | None = None
    event_time: Mapping[str, Any] | None = None


def of_source(source: Source, position: int) -> Subject:
    """Return a source, which others write."""
    at = f"/sources/{position}"
    schema = source.raw.get("schema")
    written, fields_at = source.raw.get("columns"), f"{at}/columns"
    if not written and schema is not None and schema.get("fields"):
        written, fields_at = schema["fields"], f"{at}/schema/fields"
    return Subject(
        name=source.name,
        label=f"source '{source.name}'",
        at=at,
        topic=source.topic,
        home="kafka",
        writer="others",
        fields=_fields(written, fields_at),
        fields_at=fields_at,
        schema=schema,
        event_time=source.raw.get("event_time"),
    )


def of_model(model: CompiledModel) -> Subject:
    """Return a model: the columns of its contract, if that has some, else its own."""
    raw = model.declared.raw
    contract = raw.get("contract") or {}
    written, fields_at = raw.get("columns"), f"{model.at}/columns"
    promised = contract.get("columns")
    if promised:
        written, fields_at = _completed(promised, written or ()), f"{model.at}/contract/columns"
    return Subject(
        name=model.declared.name,
        label=f"model '{model.declared.name}'",
        at=model.at,
        topic=model.output_name,
        home=model.output,
        writer="job" if "flink_jobs" in model.artifacts else "others",
        fields=_fields(written, fields_at, enforced=as_bool(contract.get("enforced", True))),
        fields_at=fields_at,
        primary_key=tuple(raw.get("primary_key") or ()),
        key=raw.get("key") or None,
        changelog=(raw.get("flink") or {}).get("changelog_mode") or None,
    )


def named(name: str, graph: Graph) -> Subject | None:
    """Return the source or model of a name; None where there is none."""
    for position, source in enumerate(graph.sources):
        if source.name == name:
            return of_source(source, position)
    return next((of_model(model) for model in graph.models if model.declared.name == name), None)


def _completed(promised: Any, written: Any) -> list[Mapping[str, Any]]:
    """Return the columns of a contract; a type that it leaves out is the one of the model's own column."""
    own = {column["name"]: column for column in written}
    return [{**own.get(column["name"], {}), **_given(column)} for column in promised]


def _given(column: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in column.items() if value is not None}


def _fields(written: Any, at: str, *, enforced: bool = False) -> tuple[Field, ...]:
    return tuple(
        Field(
            name=column["name"],
            type=(column.get("type") or "").strip() or None,
            proctime=as_bool(column.get("proctime", False)),
            not_null=enforced and not as_bool(column.get("nullable", True)),
            at=f"{at}/{index}",
        )
        for index, column in enumerate(written or ())
    )
