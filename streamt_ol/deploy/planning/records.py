"""A plan: what would be done, what is left alone, and why it may not be done.

Source: sections 1.2 to 1.5 and 1.7 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.records import Action

_CREATES = frozenset({"create", "register", "submit"})
_DELETES = frozenset({"delete", "cancel"})


class Requirement(NamedTuple):
    """A resource that is left as it is until somebody decides to whom it belongs."""

    resource_id: str
    kind: str
    logical_name: str
    physical_name: str
    reason: str
    """A word of the domain `ownership_reason`."""
    observed_action: str
    """What would have to be done; `none` where it is as it is wanted, `unknown` where nobody looked."""
    ownership_mode: str
    message: str
    remedy: str | None
    """What helps; None where there is nothing to mend."""
    blocks: bool
    """Whether the plan can be applied all the same: an external resource does not stand in its way."""
    at: str


class Blocker(NamedTuple):
    """A step that is never carried out."""

    code: str
    kind: str
    resource: str
    """`topic:NAME`."""
    action: str
    message: str
    remedy: str
    details: Mapping[str, Any]
    at: str
    line_within: int | None = None
    """Line of the text at that place, from 0, where it is known."""


class Evidence(NamedTuple):
    """What a risk was judged by."""

    status: str
    """`verified`, `partial` or `unavailable`."""
    sources: tuple[str, ...]
    """Backends that were looked at."""
    reasons: tuple[str, ...]
    """What was not: words of the domain `evidence_gap`."""


class Risk(NamedTuple):
    """How much one action may break."""

    resource_id: str
    kind: str
    name: str
    action: str
    risk_class: str
    flags: tuple[str, ...]
    """Sorted."""
    evidence: Evidence


class RiskSummary(NamedTuple):
    """The risks of a plan, taken together."""

    overall: str
    counts: Mapping[str, int]
    """Of every class, from the least to the worst."""
    risk_flags: tuple[str, ...]
    evidence_complete: bool


class Assessment(NamedTuple):
    """What becomes of a resource that the project says is to be removed."""

    resource_id: str
    kind: str
    name: str
    """The physical name."""
    cluster: str | None
    record: str
    """`owned`, `absent`, or `other` where the state has something else under the id."""
    live: str
    """`present`, `absent` or `unverified`."""
    verdict: str
    """A word of the domain `removal_verdict`."""
    message: str


class Plan(NamedTuple):
    """What a deployment would do, and nothing of it done."""

    project: str
    environment: str
    offline: bool
    """Whether neither the state nor what is there was read."""
    actions: tuple[Action, ...]
    """In the order of execution."""
    unchanged: tuple[str, ...]
    """Resource ids of what is as it is wanted."""
    requirements: tuple[Requirement, ...]
    blockers: tuple[Blocker, ...]
    risks: tuple[Risk, ...]
    """Of each action, in their order."""
    risk_summary: RiskSummary
    removals: tuple[Assessment, ...] = ()
    """Of each removal, as they are declared; only those with the verdict `delete` are actions."""

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "actions")

    @property
    def creates(self) -> int:
        """Return how many resources would be made."""
        return sum(action.action in _CREATES for action in self.actions)

    @property
    def updates(self) -> int:
        """Return how many resources would be changed."""
        return sum(action.action == "update" for action in self.actions)

    @property
    def deletes(self) -> int:
        """Return how many resources would be removed."""
        return sum(action.action in _DELETES for action in self.actions)

    @property
    def forgotten(self) -> tuple[str, ...]:
        """Return the resource ids of what is gone already, whose records the state gives up."""
        return tuple(one.resource_id for one in self.removals if one.verdict == "forget")

    @property
    def undecided(self) -> int:
        """Return how many resources are left as they are until somebody decides whose they are."""
        return sum(requirement.blocks for requirement in self.requirements)

    @property
    def has_changes(self) -> bool:
        """Return whether there is anything to do, be it only in the state."""
        return bool(self.actions or self.forgotten)

    @property
    def is_apply_blocked(self) -> bool:
        """Return whether no part of the plan can be applied."""
        return bool(self.blockers or self.undecided)

    @property
    def executable(self) -> tuple[Action, ...]:
        """Return the actions that apply carries out: none of a plan that is blocked or made offline."""
        return () if self.offline or self.is_apply_blocked else self.actions

    @property
    def summary(self) -> str:
        """Return `2 to create, 1 to update, 0 to delete, 3 unchanged`, and what else there is."""
        rest = ((len(self.forgotten), "to forget"), (self.undecided, "undecided"))
        return ", ".join(
            [
                f"{self.creates} to create",
                f"{self.updates} to update",
                f"{self.deletes} to delete",
                f"{len(self.unchanged)} unchanged",
                *(f"{number} {word}" for number, word in rest if number),
            ]
        )
