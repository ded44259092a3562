"""One thing that differs within what is said about a dataset, job or edge; equality of JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SUBJECTS = (
    "dataset",
    "job",
    "edge",
    "field",
    "type",
    "order",
    "owner",
    "facet",
    "standard",
    "description",
    "producer",
)
"""What can differ, in the order of a report: the domain `difference` of the rule tables."""
Operation = Literal["added", "removed", "changed"]


class Found(NamedTuple):
    """One thing that one side has and the other has not, or has otherwise."""

    subject: str
    """One of `SUBJECTS`."""
    path: str = ""
    """Where it is: a JSON pointer into what is said, with names in place of positions."""
    part: str = ""
    """What it is, in words before "of": `type of field amount`; empty for the thing itself."""
    old: Any = None
    """The JSON value before; None where there was none."""
    new: Any = None
    shown: tuple[str, str] = ("", "")
    """The values before and after, where a message may show them."""

    @property
    def operation(self) -> Operation:
        """Return what happened to it."""
        if self.old is None:
            return "added"
        return "removed" if self.new is None else "changed"


def same(old: Any, new: Any) -> bool:
    """Return whether two JSON values are one; unlike in Python, `true` is not 1."""
    return bool(old == new) and canonical(old) == canonical(new)


def canonical(value: Any) -> bytes:
    """Return the bytes of a JSON value, whatever the order of its keys was."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def pairs(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield key, value before and value after of all that differs; None stands for none, as null does."""
    for key, before in old.items():
        after = new.get(key)
        if not same(before, after):
            yield key, before, after
    for key, after in new.items():
        if key not in old and after is not None:
            yield key, None, after
