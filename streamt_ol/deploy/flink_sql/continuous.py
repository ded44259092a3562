"""The job of a continuous test: what breaks it goes into a dead-letter topic, or is counted.

Which records break an assertion is a row of `flink-assertions`. Source: sections 3.5 and 5.3 of the project
language.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from streamt_ol.compiler.declared_artifacts import letters_of
from streamt_ol.deploy.flink_sql.facts import FlinkAssertion
from streamt_ol.deploy.flink_sql.models import Parts
from streamt_ol.deploy.flink_sql.options import NAME
from streamt_ol.deploy.flink_sql.rendering import either, insert, select
from streamt_ol.deploy.flink_sql.subjects import named
from streamt_ol.deploy.flink_sql.tables import failures_table, table_of
from streamt_ol.deploy.flink_sql.texts import quoted, value
from streamt_ol.deploy.flink_sql.words import is_expression, is_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.flink_sql.records import Column, Table
    from streamt_ol.deploy.flink_sql.setting import Setting
    from streamt_ol.project.records import Raw

Bounds = Literal["none", "least", "most", "both"]
_BOUNDS: Mapping[tuple[bool, bool], Bounds] = {
    (False, False): "none",
    (True, False): "least",
    (False, True): "most",
    (True, True): "both",
}
"""Whether there is a least and a greatest value, to the word for it."""


def test_parts(test: Raw, at: str, graph: Graph, job: str, setting: Setting) -> Parts:
    """Return the tables, the INSERT and the settings of a continuous test's job."""
    label = f"test '{test['name']}'"
    settings = {NAME: job}
    subject = named(test["model"], graph)
    if subject is None:
        setting.troubles.add("tested_unknown", label, f"{at}/model", test["model"])
        return Parts((), "", settings)
    topics = letters_of(test)
    if len(topics) > 1:
        setting.troubles.add("letters_several", label, f"{at}/on_failure/actions")
    tested = table_of(subject, "tests", setting)
    if tested is None:
        return Parts((), "", settings)
    conditions = sorted(set(_conditions(test, label, at, tested, setting)))
    name = f"test_failures_{test['name']}"
    failures = failures_table(name, tested.columns, topics[0] if topics else None, at, setting)
    columns = [column.name for column in failures.columns]
    filled = insert(failures, columns, select(columns, tested, either(conditions))) if conditions else ""
    return Parts((tested, failures), filled, settings)


def _conditions(test: Raw, label: str, at: str, table: Table, setting: Setting) -> Iterator[str]:
    assertions = test.get("assertions") or ()
    if not assertions:
        setting.troubles.add("assertions_missing", label, at)
    columns = {column.name: column for column in table.columns}
    for index, assertion in enumerate(assertions):
        ((kind, said),) = assertion.items()
        where = f"{at}/assertions/{index}/{kind}"
        base = FlinkAssertion(where, label, kind, "something")
        for facts in _facts(kind, said, base, columns, setting):
            decision = setting.rules.table("flink-assertions").decide(facts)
            if fault := decision.get("fault"):
                setting.troubles.add(fault, label, where, kind)
            else:
                yield decision["breaks"](facts)


def _facts(
    kind: str, said: Raw, base: FlinkAssertion, columns: Mapping[str, Column], setting: Setting
) -> Iterator[FlinkAssertion]:
    """Yield an assertion once for each column that it is about."""
    if kind == "custom_sql":
        yield base._replace(
            expression_state="present" if is_expression(said["where"]) else "broken",
            expression=said["where"].strip(),
        )
        return
    types: Mapping[str, str] = said.get("types") or {}
    about = said.get("columns") or types or ([said["column"]] if "column" in said else [])
    if not about:
        yield base._replace(says="nothing")
    for name in about:
        column = columns.get(name)
        facts = base._replace(column=quoted(name), column_state="declared" if column else "unknown")
        looks = _looks(column, setting)
        if kind == "accepted_values":
            facts = _accepting(facts, said["values"], looks)
        elif kind == "range":
            facts = _bounded(facts, said, looks)
        elif kind == "accepted_types":
            facts = facts._replace(
                type=types[name].strip(), expression_state="present" if is_type(types[name]) else "broken"
            )
        yield facts


def _accepting(facts: FlinkAssertion, values: Sequence[Any], looks: Sequence[str] | None) -> FlinkAssertion:
    """Return the facts of a list of values; null is always accepted, so it is left out."""
    present = [plain for plain in values if plain is not None]
    written = [value(plain) for plain in present]
    fit = None not in written and all(_fits(plain, looks) for plain in present)
    return facts._replace(
        says="something" if present else "nothing",
        fit="fits" if fit else "unfit",
        values=", ".join(text for text in written if text is not None),
    )


def _bounded(facts: FlinkAssertion, said: Raw, looks: Sequence[str] | None) -> FlinkAssertion:
    """Return the facts of bounds, numbers that may be written as texts."""
    least, most = (_number(said.get(bound)) for bound in ("min", "max"))
    given = (said.get("min") is not None, said.get("max") is not None)
    bounds = _BOUNDS[given]
    written = [text for text, there in zip((least, most), given, strict=True) if there]
    fit = None not in written and (looks is None or "number" in looks or "integer" in looks)
    return facts._replace(
        says="something" if any(given) else "nothing",
        bounds=bounds,
        fit="fits" if fit else "unfit",
        least=least or "",
        most=most or "",
    )


def _number(bound: Any) -> str | None:
    """Return a bound, a number or a text of one, as a literal; None without one and for infinity."""
    number = None if bound is None else Decimal(str(bound))
    return format(number, "f") if number is not None and number.is_finite() else None


def _looks(column: Column | None, setting: Setting) -> Sequence[str] | None:
    """Return what kinds of values a column has; None where that is not known."""
    if column is None or column.computed is not None:
        return None
    looks: Sequence[str] | None = setting.rules.table("sample-types").match(column.type).get("looks")
    return looks


def _fits(plain: Any, looks: Sequence[str] | None) -> bool:
    kind = {bool: "boolean", int: "integer", float: "number", str: "text"}.get(type(plain))
    return kind is not None and (looks is None or kind in looks)
