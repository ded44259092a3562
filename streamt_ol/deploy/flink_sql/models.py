"""The job of a model: its SQL between the tables that it reads and the one that it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.flink_sql.options import settings_of
from streamt_ol.deploy.flink_sql.projection import projection
from streamt_ol.deploy.flink_sql.rendering import insert, select
from streamt_ol.deploy.flink_sql.subjects import of_model, of_source
from streamt_ol.deploy.flink_sql.tables import table_of
from streamt_ol.deploy.flink_sql.words import read_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.compiler.records import CompiledModel, Graph
    from streamt_ol.deploy.flink_sql.records import Table
    from streamt_ol.deploy.flink_sql.setting import Setting
    from streamt_ol.deploy.flink_sql.words import Words

_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "TABLE"})


class Parts(NamedTuple):
    """What a job consists of; `insert` is empty where a problem was noted."""

    tables: tuple[Table, ...]
    insert: str
    settings: Mapping[str, str]
    query_line: int | None = None
    """As in JobDefinition."""


def model_parts(model: CompiledModel, graph: Graph, job: str, setting: Setting) -> Parts:
    """Return tables by name, the output last, the INSERT and the settings of a model's job."""
    subject = of_model(model)
    inputs = [
        of_source(graph.sources[dependency.position], dependency.position)
        if dependency.kind == "source"
        else of_model(graph.models[dependency.position])
        for dependency in model.dependencies
    ]
    read = [table_of(one, "reads", setting) for one in sorted(inputs, key=lambda one: one.name)]
    written = table_of(subject, "writes", setting)
    block = model.declared.raw.get("flink") or {}
    settings = settings_of(block, subject.label, subject.at, job, setting)
    known = [table for table in read if table is not None]
    filled, query_line = "", None
    if model.sql is not None:
        query_line = 1 + model.sql[: -len(model.sql.lstrip()) or None].count("\n")
        at = f"{subject.at}/{'macro' if model.declared.macro else 'sql'}"
        filled = _asked(model.sql, known, written, (subject.label, at), setting)
    elif len(inputs) != 1:
        setting.troubles.add("query_missing", subject.label, f"{subject.at}/sql")
    elif known and written is not None:
        filled = _copied(known[0], written, (subject.label, subject.fields_at), setting)
    tables = (*known, written) if written is not None else tuple(known)
    return Parts(tables, filled, settings, query_line)


def _asked(
    sql: str, inputs: Sequence[Table], output: Table | None, place: tuple[str, str], setting: Setting
) -> str:
    """Return the INSERT of what the SQL gives, checked to be one query."""
    label, at = place
    words = read_words(sql)
    fault, line = ("query_unreadable", None) if words is None else _fault(words)
    if fault or words is None:
        written = at.endswith("/sql")  # a macro's lines are those of another file
        setting.troubles.add(fault or "", label, at, line=line if written else None)
        return ""
    if output is None:
        return ""
    query = sql[: _end(words, sql)].strip()
    declared = [column.name for column in output.columns]
    columns = {table.name: [column.name for column in table.columns] for table in inputs}
    given = projection(words, columns, {*declared, *(name for names in columns.values() for name in names)})
    if given is None:
        return insert(output, (), query)
    if sorted(given) != sorted(declared):
        setting.troubles.add("projection_differs", label, at, _difference(given, declared))
        return ""
    return insert(output, given, query)


def _fault(words: Words) -> tuple[str, int | None]:
    """Return why words are not one query and the line where they stop being one; nothing where they are."""
    while words and words[-1].is_mark(";"):
        words = words[:-1]
    if not words:
        return "query_empty", None
    marks = [index for index, word in enumerate(words) if word.is_mark(";")]
    if marks:
        return "query_several", words[marks[0] + 1].line
    first = next((word for word in words if not word.is_mark("(")), words[0])
    return ("", None) if first.keyword in _QUERIES else ("query_other", first.line)


def _end(words: Words, sql: str) -> int:
    """Return where the query ends: before its last semicolons, if it has some."""
    last = len(words)
    while last and words[last - 1].is_mark(";"):
        last -= 1
    return words[last].start if last < len(words) else len(sql)


def _copied(read: Table, written: Table, place: tuple[str, str], setting: Setting) -> str:
    """Return the INSERT of the columns that are declared, as they are read: there is nothing else to do."""
    label, at = place
    there = {column.name for column in read.columns}
    names = [column.name for column in written.columns]
    missing = [name for name in names if name not in there]
    for name in missing:
        setting.troubles.add("copy_differs", label, at, name)
    return "" if missing else insert(written, names, select(names, read))


def _difference(given: Sequence[str], declared: Sequence[str]) -> str:
    """Return what is not given, what is not declared, and what is given twice."""
    parts = (
        ("not given", [name for name in declared if name not in given]),
        ("not declared", [name for name in given if name not in declared]),
        ("given twice", sorted({name for name in given if given.count(name) > 1})),
    )
    return "; ".join(
        f"{what} {', '.join(f'`{name}`' for name in dict.fromkeys(names))}" for what, names in parts if names
    )
