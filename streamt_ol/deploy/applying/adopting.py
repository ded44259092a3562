"""Taking an existing resource under management: what has to be so, and what the state says of it then.

Nothing is changed but the state. The declaration alone grants nothing, and neither does the command: it takes
both. Sources: sections 1.3 and 7 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.applying.errors import (
    AdoptConflictError,
    AdoptFailedError,
    AdoptLiveMissingError,
    AdoptTargetError,
)
from streamt_ol.deploy.planning.identity import parse_identity

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from streamt_ol.deploy.records import Desired, Live
    from streamt_ol.deploy.state.records import Record, Snapshot

ADOPTED = "adopted"
_LOCATION = "resource"


def find_target(name: str, desired: Sequence[Desired], kinds: Collection[str]) -> Desired:
    """Return what `KIND:NAME` names: declared as adopted, of a kind that can be looked at.

    Raises AdoptTargetError.
    """
    kind, colon, physical = name.partition(":")
    found = [one for one in desired if (one.kind, one.physical_name) == (kind, physical)]
    adoptable = [f"{one.kind}:{one.physical_name}" for one in desired if one.ownership == ADOPTED]
    if not found:
        raise AdoptTargetError(
            f"the project declares no '{name}'" if colon else "a resource is named as KIND:NAME",
            location=_LOCATION,
            suggestion=f"declared as adopted: {', '.join(adoptable) or 'nothing'}",
        )
    (target,) = found
    if target.ownership != ADOPTED:
        raise AdoptTargetError(
            f"'{name}' is declared as {target.ownership}, so nobody wants it adopted",
            location=target.at,
            suggestion="write `ownership: {mode: adopted}` into the declaration",
        )
    if target.kind not in kinds:
        raise AdoptTargetError(f"this version cannot look at a {target.kind}", location=target.at)
    return target


def given_up(target: Desired, snapshot: Snapshot, declared: Collection[str]) -> dict[str, Record]:
    """Return the records that the state gives up when the resource is adopted, by their ids.

    That is the record of the resource itself where it is about another name or another service, as after a
    service got another address; and the one that claims the resource for an owner which the project does not
    declare any more, as after a model got another name. `declared` are the ids of what the project declares.
    Raises AdoptConflictError where a record has the resource already, or claims it for who is declared.
    """
    replaced = {}
    for resource_id, record in snapshot.resources.items():
        same_name = (parse_identity(resource_id).kind, record.physical_name) == (
            target.kind,
            target.physical_name,
        )
        same = same_name and target.backend in {None, record.backend}
        if resource_id == target.resource_id:
            if same:
                raise AdoptConflictError(
                    f"the state has a record of it already: {record.physical_name}, {record.ownership}",
                    location=target.at,
                )
            replaced[resource_id] = record
        elif same_name:
            if resource_id in declared or not same:
                raise AdoptConflictError(f"{resource_id} claims the same name", location=target.at)
            replaced[resource_id] = record
    return replaced


def refuse_absent(target: Desired, live: Live) -> None:
    """Refuse to adopt what does not exist."""
    if live.surface is None:
        raise AdoptLiveMissingError(
            f"there is no {target.kind} '{target.physical_name}' to adopt", location=target.at
        )


def refuse_moved(shown: Live, now: Live) -> None:
    """Refuse to adopt something else than what was shown."""
    if shown != now:
        raise AdoptFailedError(
            f"the {now.kind} '{now.physical_name}' is not what was shown any more",
            suggestion="run the command again, and look at what it shows",
        )


def refuse_other_records(shown: dict[str, Record], now: dict[str, Record]) -> None:
    """Refuse to give up other records than those that were shown."""
    if shown != now:
        raise AdoptFailedError(
            "the records that the state was to give up are not what was shown any more",
            suggestion="run the command again, and look at what it shows",
        )
