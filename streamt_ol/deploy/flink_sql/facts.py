"""What the tables see of a Flink job: the records of the same names in `rules/facts.yml`.

None has room for a login, so no password can reach a message or a trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from streamt_ol.compiler.facts import Presence

Use = Literal["reads", "tests", "writes", "letters", "counts"]
Expressed = Literal["absent", "broken", "present"]


class FlinkTable(NamedTuple):
    """Facts of the record `flink_table`."""

    at: str
    label: str
    use: Use
    home: str
    writer: Literal["job", "others"]
    primary_key: Presence
    key: Literal["absent", "same", "other"]
    changelog: str
    proxy: Presence
    login: Presence


class FlinkValues(NamedTuple):
    """Facts of the record `flink_values`."""

    at: str
    label: str
    schema: Literal["absent", "fields_only", "registered"]
    format: str
    registry: Presence


class FlinkWiring(NamedTuple):
    """Facts of the record `flink_wiring`; project, environment and job are encoded as parts of a path."""

    at: str
    use: Use
    connector: str
    keyed: str
    format: str
    topic: str
    brokers: str
    project: str
    environment: str
    job: str
    key_fields: str
    registry: str


class FlinkEventTime(NamedTuple):
    """Facts of the record `flink_event_time`."""

    at: str
    label: str
    strategy: str
    column_state: Literal["declared", "unknown"]
    type: Literal["fits", "other"]
    delay_state: Literal["fits", "unfit"]
    expression_state: Expressed
    column: str
    delay: str
    expression: str


class FlinkAssertion(NamedTuple):
    """Facts of the record `flink_assertion`."""

    at: str
    label: str
    kind: str
    says: Literal["nothing", "something"]
    column_state: Literal["none", "declared", "unknown"] = "none"
    fit: Literal["fits", "unfit"] = "fits"
    bounds: Literal["none", "least", "most", "both"] = "none"
    expression_state: Literal["none", "broken", "present"] = "none"
    column: str = ""
    values: str = ""
    least: str = ""
    most: str = ""
    type: str = ""
    expression: str = ""


class FlinkLogin(NamedTuple):
    """Facts of the record `flink_login`."""

    at: str
    protocol: str
    format: str
    authorities: Presence
    certificate: Presence
    key_password: Presence
    registry_login: Presence


class FlinkTrouble(NamedTuple):
    """Facts of the record `flink_trouble`."""

    at: str
    fault: str
    label: str
    name: str
