"""How the numbers of a sample are spread over declared buckets."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.checks.bounds import Bounds, bounds_of, is_number
from streamt_ol.checks.faults import counted
from streamt_ol.checks.looking import Look, Seen, exactly
from streamt_ol.checks.records import NotEvaluated, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.checks.records import Message
    from streamt_ol.project.records import Raw

_DIGITS = 4


def distribution(asserted: Raw, messages: Sequence[Message], _look: Look) -> Seen:
    """Compare the share of numbers in each bucket with what is declared, exactly.

    Both bounds belong to a bucket, but a number at which another bucket starts belongs to that one. Shares
    are of the messages with a number in the column; without any there is nothing to compare.
    """
    column = asserted["column"]
    values = [value for message in messages if is_number(value := message.value.get(column))]
    if not values:
        reason = f"`{column}` is a number in none of {counted(len(messages), 'message')}"
        return Seen((), (NotEvaluated("distribution", reason),), evaluated=False)
    problems: list[Problem] = []
    for bucket in _buckets(asserted["buckets"]):
        inside = sum(bucket.holds(value) for value in values)
        for text in bucket.breaches(Fraction(inside, len(values))):
            whole = f"{inside} of {counted(len(values), 'number')} of `{column}` lie {bucket.bounds}: {text}"
            problems.append(Problem("distribution", whole))
    return Seen(tuple(problems))


class _Bucket(NamedTuple):
    bounds: Bounds
    taken: bool
    """Whether another bucket starts where this one ends."""
    expected: Fraction | None
    tolerance: Fraction
    greatest: Fraction | None

    def holds(self, value: Any) -> bool:
        return self.bounds.hold(value) and not (self.taken and value == self.bounds.most)

    def breaches(self, share: Fraction) -> Iterator[str]:
        if self.expected is not None and abs(share - self.expected) > self.tolerance:
            around = f" give or take {_shown(self.tolerance)}" if self.tolerance else ""
            yield f"a share of {_shown(share)} where {_shown(self.expected)}{around} is expected"
        if self.greatest is not None and share > self.greatest:
            yield f"a share of {_shown(share)} where at most {_shown(self.greatest)} is accepted"


def _buckets(declared: Sequence[Raw]) -> Iterator[_Bucket]:
    bounds = [bounds_of(bucket) for bucket in declared]
    for position, bucket in enumerate(declared):
        others = bounds[:position] + bounds[position + 1 :]
        most = bounds[position].most
        yield _Bucket(
            bounds=bounds[position],
            taken=most is not None and any(other.least == most for other in others),
            expected=_ratio(bucket, "expected_ratio"),
            tolerance=_ratio(bucket, "tolerance") or Fraction(0),
            greatest=_ratio(bucket, "max_ratio"),
        )


def _ratio(bucket: Raw, key: str) -> Fraction | None:
    return None if bucket.get(key) is None else exactly(bucket[key])


def _shown(share: Fraction) -> str:
    return f"{round(float(share), _DIGITS):g}"
