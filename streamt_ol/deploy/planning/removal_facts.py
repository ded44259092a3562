"""What becomes of a removal: the table `removals`, asked beside what the state says and what is there.

Source: sections 1.2, 1.4 and 1.7 of the runtime facts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from streamt_ol.deploy.planning.changes import liveness
from streamt_ol.deploy.planning.records import Assessment, Blocker
from streamt_ol.deploy.planning.removals import claimants

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.compiler.facts import Presence
    from streamt_ol.deploy.planning.facts import Liveness
    from streamt_ol.deploy.planning.kinds import Kinds
    from streamt_ol.deploy.planning.removals import Removal
    from streamt_ol.deploy.records import Live, Surface
    from streamt_ol.deploy.state.records import Snapshot
    from streamt_ol.engine.ruleset import RuleSet

_INTERCEPTOR: Final = re.compile(r".*_([a-z]+)_([0-9]+)", re.DOTALL)


class DeclaredRemoval(NamedTuple):
    """Facts of the record `declared_removal`."""

    at: str
    resource: str
    kind: str
    name: str
    provider: Presence
    record: Literal["absent", "owned", "other"]
    recorded: str
    claimed: Literal["nobody", "other"]
    claimant: str
    live: Liveness
    artifact: Literal["same", "differs"]
    differences: str


class Removals:
    """What one state, and what is there, make of removals."""

    def __init__(self, snapshot: Snapshot, kinds: Kinds, rules: RuleSet) -> None:
        self._snapshot = snapshot
        self._kinds = kinds
        self._table = rules.table("removals")

    def assessed(self, removal: Removal, there: Live | None) -> tuple[Assessment, Blocker | None]:
        """Return what becomes of a removal, and what stands in its way.

        `there` is None where nobody looked.
        """
        facts = self._facts(removal, there)
        decision = self._table.decide(facts)
        message = decision["message"](facts)
        assessment = Assessment(
            resource_id=removal.resource_id,
            kind=removal.kind,
            name=removal.physical_name,
            cluster=removal.cluster,
            record=facts.record,
            live=facts.live,
            verdict=decision["verdict"],
            message=message,
        )
        if decision["verdict"] != "blocked":
            return assessment, None
        return assessment, Blocker(
            code=decision["blocks"],
            kind=removal.kind,
            resource=f"{removal.kind}:{removal.physical_name}",
            action=self._kinds.by_name[removal.kind].deletes,
            message=message,
            remedy=decision["remedy"](facts),
            details={},
            at=removal.at,
        )

    def _facts(self, removal: Removal, there: Live | None) -> DeclaredRemoval:
        record = self._snapshot.resources.get(removal.resource_id)
        claims = claimants(removal.kind, removal.physical_name, removal.backend, self._snapshot)
        others = [claim for claim in claims if claim != removal.resource_id]
        differences = [] if there is None else [*_differences(removal, there.surface)]
        return DeclaredRemoval(
            at=removal.at,
            resource=removal.resource_id,
            kind=removal.kind,
            name=removal.physical_name,
            provider="absent" if self._kinds.by_name[removal.kind].backend is None else "present",
            record="absent" if record is None else "owned" if removal.resource_id in claims else "other",
            recorded="" if record is None else record.physical_name,
            claimed="other" if others else "nobody",
            claimant=", ".join(others),
            live=liveness(there),
            artifact="differs" if differences else "same",
            differences="; ".join(differences),
        )


def _differences(removal: Removal, surface: Surface | None) -> Iterator[str]:
    """Yield in which parts of a Gateway rule what is there is not what is declared to be removed."""
    prior = removal.prior
    if prior is None or surface is None:
        return
    if prior.name != removal.physical_name:
        yield f"a rule is called like its virtual topic, and `name` is '{prior.name}'"
    alias = surface["alias"]
    topic = None if alias is None else alias["physicalName"]
    if topic != prior.physical_topic:
        found = "no topic" if topic is None else f"'{topic}'"
        yield f"it leads to {found}, and `physicalTopic` is '{prior.physical_topic}'"
    kinds = interceptor_kinds(surface["interceptors"])
    if kinds != sorted(prior.interceptors):
        declared = ", ".join(sorted(prior.interceptors)) or "none"
        yield f"its interceptors are {', '.join(kinds) or 'none'}, and `interceptors` are {declared}"


def interceptor_kinds(interceptors: list[Mapping[str, Any]]) -> list[str]:
    """Return the kinds of a rule's interceptors, sorted: one that is there for several groups is one."""
    found = {match.groups() for one in interceptors if (match := _INTERCEPTOR.fullmatch(one["name"]))}
    return sorted(kind for kind, _number in found)
