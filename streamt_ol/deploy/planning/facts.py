"""What the tables see of a deployment: the records of the same names in `rules/facts.yml`.

No record has room for settings, SQL or configuration, so none of their values can reach a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from streamt_ol.compiler.facts import Presence

Recorded = Literal["absent", "same", "other"]
Liveness = Literal["absent", "present", "unverified"]
Difference = Literal["nothing", "some"]


class OwnedResource(NamedTuple):
    """Facts of the record `owned_resource`."""

    at: str
    resource: str
    kind: str
    name: str
    owner: Literal["test", "other"]
    project: Literal["own", "other"]
    mode: str
    record: Recorded
    recorded: str
    claimed: Literal["nobody", "other"]
    claimant: str
    live: Liveness
    adopt_command: str
    """What adopts it, to be pasted."""


class PlannedChange(NamedTuple):
    """Facts of the record `planned_change`."""

    at: str
    resource: str
    kind: str
    name: str
    action: str
    provider: Presence
    record: Recorded
    live: Liveness
    partitions: Literal["same", "raised", "reduced"] = "same"
    live_partitions: str = ""
    partitions_wanted: str = ""
    replication: Literal["same", "changed"] = "same"
    live_replication: str = ""
    replication_wanted: str = ""
    difference: Difference = "nothing"
    verdict: str = "unasked"
    """Of a service that judges changes."""
    verdict_reason: str = ""
    job: str = "absent"
    """How the cluster of a Flink job knows one of that name."""
    restore: str = "none"
    """From which state a Flink job is to be submitted."""
    keys: Literal["kept", "removed"] = "kept"
    """Whether a change takes settings away."""


class FlinkDecision(NamedTuple):
    """Facts of the record `flink_decision`."""

    at: str
    name: str
    standing: str
    """How its cluster knows the job: a word of `flink_standing`."""
    record: Recorded
    savepoint: Presence
    named: Presence
    fresh: Presence


class EnvironmentPolicy(NamedTuple):
    """Facts of the record `environment_policy`."""

    at: str
    demand: str
    protected: bool
    require_reviewed_plan: bool
    confirm_apply: bool
    allow_destructive: bool
    require_remote_state: bool
