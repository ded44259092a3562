"""From which state jobs are submitted that had one: what the user says of it, and what of that is needed.

Sources: section 1.4 of the runtime facts; the table `flink-restores`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.planning.changes import FieldChange
from streamt_ol.deploy.planning.errors import UnknownJobError
from streamt_ol.deploy.planning.facts import FlinkDecision

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from streamt_ol.deploy.planning.facts import Recorded
    from streamt_ol.deploy.records import Desired, Live, Surface
    from streamt_ol.engine.ruleset import RuleSet

KIND = "flink_job"
RESTORE = "restore"
"""The key of a payload, and of the evidence of a plan, under which it is said."""
STOPPED, NAMED, FRESH, DISCARDED = "stopped", "named", "fresh", "discarded"


class Restores(NamedTuple):
    """What a user says of the state of jobs, by their names."""

    savepoint: bool = False
    """Whether a job that runs may be stopped with a savepoint, from which the new one starts."""
    named: Mapping[str, str] = MappingProxyType({})
    """Job to the savepoint from which it is submitted."""
    fresh: frozenset[str] = frozenset()
    """Jobs that are submitted without the state that they had; one that runs, with `savepoint` alone."""

    def require_known(self, desired: Iterable[Desired]) -> None:
        """Refuse what is said of jobs that the project does not have: UnknownJobError."""
        jobs = {one.physical_name for one in desired if one.kind == KIND}
        unknown = sorted({*self.named, *self.fresh} - jobs)
        if unknown:
            raise UnknownJobError(
                f"--flink-from and --flink-fresh name no Flink job of the project: {', '.join(unknown)}",
                suggestion=f"it has: {', '.join(sorted(jobs)) or 'none'}",
            )

    def beyond(self, other: Restores) -> str | None:
        """Return an option that says what the other does not say; None where there is none."""
        if self.savepoint and not other.savepoint:
            return "--flink-savepoint"
        for name, path in self.named.items():
            if other.named.get(name) != path:
                return f"--flink-from {name}={path}"
        return next((f"--flink-fresh {name}" for name in sorted(self.fresh - other.fresh)), None)


NOTHING_SAID: Final = Restores()


def restore_of(
    at: str, name: str, there: Live | None, record: Recorded, restores: Restores, rules: RuleSet
) -> Surface:
    """Return from which state a job is to be submitted: a word of `flink_restore`, and a savepoint."""
    decision = rules.table("flink-restores").decide(
        FlinkDecision(
            at=at,
            name=name,
            standing=_standing(there),
            record=record,
            savepoint="present" if restores.savepoint else "absent",
            named="present" if name in restores.named else "absent",
            fresh="present" if name in restores.fresh else "absent",
        )
    )
    word = decision[RESTORE]
    return {RESTORE: word, "savepoint": restores.named[name] if word == NAMED else None}


def restores_in(actions: Sequence[Mapping[str, Any]], desired: Iterable[Desired]) -> Restores:
    """Return what was said when a plan was made, from its actions as they were saved."""
    names = {one.resource_id: one.physical_name for one in desired}
    said = [
        (names.get(action["resource_id"], ""), action["flink_evidence"])
        for action in actions
        if action["flink_evidence"] is not None
    ]
    return Restores(
        savepoint=any(evidence[RESTORE] in (STOPPED, DISCARDED) for _name, evidence in said),
        named={name: evidence["savepoint"] for name, evidence in said if evidence[RESTORE] == NAMED},
        fresh=frozenset(name for name, evidence in said if evidence[RESTORE] in (FRESH, DISCARDED)),
    )


def restore_change(payload: Surface | None) -> Iterator[FieldChange]:
    """Yield what a plan shows of the state of a job; nothing where there is none, or nobody has said."""
    restore = (payload or {}).get(RESTORE) or {}
    shown = {
        STOPPED: FieldChange("from", "its state", "the savepoint that it is stopped with"),
        NAMED: FieldChange("from", None, restore.get("savepoint")),
        DISCARDED: FieldChange(
            "from", "its state", "nothing: it is stopped with a savepoint, and not gone on from"
        ),
        FRESH: FieldChange("from", None, "nothing: without the state that it had"),
    }.get(restore.get(RESTORE, ""))
    if shown is not None:
        yield shown


def _standing(there: Live | None) -> str:
    if there is None or (there.surface is None and there.verdict != "ended"):
        return "absent"
    standing: str = "ended" if there.surface is None else there.surface["state"]
    return standing
