"""The semantic difference of two exports: changes with severities and stable ids, what they feed, renames."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamt_ol.ground.pointer import pointer
from streamt_ol.review.diffs.change_facts import SEVERITIES, ChangeFacts, Severity, require_changes
from streamt_ol.review.diffs.designs import Design, Edge, Identity
from streamt_ol.review.diffs.differences import Difference, differences
from streamt_ol.review.diffs.downstream import Downstream, Feeds
from streamt_ol.review.diffs.found import SUBJECTS, Operation, canonical
from streamt_ol.review.diffs.labels import Labels
from streamt_ol.review.diffs.renames import suggest_renames

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamt_ol.engine.ruleset import RuleSet

NEAREST = 100
"""How many of the datasets and jobs downstream of a change are named; the rest is counted."""
_ID_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two exports, judged."""

    id: str
    """The same in every run and on every machine, for the same change of the same thing."""
    severity: Severity
    operation: Operation
    subject: str
    """What kind of thing changed: one of `found.SUBJECTS`."""
    identity: str
    """The dataset or job that it is about, as people call it."""
    path: str
    """Where in it: a JSON pointer with names in place of positions; empty for the identity itself."""
    message: str
    of: Identity = field(repr=False)
    edge: Edge | None = field(repr=False)
    below: Feeds = field(repr=False, compare=False)

    @property
    def feeds(self) -> tuple[str, ...]:
        """Return the datasets and jobs downstream, nearest first; at most `NEAREST` of them."""
        return self.below.names(NEAREST)

    @property
    def fed(self) -> int:
        """Return how many datasets and jobs there are downstream."""
        return self.below.count()

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "id": self.id,
            "severity": self.severity,
            "operation": self.operation,
            "subject": self.subject,
            "identity": self.identity,
            "kind": self.of.kind,
            "namespace": self.of.namespace,
            "name": self.of.name,
            "path": self.path,
            "message": self.message,
            "feeds": list(self.feeds),
            "fed": self.fed,
        }


@dataclass(frozen=True, slots=True)
class Rename:
    """A suggestion: an identity went and another came that looks the same."""

    old: str
    new: str
    kind: str
    """`dataset` or `job`."""
    id: str


@dataclass(frozen=True, slots=True)
class Diff:
    """Everything that differs between two exports."""

    changes: tuple[Change, ...]
    """Most severe first, then by subject and identity."""
    renames: tuple[Rename, ...]
    labels: Labels = field(repr=False, compare=False)
    edges: Mapping[Edge, str] = field(repr=False, compare=False)
    """Every edge of both sides: `added`, `removed` or `same`."""

    @property
    def is_empty(self) -> bool:
        """Return whether both exports say the same."""
        return not self.changes

    def at_least(self, severity: Severity) -> tuple[Change, ...]:
        """Return the changes that are as severe or more."""
        enough = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return tuple(change for change in self.changes if change.severity in enough)

    def counts(self) -> dict[str, int]:
        """Return the number of changes of each severity, most severe first."""
        counted = Counter(change.severity for change in self.changes)
        return {severity: counted[severity] for severity in SEVERITIES}

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "same": self.is_empty,
            "counts": self.counts(),
            "changes": [change.document() for change in self.changes],
            "renames": [
                {"id": one.id, "kind": one.kind, "old": one.old, "new": one.new} for one in self.renames
            ],
        }


def diff_exports(old: Iterable[Mapping[str, Any]], new: Iterable[Mapping[str, Any]], rules: RuleSet) -> Diff:
    """Return what differs between the events of two exports, in whatever order they are.

    How severe a difference is and what is said about it is decided by the table `changes`.
    Raises EventRepeatedError, NoDesignEventError and EventIncompleteError of `exports`.
    """
    require_changes(rules)
    return _Judge(Design(old), Design(new), rules).diff()


class _Judge:
    """Turns differences into changes."""

    def __init__(self, old: Design, new: Design, rules: RuleSet) -> None:
        self._old, self._new = old, new
        self._table = rules.table("changes")
        gone, come = old.edges(), new.edges()
        self._edges = {edge: "same" if edge in come else "removed" for edge in gone}
        self._edges |= {edge: "added" for edge in come if edge not in gone}
        linked = (end for edge in self._edges for end in edge)
        self._labels = Labels([*old.events, *new.events, *linked])
        self._downstream = Downstream(self._edges)

    def diff(self) -> Diff:
        """Return the changes, sorted, and the suggested renames."""
        changes = [self._change(difference) for difference in differences(self._old, self._new)]
        renames = suggest_renames(self._old, self._new)
        return Diff(
            tuple(sorted(changes, key=_rank)),
            tuple(self._rename(before, after) for before, after in sorted(renames.items())),
            self._labels,
            self._edges,
        )

    def _change(self, difference: Difference) -> Change:
        identity, found = difference.identity, difference.found
        facts = ChangeFacts(
            at=pointer(*identity) + found.path,
            kind=identity.kind,
            subject=found.subject,
            operation=found.operation,
            what=self._what(difference),
            old=found.shown[0],
            new=found.shown[1],
        )
        decision = self._table.decide(facts)
        return Change(
            id=_id(difference),
            severity=decision["severity"],
            operation=found.operation,
            subject=found.subject,
            identity=self._labels[identity],
            path=found.path,
            message=decision["message"](facts),
            of=identity,
            edge=difference.edge,
            below=self._below(difference),
        )

    def _what(self, difference: Difference) -> str:
        """Return what changed in words: `type of field amount of dataset payments.v1`."""
        if difference.edge is None:
            whole = f"{difference.identity.kind} {self._labels[difference.identity]}"
        else:
            whole = f"edge {' -> '.join(self._labels[end] for end in difference.edge)}"
        return f"{difference.found.part} of {whole}" if difference.found.part else whole

    def _below(self, difference: Difference) -> Feeds:
        edge = difference.edge
        if edge is None or edge.target == difference.identity:
            return Feeds(self._downstream, self._labels, difference.identity, with_start=False)
        return Feeds(self._downstream, self._labels, edge.target, with_start=True)

    def _rename(self, old: Identity, new: Identity) -> Rename:
        return Rename(self._labels[old], self._labels[new], old.kind, _digest(["renamed", [*old], [*new]]))


def _rank(change: Change) -> tuple[Any, ...]:
    severity, subject = SEVERITIES.index(change.severity), SUBJECTS.index(change.subject)
    return severity, subject, change.identity, change.of, change.path, change.id


def _id(difference: Difference) -> str:
    """Return the id: what happened to what; for a change, also from which value to which."""
    found = difference.found
    values = [found.old, found.new] if found.operation == "changed" else []
    return _digest([found.operation, found.subject, [*difference.identity], found.path, values])


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()[:_ID_DIGITS]
