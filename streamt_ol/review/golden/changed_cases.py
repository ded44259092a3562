"""The changed runs of a review by case: what came out the same way together, the most severe first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.review.diffs.change_facts import SEVERITIES
from streamt_ol.review.golden.texts import part_diff

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamt_ol.review.golden.comparing import Comparison
    from streamt_ol.review.golden.reviewing import Review


@dataclass(frozen=True, slots=True)
class ChangedCase:
    """The changed runs of a case, those that changed in the same way together."""

    name: str
    groups: Sequence[Sequence[Comparison]]

    @property
    def comparisons(self) -> list[Comparison]:
        """Return the changed runs."""
        return [comparison for group in self.groups for comparison in group]

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of distinct changes of each severity."""
        return _counts(self.comparisons)

    @property
    def rank(self) -> tuple[Any, ...]:
        """Return what sorts cases: those with the most of the most severe changes first, then by name."""
        return (*(-count for count in self.counts.values()), self.name)


def changed_cases(review: Review) -> list[ChangedCase]:
    """Return the changed cases, the most severe first."""
    groups: dict[str, dict[Any, list[Comparison]]] = {}
    for each in review.comparisons:
        texts = tuple(tuple(part_diff(part, each.old[part], each.new[part])) for part in each.as_text)
        same = (tuple((change.id, change.message) for change in each.changes), texts)
        groups.setdefault(each.case, {}).setdefault(same, []).append(each)
    cases = [ChangedCase(name, sorted(found.values(), key=_rank)) for name, found in groups.items()]
    return sorted(cases, key=lambda case: case.rank)


def _rank(group: Sequence[Comparison]) -> tuple[Any, ...]:
    return (*(-count for count in _counts(group).values()), group[0].run)


def _counts(comparisons: Iterable[Comparison]) -> dict[str, int]:
    changes = {(change.id, change.severity) for each in comparisons for change in each.changes}
    return {name: sum(severity == name for _id, severity in changes) for name in SEVERITIES}
