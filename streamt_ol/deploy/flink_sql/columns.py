"""Columns and watermark of a table, from what a source or a model declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.flink_sql.facts import FlinkEventTime
from streamt_ol.deploy.flink_sql.records import Column
from streamt_ol.deploy.flink_sql.texts import DAY_MS, can_be_quoted, interval, quoted
from streamt_ol.deploy.flink_sql.words import is_expression, is_type
from streamt_ol.project.coerce import as_int

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from streamt_ol.deploy.flink_sql.facts import Expressed, Use
    from streamt_ol.deploy.flink_sql.setting import Setting
    from streamt_ol.deploy.flink_sql.subjects import Field, Subject

PROCTIME = "PROCTIME()"
_DAYS = 1000
_USUAL_DELAY_MS = 5000
_USUAL_STRATEGY = "bounded_out_of_orderness"


def columns_of(subject: Subject, use: Use, setting: Setting) -> tuple[Column, ...] | None:
    """Return the columns of a table; None where a problem was noted.

    A table that is written has those of its messages, and says which are never null. One that is read does
    not: Flink takes the word of a table, and would leave out each check for null.
    """
    troubles = setting.troubles
    if not subject.fields:
        troubles.add("columns_missing", subject.label, subject.fields_at)
        return None
    columns: dict[str, Column] = {}
    broken = False
    for field in subject.fields:
        fault = _fault(field, columns)
        if fault:
            at = field.at if fault in ("type_missing", "type_unwritable") else f"{field.at}/name"
            troubles.add(fault, subject.label, at, field.name)
            broken = True
        elif not field.proctime:
            not_null = field.not_null and use == "writes" and not _says_null(field)
            columns[field.name] = Column(field.name, field.type or "", not_null=not_null)
        elif use != "writes":
            columns[field.name] = Column(field.name, "", computed=PROCTIME)
    return None if broken else tuple(columns.values())


def watermark_of(subject: Subject, columns: Sequence[Column], setting: Setting) -> tuple[str, str] | None:
    """Return the column of the event time and its watermark; None where there is none, or a problem."""
    event_time = subject.event_time
    if event_time is None:
        return None
    at = f"{subject.at}/event_time"
    if event_time.get("allowed_lateness_ms") is not None:
        setting.troubles.add("lateness_unused", subject.label, f"{at}/allowed_lateness_ms")
    facts = _event_time(subject, event_time, columns, setting)
    decision = setting.rules.table("flink-watermarks").decide(facts)
    if fault := decision.get("fault"):
        setting.troubles.add(fault, subject.label, at, event_time["column"])
        return None
    return event_time["column"], decision["watermark"](facts)


def _event_time(
    subject: Subject, event_time: Mapping[str, Any], columns: Sequence[Column], setting: Setting
) -> FlinkEventTime:
    declared = next((column for column in columns if column.name == event_time["column"]), None)
    written = event_time.get("watermark") or {}
    delay, expression = written.get("max_out_of_orderness_ms"), written.get("expression") or ""
    milliseconds = _USUAL_DELAY_MS if delay is None else as_int(delay)
    fits = 0 <= milliseconds < _DAYS * DAY_MS
    typed = setting.rules.table("flink-event-types").match(declared.type if declared else "", subject.at)
    return FlinkEventTime(
        at=subject.at,
        label=subject.label,
        strategy=written.get("strategy") or _USUAL_STRATEGY,
        column_state="declared" if declared else "unknown",
        type=typed["type"],
        delay_state="fits" if fits else "unfit",
        expression_state=_expressed(expression),
        column=quoted(event_time["column"]),
        delay=interval(milliseconds) if fits else "",
        expression=expression.strip(),
    )


def _expressed(text: str) -> Expressed:
    if not text.strip():
        return "absent"
    return "present" if is_expression(text) else "broken"


def _fault(field: Field, known: Mapping[str, Column]) -> str | None:
    if not can_be_quoted(field.name):
        return "name_unwritable"
    if field.name in known:
        return "column_repeated"
    if field.proctime:
        return None
    if field.type is None:
        return "type_missing"
    return None if is_type(field.type) else "type_unwritable"


def _says_null(field: Field) -> bool:
    """Return whether the type itself says whether it may be null."""
    return (field.type or "").upper().split()[-1:] == ["NULL"]
