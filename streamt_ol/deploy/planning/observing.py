"""What is there of the resources that a project wants.

Source: sections 1.1 and 1.2 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.records import Wanted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.records import Desired, Live, Provider


def needed_kinds(desired: Sequence[Desired]) -> frozenset[str]:
    """Return the kinds of which a resource is not external; of the others nobody need be asked."""
    return frozenset(one.kind for one in desired if one.ownership != "external")


def wanted(one: Desired) -> Wanted:
    """Return what a provider is asked about a resource."""
    return Wanted(one.physical_name, one.cluster, one.surface, one.payload)


def observe(desired: Sequence[Desired], providers: Mapping[str, Provider]) -> dict[str, Mapping[str, Live]]:
    """Return what is there, by kind and physical name, external resources of a needed kind included.

    A kind without a provider is left out. Raises what providers raise.
    """
    needed = needed_kinds(desired)
    return {
        kind: providers[kind].observe([wanted(one) for one in desired if one.kind == kind])
        for kind in providers
        if kind in needed
    }
