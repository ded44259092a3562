"""Checks of single models: against the runtime, their keys, their clusters, who may read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from streamt_ol.compiler.facts import presence
from streamt_ol.governance.facts import Breach, Governed, QueryFacts
from streamt_ol.project.coerce import as_int

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.compiler.records import CompiledModel
    from streamt_ol.governance.queries import Query
    from streamt_ol.governance.subject import Subject
    from streamt_ol.project.records import Model, Raw

SHORT_TTL_MS = 1000
"""Below this a state time-to-live is most likely a slip of units (section 3.8 of the language)."""

_LEARNING_CLUSTER = "confluent"


def governed(subject: Subject) -> Iterator[Governed]:
    """Yield the facts of every compiled model against the runtime of the chosen environment."""
    runtime = subject.project.runtime
    flink = runtime.get("flink")
    clusters = (flink or {}).get("clusters") or {}
    learning = any(cluster.get("type") == _LEARNING_CLUSTER for cluster in clusters.values())
    for model in subject.models:
        query = subject.queries.get(model.position)
        yield Governed(
            at=model.at,
            name=model.declared.name,
            materialized=model.materialized,
            effective=model.effective,
            virtual_block=model.declared.has_virtual_block,
            gateway_runtime=presence((runtime.get("conduktor") or {}).get("gateway")),
            flink_runtime=presence(flink),
            machine_learning=query is not None and _uses(query, "machine_learning", subject),
            learning_cluster="present" if learning else "absent",
            ml_outputs=presence(model.declared.raw.get("ml_outputs")),
            state_ttl=_state_ttl(model.declared.raw),
            policies=_policies(model.declared.raw),
        )


def query_facts(subject: Subject) -> Iterator[QueryFacts]:
    """Yield the facts of the SQL of every compiled model that has some."""
    for model in subject.models:
        query = subject.queries.get(model.position)
        if query is None:
            continue
        windowed = _uses(query, "window_function", subject)
        known = {column.name for dependency in model.dependencies for column in subject.columns(dependency)}
        aliases = _aliases(query) & query.having - known
        yield QueryFacts(
            at=f"{model.at}/{'macro' if model.declared.macro else 'sql'}",
            name=model.declared.name,
            understood=query.understood,
            reads="unknown" if not query.selects else "something" if query.reads_something else "nothing",
            star=query.star,
            window="none" if not windowed else "grouped" if query.combines else "ungrouped",
            groups_by_window=not windowed and bool(_window_columns(query, subject) - known),
            having_alias=bool(aliases),
            alias=min(aliases, default=""),
        )


def key_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield every key column that a model does not declare; nothing for a model without declared columns."""
    for position, model in enumerate(subject.project.models):
        declared = {column.name for column in (*model.columns, *(model.contract_columns or ()))}
        if not declared:
            continue
        at, key = f"/models/{position}", model.raw.get("key")
        if key and key not in declared:
            yield Breach(f"{at}/key", "key_column", model.name, key)
        for index, column in enumerate(model.raw.get("primary_key") or ()):
            if column not in declared:
                yield Breach(f"{at}/primary_key/{index}", "key_column", model.name, column)


def access_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield every model that reads a private model of another group (section 3.8, E106)."""
    for model in subject.models:
        group = model.declared.raw.get("group")
        for dependency in model.dependencies:
            if dependency.kind == "source":
                continue
            target = subject.project.models[dependency.position].raw
            if target.get("access", "private") == "private" and target.get("group") not in (None, "", group):
                yield Breach(
                    _reading(model, dependency.name), "access_denied", model.declared.name, dependency.name
                )


def unused_from_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield every entry of `from` that SQL beside it does not read: with SQL, `from` has no effect."""
    for model in subject.models:
        if model.sql is None:
            continue
        read = {(dependency.kind, dependency.name) for dependency in model.dependencies}
        for index, entry in enumerate(model.declared.from_):
            if entry.source is not None and ("source", entry.source) not in read:
                yield Breach(
                    f"{model.at}/from/{index}", "unused_from_source", model.declared.name, entry.source
                )
            if entry.ref is not None and ("ref", entry.ref) not in read:
                yield Breach(f"{model.at}/from/{index}", "unused_from_model", model.declared.name, entry.ref)


def _uses(query: Query, use: str, subject: Subject) -> bool:
    names = subject.rules.catalogue("sql-names")
    return any(names[name]["use"] == use for name in query.functions)


def _window_columns(query: Query, subject: Subject) -> set[str]:
    names = subject.rules.catalogue("sql-names").entries
    return {name for name in query.grouped_by if names.get(name.upper(), {}).get("use") == "window_column"}


def _aliases(query: Query) -> frozenset[str]:
    return frozenset(output.name for output in query.outputs or () if output.column != output.name)


def _state_ttl(raw: Raw) -> Literal["absent", "not_positive", "short", "enough"]:
    written = (raw.get("flink") or {}).get("state_ttl_ms")
    if written is None:
        return "absent"
    milliseconds = as_int(written)
    if milliseconds <= 0:
        return "not_positive"
    return "short" if milliseconds < SHORT_TTL_MS else "enough"


def _policies(raw: Raw) -> Literal["none", "masks", "access"]:
    policies: list[Any] = (raw.get("security") or {}).get("policies") or []
    if not policies:
        return "none"
    return "masks" if all("mask" in policy for policy in policies) else "access"


def _reading(model: CompiledModel, name: str) -> str:
    """Return where a model names what it reads."""
    if model.sql is not None:
        return f"{model.at}/{'macro' if model.declared.macro else 'sql'}"
    return next(
        f"{model.at}/from/{index}/ref"
        for index, entry in enumerate(model.declared.from_)
        if entry.ref == name
    )


def declared_topic_models(subject: Subject) -> Iterator[tuple[str, CompiledModel, Model]]:
    """Yield location, compiled and declared model of every model that topic rules are about."""
    table = subject.rules.table("ruled-topics")
    for facts, model in zip(governed(subject), subject.models, strict=True):
        if table.decide(facts)["applies"]:
            yield model.at, model, model.declared
