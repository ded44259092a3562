"""A review as Markdown for a pull request: the most severe first, details folded."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import yaml

from streamt_ol.review import diff_markdown
from streamt_ol.review.diff import SEVERITIES
from streamt_ol.review.golden.approvals import Approvable
from streamt_ol.review.golden.changed_cases import changed_cases
from streamt_ol.review.golden.texts import line_diff, part_diff, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from streamt_ol.review.golden.changed_cases import ChangedCase
    from streamt_ol.review.golden.comparing import Comparison
    from streamt_ol.review.golden.reviewing import Review
    from streamt_ol.review.golden.row_changes import RowChange

_MOST_LINES = 60
"""Of one text in a report; the whole is in the files."""
_MOST_NAMES = 12
_FENCE = re.compile("`{3,}")


def markdown(review: Review, pending: Collection[str] = ()) -> str:
    """Return the report; `pending` are the runs whose new output nobody accepted yet."""
    lines = ["# Golden review", "", _headline(review), ""]
    lines += _unapproved(review)
    lines += _rows(review)
    for case in changed_cases(review):
        lines += _case(case, review, pending)
    for title, runs in (("New runs", review.new), ("Runs that are gone", review.removed)):
        if runs:
            lines += [f"**{title}:** {_names(runs, len(runs))}", ""]
    for approval in review.stale:
        about = approval.about
        lines += [
            f"**Stale approval:** `{about.change}` in {_code(about.run)} matches no breaking change.",
            "",
        ]
    return "\n".join(lines).rstrip("\n")


def _headline(review: Review) -> str:
    if not (review.comparisons or review.new or review.removed):
        return f"No output changed in {review.runs} runs since {review.base}."
    counts = dict.fromkeys(SEVERITIES, 0)
    for comparison in review.comparisons:
        for change in comparison.changes:
            counts[change.severity] += 1
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    return (
        f"{len(review.comparisons)} of {review.runs} runs changed since {review.base}. "
        f"Changes of their events: {told}."
    )


def _unapproved(review: Review) -> list[str]:
    if not review.unapproved:
        return []
    lines = ["**Not approved.** These changes break readers; each needs an entry in `approvals.yml`:", ""]
    return [
        *lines,
        *(f"- {_code(run)} `{id_}`: {_inline(said)}" for (id_, run), said in review.unapproved.items()),
        "",
    ]


def _rows(review: Review) -> list[str]:
    if review.rows is None:
        return ["The rule tables are not in this repository, so their rows were not compared.", ""]
    if not review.rows:
        return ["No row of the rule tables changed.", ""]
    lines = ["| changed row | | decides in changed runs |", "|---|---|---|"]
    for change in review.rows:
        runs = [each.run for each in review.comparisons if change in review.causes(each)]
        lines.append(f"| `{change}` | {change.operation} | {_names(runs) or 'none'} |")
    return [*lines, ""]


def _case(case: ChangedCase, review: Review, pending: Collection[str]) -> Iterator[str]:
    worst = next((name for name, count in case.counts.items() if count), "other output")
    told = ", ".join(f"{count} {name}" for name, count in case.counts.items() if count) or "as text"
    yield from (f"<details><summary><b>{worst}</b>: {case.name} ({told})</summary>", "")
    causes = {change.id: change for each in case.comparisons for change in review.causes(each)}
    for change in causes.values():
        yield from _row(change)
    files = review.project_files.get(case.name, ())
    if files:
        yield from (f"The case itself changed: {_names(files)}", "")
    for group in case.groups:
        yield from _group(group, review, pending)
    yield from ("</details>", "")


def _row(change: RowChange) -> Iterator[str]:
    old, new = ([] if spelled is None else _spelled(spelled) for spelled in (change.old, change.new))
    yield from (f"Row `{change}` of `{change.file}` {change.operation}:", "")
    yield from _fenced(shortened(line_diff(old, new, around=2), _MOST_LINES), "diff")


def _spelled(value: Any) -> list[str]:
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)
    return text.removesuffix("...\n").splitlines()


def _group(group: Sequence[Comparison], review: Review, pending: Collection[str]) -> Iterator[str]:
    first = group[0]
    runs = [each.run for each in group]
    waiting = " (pending)" if any(run in pending for run in runs) else ""
    yield from (f"**{_names(runs)}**{waiting}", "")
    if first.diff is not None and first.changes:
        yield from (diff_markdown.render(first.diff).rstrip("\n"), "")
    for comparison in group:
        for change in comparison.breaking:
            approval = review.approvals.of(Approvable(change.id, comparison.run))
            if approval is not None:
                yield from (
                    f"`{change.id}` is approved by {_inline(approval.by)}: {_inline(approval.reason)}",
                    "",
                )
    for part in first.as_text:
        lines = part_diff(part, first.old[part], first.new[part])
        yield from (f"<details><summary>{part}: {len(lines)} lines</summary>", "")
        yield from _fenced(shortened(lines, _MOST_LINES), "diff")
        yield from ("</details>", "")


def _fenced(lines: Sequence[str], language: str) -> Iterator[str]:
    text = "\n".join(lines)
    fence = "`" * max([3, *(len(found) + 1 for found in _FENCE.findall(text))])
    yield from (f"{fence}{language}", text, fence, "")


def _names(names: Iterable[str], most: int = _MOST_NAMES) -> str:
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(_code(name) for name in listed[:most]) + more


def _code(text: str) -> str:
    return f"`{text}`"


def _inline(text: str) -> str:
    """Return a text as itself: what Markdown or HTML would read in it is escaped."""
    return re.sub(r"([\\`*_\[\]|~#])", r"\\\1", html.escape(" ".join(text.split()), quote=False))
