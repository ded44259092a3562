"""What the governance tables see: finite facts and names. No SQL, no configuration, no runtime values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from streamt_ol.compiler.facts import Presence


@dataclass(frozen=True, slots=True)
class Governed:
    """Facts of the record `governed` (rules/facts.yml): a compiled model against the chosen runtime."""

    at: str
    name: str
    materialized: str
    effective: str
    virtual_block: bool
    gateway_runtime: Presence
    flink_runtime: Presence
    machine_learning: bool
    learning_cluster: Presence
    ml_outputs: Presence
    state_ttl: Literal["absent", "not_positive", "short", "enough"]
    policies: Literal["none", "masks", "access"]


@dataclass(frozen=True, slots=True)
class GovernedTest:
    """Facts of the record `governed_test`."""

    at: str
    name: str
    model: str
    type: str
    target: Literal["known", "unknown"]
    flink_runtime: Presence
    sample_size: Presence


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """Facts of the record `query`; `alias` is the alias that HAVING names."""

    at: str
    name: str
    understood: bool
    reads: Literal["unknown", "nothing", "something"]
    star: bool
    window: Literal["none", "grouped", "ungrouped"]
    groups_by_window: bool
    having_alias: bool
    alias: str


@dataclass(frozen=True, slots=True)
class ConnectorSetting:
    """Facts of the record `connector_setting`: a text of a configuration in the form of a variable."""

    at: str
    key: str
    holder: str
    """`the sink of model 'x'`."""
    placeholder: str
    """`${NAME}`, without a default."""
    lookup: str
    """What a config provider of Kafka Connect takes for it."""
    form: Literal["plain", "default"]
    letters: Literal["capital", "other"]


@dataclass(frozen=True, slots=True)
class Breach:
    """Facts of the record `breach`: `label` breaks a rule by `other`, where `wanted` was asked for."""

    at: str
    trait: str
    label: str
    other: str = ""
    wanted: str = ""
    enforced: bool = True
