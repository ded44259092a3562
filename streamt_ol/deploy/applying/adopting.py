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

    from streamt_ol.deploy.records import Desired, Live, Snapshot

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


def refuse_conflict(target: Desired, snapshot: Snapshot) -> None:
    """Refuse a resource of which the state has a record, or whose name another record claims."""
    for resource_id, record in snapshot.resources.items():
        if resource_id == target.resource_id:
            raise AdoptConflictError(
                f"the state has a record of it already: {record.physical_name}, {record.ownership}",
                location=target.at,
            )
        if (parse_identity(resource_id).kind, record.physical_name) == (target.kind, target.physical_name):
            raise AdoptConflictError(f"{resource_id} claims the same name", location=target.at)


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
