"""Circles in a directed graph of names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def find_cycle(edges: Mapping[str, Sequence[str]]) -> list[str] | None:
    """Return the names of one circle in order, the first repeated at the end; None where there is none.

    Depth first, names in sorted order, so that the same project always gives the same circle. Nothing
    recurses: a chain of fifty thousand models is a project like any other.
    """
    done: set[str] = set()
    for start in sorted(edges):
        if start in done:
            continue
        path: list[str] = [start]
        on_path = {start}
        walkers = [iter(sorted(edges.get(start, ())))]
        while walkers:
            following = next(walkers[-1], None)
            if following is None:
                walkers.pop()
                left = path.pop()
                on_path.discard(left)
                done.add(left)
            elif following in on_path:
                return [*path[path.index(following) :], following]
            elif following not in done:
                path.append(following)
                on_path.add(following)
                walkers.append(iter(sorted(edges.get(following, ()))))
    return None
