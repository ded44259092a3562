"""Tables and queries as statements of Flink SQL, one after the other as they are submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.flink_sql.texts import listed, literal, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamt_ol.deploy.flink_sql.records import Table


def create_table(table: Table, login: Mapping[str, str] | None = None) -> str:
    """Return the statement that makes a table known, with options of a login where they are given.

    The table is a temporary one: it lives in the session that submits the job, and nothing of it stays.
    """
    lines = [
        f"{quoted(column.name)} AS {column.computed}"
        if column.computed
        else f"{quoted(column.name)} {column.type}{' NOT NULL' if column.not_null else ''}"
        for column in table.columns
    ]
    if table.watermark is not None:
        column, expression = table.watermark
        lines.append(f"WATERMARK FOR {quoted(column)} AS {on_its_own(expression)}")
    if table.primary_key:
        lines.append(f"PRIMARY KEY ({listed(table.primary_key)}) NOT ENFORCED")
    options = {**table.options, **(login or {})}
    settings = [f"{literal(key)} = {literal(value)}" for key, value in options.items()]
    return f"CREATE TEMPORARY TABLE {quoted(table.name)} (\n{_body(lines)}\n) WITH (\n{_body(settings)}\n)"


def insert(table: Table, columns: Sequence[str], query: str) -> str:
    """Return the statement that writes what a query gives; by position where no columns are named."""
    names = f" ({listed(columns)})" if columns else ""
    return f"INSERT INTO {quoted(table.name)}{names}\n{query}"


def select(columns: Sequence[str], table: Table, condition: str = "") -> str:
    """Return a query for columns of one table, of the records of which the condition holds."""
    where = f"\nWHERE {condition}" if condition else ""
    return f"SELECT {listed(columns)}\nFROM {quoted(table.name)}{where}"


def either(conditions: Iterable[str]) -> str:
    """Return the condition that one of them holds."""
    return "\n   OR ".join(f"({on_its_own(condition)})" for condition in conditions)


def on_its_own(expression: str) -> str:
    """Return an expression that somebody wrote so that a comment in it ends with it."""
    return f"{expression}\n" if "--" in expression or "//" in expression else expression


def _body(lines: Iterable[str]) -> str:
    return ",\n".join(f"  {line}" for line in lines)
