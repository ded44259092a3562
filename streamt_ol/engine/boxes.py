"""Sets of combinations of finite inputs, as boxes: one allowed set of values per input.

Everything that is decided about a table (gaps, overlaps, rows that can never be reached) is a question about
boxes. Boxes are subtracted symbolically, so the cost follows the rows and not the size of the product.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from streamt_ol.engine.vocabulary import Value

Box = Mapping[str, frozenset[Value]]


def intersect(left: Box, right: Box) -> Box | None:
    """Return the common part of two boxes over the same inputs; None when it is empty."""
    common: dict[str, frozenset[Value]] = {}
    for name, values in left.items():
        shared = common[name] = values & right[name]
        if not shared:
            return None
    return common


def subtract(box: Box, taken: Box) -> list[Box]:
    """Return disjoint boxes that hold exactly what `box` has and `taken` has not."""
    if intersect(box, taken) is None:
        return [box]
    rest: list[Box] = []
    core = dict(box)
    for name in box:
        outside = core[name] - taken[name]
        if outside:
            rest.append({**core, name: outside})
        core[name] = core[name] & taken[name]
    return rest


def remainder(boxes: Sequence[Box], taken: Iterable[Box]) -> list[Box]:
    """Return disjoint boxes that hold what `boxes` have and none of `taken` has."""
    left = list(boxes)
    for cut in taken:
        left = [piece for box in left for piece in subtract(box, cut)]
        if not left:
            break
    return left
