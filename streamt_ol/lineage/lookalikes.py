"""Names that a reader, or a catalogue, may take for one (decision D16), and the code points that differ."""

from __future__ import annotations

import itertools
import unicodedata
from typing import TYPE_CHECKING

from streamt_ol.ground.errors import Diagnostic
from streamt_ol.lineage.facts import PairFacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamt_ol.engine.ruleset import RuleSet

Named = tuple[str, str]
"""A name and its location."""


def look_alikes(kind: str, names: Iterable[Named], rules: RuleSet) -> Iterator[Diagnostic]:
    """Yield a warning for each name that resembles an earlier one, located at the later."""
    table = rules.table("look-alikes")
    groups: dict[str, list[Named]] = {}
    for name, at in names:
        groups.setdefault(_folded(name), []).append((name, at))
    for group in groups.values():
        for (first, _at), (second, at) in itertools.pairwise(group):
            if first == second:
                continue
            first_points, second_points = _differing_points(first, second)
            facts = PairFacts(
                at, kind, _difference(first, second), first, second, first_points, second_points
            )
            decision = table.decide(facts)
            if decision.get("code") is not None:
                yield Diagnostic(decision["code"], decision["message"](facts), at)


def _folded(name: str) -> str:
    """Return what is left of a name when everything is dropped by which look-alikes may differ."""
    if name.isascii() and name.islower() and name.isidentifier():
        return name
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name)
    return "".join(name.casefold().split()).replace(".", "_")


def _difference(first: str, second: str) -> str:
    if unicodedata.normalize("NFKC", first) == unicodedata.normalize("NFKC", second):
        return "normalization"
    if "".join(first.split()) == "".join(second.split()):
        return "white_space"
    if first.casefold() == second.casefold():
        return "case"
    return "metric" if first.replace(".", "_") == second.replace(".", "_") else "several"


def _differing_points(first: str, second: str) -> tuple[str, str]:
    """Return the code points between the common start and the common end of two names."""
    start = _common_start(first, second)
    rest_first, rest_second = first[start:], second[start:]
    end = _common_start(rest_first[::-1], rest_second[::-1])
    return _points(rest_first[: len(rest_first) - end]), _points(rest_second[: len(rest_second) - end])


def _common_start(first: str, second: str) -> int:
    pairs = zip(first, second, strict=False)
    return next(
        (index for index, (left, right) in enumerate(pairs) if left != right), min(len(first), len(second))
    )


def _points(text: str) -> str:
    return " ".join(f"U+{ord(character):04X}" for character in text) or "nothing"
