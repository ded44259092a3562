"""Boxes are subtracted symbolically; the result equals counting every combination."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.engine.boxes import intersect, remainder, subtract

DOMAINS = {"a": (1, 2, 3), "b": (True, False), "c": ("x", "y", "z", "w")}


def boxes():
    return st.fixed_dictionaries(
        {name: st.frozensets(st.sampled_from(values), min_size=1) for name, values in DOMAINS.items()}
    )


def points(box) -> set:
    return set(product(*(box[name] for name in DOMAINS)))


@given(boxes(), boxes())
def test_the_common_part_holds_exactly_the_points_of_both(left, right) -> None:
    common = intersect(left, right)

    assert (set() if common is None else points(common)) == points(left) & points(right)


@given(boxes(), boxes())
def test_the_difference_is_disjoint_and_exact(box, taken) -> None:
    pieces = [points(piece) for piece in subtract(box, taken)]

    assert set().union(*pieces) == points(box) - points(taken)
    assert sum(map(len, pieces)) == len(set().union(*pieces))


@given(boxes(), st.lists(boxes(), max_size=5))
def test_the_remainder_is_what_no_box_took(space, taken) -> None:
    left = [points(piece) for piece in remainder([space], taken)]

    assert set().union(*left) == points(space) - set().union(*map(points, taken))
