"""A difference for a pull request: lists by severity, and a picture of what changed and what is around it.

Names stand in code spans, so that nothing in them is markup, a link or a mention.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from streamt_ol.review.diffs.diff_mermaid import picture
from streamt_ol.review.diffs.diff_text import SAME, SHOWN, named, summary
from streamt_ol.review.diffs.labels import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.review.diffs.diff import Diff

TITLE = "What changed in the lineage"


def render(diff: Diff, title: str | None = None) -> str:
    """Return the difference as a section of Markdown under a heading of the second level."""
    return "".join(f"{line}\n" for line in _lines(diff, title or TITLE))


def code(text: str) -> str:
    """Return a text as a code span, whatever backticks it holds."""
    text = one_line(text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest or text.startswith(" ") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _lines(diff: Diff, title: str) -> Iterator[str]:
    yield f"## {one_line(title)}"
    yield ""
    if diff.is_empty:
        yield f"{SAME}."
        return
    yield f"{summary(diff)}."
    for severity, changes in groupby(diff.changes, key=lambda change: change.severity):
        yield from ("", f"### {severity.capitalize()}", "")
        for change in changes:
            feeds = named(change, map(code, change.below.names(SHOWN)))
            yield f"- {code(change.message)} ({change.id})" + (f"; feeds {feeds}" if change.fed else "")
    if diff.renames:
        yield from ("", "### Perhaps renamed", "")
    for rename in diff.renames:
        yield f"- {rename.kind} {code(rename.old)} to {code(rename.new)} ({rename.id})"
    drawing, left_out = picture(diff)
    yield from ("", "### The neighbourhood", "", "```mermaid", *drawing, "```", "")
    note = f" {left_out} more are not drawn." if left_out else ""
    yield f"Cylinders are datasets, rounded boxes are jobs.{note}"
