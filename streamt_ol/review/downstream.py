"""What is fed by a dataset or job, directly or through others.

Written out, the closures of a chain of n nodes hold n²/2 names. So the nearest nodes are found one start at a
time, up to a limit, and all nodes are counted together: in blocks, as sets of bits that flow upstream.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamt_ol.review.designs import Edge, Identity
    from streamt_ol.review.labels import Labels

_BLOCK = 8192
"""How many nodes are counted at a time: a bit for each, in each node upstream of it."""


class Downstream:
    """The closures of a graph, which may have circles; no node counts as downstream of itself."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self._fed: dict[Identity, list[Identity]] = {}
        for source, target in sorted(edges):
            self._fed.setdefault(source, []).append(target)
            self._fed.setdefault(target, [])

    def count(self, start: Identity) -> int:
        """Return how many nodes a node feeds."""
        return self._counts.get(start, 0)

    def nearest(self, start: Identity, limit: int) -> list[Identity]:
        """Return what a node feeds, at most `limit` of it, nearest first."""
        if limit <= 0:
            return []
        found: dict[Identity, None] = {}
        waiting = deque([start])
        while waiting:
            for node in self._fed.get(waiting.popleft(), ()):
                if node not in found and node != start:
                    found[node] = None
                    waiting.append(node)
                    if len(found) == limit:
                        return list(found)
        return list(found)

    @cached_property
    def _counts(self) -> dict[Identity, int]:
        order = self._last_first()
        number = {node: position for position, node in enumerate(order)}
        fed = [[number[target] for target in self._fed[node]] for node in order]
        totals = [0] * len(order)
        for first in range(0, len(order), _BLOCK):
            for position, bits in enumerate(_reached(fed, first)):
                own = bits >> (position - first) & 1 if first <= position < first + _BLOCK else 0
                totals[position] += bits.bit_count() - own
        return dict(zip(order, totals, strict=True))

    def _last_first(self) -> list[Identity]:
        """Return the nodes in post-order: in a graph without circles, each after all that it feeds."""
        order: list[Identity] = []
        seen: set[Identity] = set()
        for root in self._fed:
            if root in seen:
                continue
            seen.add(root)
            path = [(root, iter(self._fed[root]))]
            while path:
                node, rest = path[-1]
                for target in rest:
                    if target not in seen:
                        seen.add(target)
                        path.append((target, iter(self._fed[target])))
                        break
                else:
                    order.append(node)
                    path.pop()
        return order


def _reached(fed: list[list[int]], first: int) -> list[int]:
    """Return, per node, which nodes of the block from `first` on it reaches: a bit for each.

    The nodes are in post-order, so one sweep is enough for a graph without circles; a circle needs some more.
    """
    reached = [0] * len(fed)
    own = [0] * len(fed)
    for position in range(first, min(first + _BLOCK, len(fed))):
        own[position] = 1 << (position - first)
    grown = True
    while grown:
        grown = False
        for position, targets in enumerate(fed):
            bits = 0
            for target in targets:
                bits |= reached[target] | own[target]
            if bits != reached[position]:
                reached[position], grown = bits, True
    return reached


@dataclass(frozen=True, slots=True)
class Feeds:
    """What a change reaches: what its dataset or job feeds, or the far end of an edge and what that feeds."""

    downstream: Downstream
    labels: Labels
    start: Identity
    with_start: bool

    def count(self) -> int:
        """Return how many datasets and jobs that are."""
        return self.downstream.count(self.start) + self.with_start

    def names(self, limit: int) -> tuple[str, ...]:
        """Return what people call them, at most `limit` of them, nearest first."""
        first = [self.start] if self.with_start else []
        nodes = [*first, *self.downstream.nearest(self.start, limit - len(first))]
        return tuple(self.labels[node] for node in nodes)
