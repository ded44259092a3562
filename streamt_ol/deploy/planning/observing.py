"""What is there of the resources that a project wants.

Source: sections 1.1 and 1.2 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.records import Wanted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.planning.removals import Removal
    from streamt_ol.deploy.records import Desired, Live, Provider


def needed_kinds(desired: Sequence[Desired], removals: Sequence[Removal] = ()) -> frozenset[str]:
    """Return the kinds of which a resource is not external, or is to be removed; others need not be asked."""
    wanted = {one.kind for one in desired if one.ownership != "external"}
    return frozenset(wanted | {removal.kind for removal in removals})


def wanted(one: Desired) -> Wanted:
    """Return what a provider is asked about a resource."""
    return Wanted(one.physical_name, one.cluster, one.surface, one.payload)


def observe(
    desired: Sequence[Desired], providers: Mapping[str, Provider], removals: Sequence[Removal] = ()
) -> dict[str, Mapping[str, Live]]:
    """Return what is there, by kind and physical name, external resources of a needed kind included.

    Of what is to be removed, only what is there matters. A kind without a provider is left out, and so is
    what is external on a cluster that holds nothing else. Raises what providers raise.
    """
    needed = needed_kinds(desired, removals)
    clusters = {(one.kind, one.cluster) for one in desired if one.ownership != "external"}
    return {
        kind: providers[kind].observe(
            [
                *(wanted(one) for one in desired if one.kind == kind and (kind, one.cluster) in clusters),
                *(Wanted(one.physical_name, one.cluster) for one in removals if one.kind == kind),
            ]
        )
        for kind in providers
        if kind in needed
    }
