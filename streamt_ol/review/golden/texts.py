"""Differences of texts and traces, line by line, for people."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

import orjson

from streamt_ol.review.golden.cases import TRACE

if TYPE_CHECKING:
    from collections.abc import Sequence


def part_diff(part: str, old: bytes, new: bytes) -> list[str]:
    """Return what differs in a part: lines that start with `-`, `+`, or a blank for one that stays."""
    if part == TRACE:
        return line_diff(_decisions(old), _decisions(new), around=0)
    return line_diff(_lines(old), _lines(new), around=1)


def line_diff(old: Sequence[str], new: Sequence[str], around: int) -> list[str]:
    """Return the lines that differ, with so many that stay around them; `...` stands between places."""
    found = list(unified_diff(old, new, n=around, lineterm=""))[2:]
    places = ["..." if line.startswith("@@") else line for line in found]
    return places[1:]


def shortened(lines: Sequence[str], most: int) -> list[str]:
    """Return at most so many lines, the last of which says how many more there are."""
    if len(lines) <= most:
        return list(lines)
    return [*lines[: most - 1], f"... {counted(len(lines) - most + 1, 'more line')}"]


def counted(number: int, noun: str) -> str:
    """Return a number of things: `1 run`, `2 runs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "backslashreplace").splitlines()


def _decisions(trace: bytes) -> list[str]:
    """Return each decision as `TABLE/ROW at PLACE`."""
    decisions = [orjson.loads(line) for line in trace.splitlines()]
    return [f"{decision['table']}/{decision['row']} at {decision['at']}" for decision in decisions]
