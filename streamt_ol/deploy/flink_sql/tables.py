"""Topics as tables of a job: columns, watermark, key, connector and format.

What is decided is decided by the tables `flink-connectors`, `flink-formats`, `flink-table-options` and
`flink-watermarks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.flink_sql.columns import columns_of, watermark_of
from streamt_ol.deploy.flink_sql.facts import FlinkTable, FlinkValues, FlinkWiring
from streamt_ol.deploy.flink_sql.records import Table
from streamt_ol.deploy.flink_sql.texts import can_be_quoted, option_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from streamt_ol.compiler.facts import Presence
    from streamt_ol.deploy.flink_sql.facts import Use
    from streamt_ol.deploy.flink_sql.records import Column
    from streamt_ol.deploy.flink_sql.setting import Setting
    from streamt_ol.deploy.flink_sql.subjects import Subject

_CHANGELOGS = frozenset({"append", "upsert"})
_WRITTEN = "json"
"""The format of what jobs write: the project language has none for models."""


class _Wired(NamedTuple):
    """How a table is connected to its topic."""

    use: Use
    connector: str
    keyed: str
    """What the messages are keyed by: `nothing`, `key` or `primary_key`."""
    brokers: str
    """The ones to ask first."""


def table_of(subject: Subject, use: Use, setting: Setting) -> Table | None:
    """Return the table that a job reads or writes; None where a problem was noted."""
    if not can_be_quoted(subject.name):
        setting.troubles.add("name_unwritable", subject.label, f"{subject.at}/name")
    columns = columns_of(subject, use, setting)
    wired = _wired(subject, use, setting)
    form = _format(subject, setting) if use != "writes" else _WRITTEN
    if columns is None or wired is None or form is None:
        return None
    keys = {"nothing": (), "key": (subject.key or "",), "primary_key": subject.primary_key}[wired.keyed]
    if not _keys_are_written(keys, columns, subject, setting):
        return None
    return Table(
        name=subject.name,
        columns=columns,
        options=_options(subject.at, wired, form, subject.topic, keys, setting),
        format=form,
        primary_key=keys if wired.connector == "upsert-kafka" else (),
        watermark=watermark_of(subject, columns, setting) if use in ("reads", "tests") else None,
    )


def failures_table(
    name: str, columns: Sequence[Column], letters: str | None, at: str, setting: Setting
) -> Table:
    """Return the table that takes what breaks a test: a dead-letter topic, or one that only counts."""
    use: Use = "counts" if letters is None else "letters"
    facts = FlinkTable(
        at=at,
        label=name,
        use=use,
        home="kafka",
        writer="others",
        primary_key="absent",
        key="absent",
        changelog="absent",
        proxy=_presence(setting.proxy),
        login=_presence(setting.login),
    )
    connector = setting.rules.table("flink-connectors").decide(facts)["connector"]
    wired = _Wired(use, connector, "nothing", setting.brokers)
    options = _options(at, wired, _WRITTEN, letters or "", (), setting)
    physical = tuple(column for column in columns if column.computed is None)
    return Table(name=name, columns=physical, options=options, format=_WRITTEN)


def _wired(subject: Subject, use: Use, setting: Setting) -> _Wired | None:
    """Return how a table is connected to its topic; None where a problem was noted."""
    changelog = (subject.changelog or "absent").lower()
    facts = FlinkTable(
        at=subject.at,
        label=subject.label,
        use=use,
        home=subject.home,
        writer=subject.writer,
        primary_key=_presence(subject.primary_key),
        key=_key(subject),
        changelog=changelog if changelog in {"absent", *_CHANGELOGS} else "other",
        proxy=_presence(setting.proxy),
        login=_presence(setting.login),
    )
    decision = setting.rules.table("flink-connectors").decide(facts)
    if fault := decision.get("fault"):
        at = f"{subject.at}/flink/changelog_mode" if fault == "changelog_unknown" else subject.at
        setting.troubles.add(fault, subject.label, at)
        return None
    brokers = setting.proxy if decision["through"] == "proxy" else setting.brokers
    return _Wired(use, decision["connector"], decision["keyed"], brokers or "")


def _key(subject: Subject) -> Literal["absent", "same", "other"]:
    if subject.key is None:
        return "absent"
    return "same" if subject.primary_key == (subject.key,) else "other"


def _format(subject: Subject, setting: Setting) -> str | None:
    schema = subject.schema
    said = {key for key, value in (schema or {}).items() if value}
    facts = FlinkValues(
        at=subject.at,
        label=subject.label,
        schema="absent" if schema is None else "registered" if said - {"fields"} else "fields_only",
        format=((schema or {}).get("format") or "absent").lower(),
        registry=_presence(setting.registry),
    )
    decision = setting.rules.table("flink-formats").decide(facts)
    if fault := decision.get("fault"):
        setting.troubles.add(fault, subject.label, f"{subject.at}/schema")
        return None
    form: str = decision["format"]
    if form != _WRITTEN and setting.registry_files:
        setting.troubles.add("registry_certificates", subject.label, "/runtime/schema_registry")
    return form


def _keys_are_written(
    keys: Sequence[str], columns: Sequence[Column], subject: Subject, setting: Setting
) -> bool:
    physical = {column.name for column in columns if column.computed is None}
    unknown = [key for key in keys if key not in physical]
    for key in unknown:
        setting.troubles.add("key_unknown", subject.label, subject.at, key)
    return not unknown


def _options(
    at: str, wired: _Wired, form: str, topic: str, keys: Sequence[str], setting: Setting
) -> Mapping[str, str]:
    wiring = FlinkWiring(
        at=at,
        use=wired.use,
        connector=wired.connector,
        keyed=wired.keyed,
        format=form,
        topic=topic,
        brokers=wired.brokers,
        project=setting.project,
        environment=setting.environment,
        job=setting.job,
        key_fields=option_list(keys),
        registry=setting.registry or "",
    )
    decisions = setting.rules.table("flink-table-options").decide_all(wiring)
    return {decision["option"]: decision["value"](wiring) for decision in decisions}


def _presence(value: Any) -> Presence:
    return "present" if value else "absent"
