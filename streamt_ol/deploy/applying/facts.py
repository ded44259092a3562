"""What tables are asked about an apply."""

from __future__ import annotations

from typing import Literal, NamedTuple

Cause = Literal[
    "action_failed",
    "action_unknown",
    "removal_drifted",
    "rollback_failed",
    "interrupted",
    "state_error",
    "bug",
]
"""Words of the domain `failure_cause`."""
Failing = Literal["refused", "moved", "unknown"]
"""How an action fails."""
Phase = Literal["begun", "acting", "committing", "committed"]
"""Words of the domain `apply_phase`."""


class FailedAction(NamedTuple):
    """An action that was not carried out for certain, and why."""

    at: str
    kind: str
    action: str
    failure: Failing


class FailureFacts(NamedTuple):
    """How a durable operation failed."""

    at: str
    cause: Cause
    phase: Phase


class GateFacts(NamedTuple):
    """What was found at one gate before a durable operation; texts are empty where they say nothing."""

    at: str
    """The gate."""
    finding: str
    """A word of the domain `apply_finding`."""
    environment: str
    name: str
    """What it is about: a model, a tag, an operation, names of resources."""
    plan_command: str
    """What makes a plan for review, to be pasted."""
    apply_command: str
    """What applies it."""
