"""What tables see of Flink clusters and jobs; what their provider reads of a rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from streamt_ol.engine.ruleset import Needs

if TYPE_CHECKING:
    from streamt_ol.compiler.facts import Presence
    from streamt_ol.engine.ruleset import RuleSet

Trouble = Literal[
    "statement",
    "statement_late",
    "versions",
    "submission",
    "start",
    "start_late",
    "savepoint",
    "savepoint_late",
    "cancellation",
    "shape",
    "shape_unsaid",
    "shape_unread",
]


class FlinkClusterFacts(NamedTuple):
    """Facts of the record `flink_cluster` (rules/facts.yml)."""

    at: str
    name: str
    type: Literal["confluent", "other"]
    api_key: Presence


class FlinkJobFacts(NamedTuple):
    """Facts of the record `flink_job`."""

    at: str


class FlinkFailure(NamedTuple):
    """Facts of the record `flink_failure`."""

    at: str
    service: str
    trouble: Trouble
    what: str
    name: str
    reason: str
    """In Flink's own words, without secrets, where it said something."""


class FlinkPlanFacts(NamedTuple):
    """Facts of the record `flink_plan`."""

    at: str
    operators: Literal["distinct", "repeated", "unknown"]


class FlinkAdviceFacts(NamedTuple):
    """Facts of the record `flink_advice`; `job`, `going_on` and `option` are as a shell reads them."""

    at: str
    path: str
    topics: str
    """That it reads and writes, with commas between."""
    job: str
    going_on: str
    option: str


FLINK_NEEDS: Final = Needs(
    tables={
        "flink-clusters": ["spoken", "code", "message", "suggestion", "setting"],
        "flink-job-states": ["standing", "start"],
        "flink-operations": ["over", "done"],
        "flink-failures": ["result", "code", "message"],
        "flink-operators": ["part"],
        "flink-ids": ["option", "value"],
        "flink-advice": ["advice"],
        "flink-refusals": ["helps"],
    },
    catalogues={"flink-bounds": ["limit"]},
    records={
        "flink_cluster": FlinkClusterFacts,
        "flink_job": FlinkJobFacts,
        "flink_failure": FlinkFailure,
        "flink_plan": FlinkPlanFacts,
        "flink_advice": FlinkAdviceFacts,
    },
)


def flink_bound(rules: RuleSet, name: str) -> int:
    """Return a bound of deployments on Flink."""
    limit: int = rules.catalogue("flink-bounds")[name]["limit"]
    return limit
