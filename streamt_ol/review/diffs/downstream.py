"""What is fed by a dataset or job, directly or through others.

Written out, the closures of a chain of n nodes hold n²/2 names. So the nearest nodes are found one start at a
time, up to a limit, and all nodes are counted together: circles taken as one, in blocks, as sets of bits that
flow upstream.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamt_ol.review.diffs.designs import Edge, Identity
    from streamt_ol.review.diffs.labels import Labels

_BLOCK = 8192
"""How many nodes are counted at a time: a bit for each, in every circle upstream of it."""


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
        circles = self._circles()
        home = {node: number for number, circle in enumerate(circles) for node in circle}
        fed = [{home[target] for node in circle for target in self._fed[node]} for circle in circles]
        sizes = [len(circle) for circle in circles]
        totals = _reached(fed, sizes)
        return {node: totals[number] - 1 for node, number in home.items()}

    def _circles(self) -> list[list[Identity]]:
        """Return sets of nodes that reach each other, most of them of one node, each before what it feeds.

        This is Kosaraju's algorithm: the second walk, against the edges, starts where the first ended last.
        """
        feeding: dict[Identity, list[Identity]] = {node: [] for node in self._fed}
        for source, targets in self._fed.items():
            for target in targets:
                feeding[target].append(source)
        circles: list[list[Identity]] = []
        seen: set[Identity] = set()
        for root in reversed(self._last_first()):
            if root in seen:
                continue
            seen.add(root)
            circle = [root]
            for node in circle:  # which grows meanwhile
                new = [source for source in feeding[node] if source not in seen]
                circle.extend(new)
                seen.update(new)
            circles.append(circle)
        return circles

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


def _reached(fed: list[set[int]], sizes: list[int]) -> list[int]:
    """Return, per circle, how many nodes it reaches, its own included; it feeds later ones only."""
    starts = list(accumulate(sizes, initial=0))
    totals = [0] * len(fed)
    for first in range(0, starts[-1], _BLOCK):
        reached = [0] * len(fed)
        for number in range(len(fed) - 1, -1, -1):
            low = min(max(starts[number] - first, 0), _BLOCK)
            high = min(max(starts[number + 1] - first, 0), _BLOCK)
            bits = (1 << high) - (1 << low)  # the nodes of the circle, as far as they are in the block
            for target in fed[number]:
                bits |= reached[target]
            reached[number] = bits
            totals[number] += bits.bit_count()
    return totals


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
