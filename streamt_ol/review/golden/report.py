"""A review as Markdown for a pull request: the most severe first, details folded."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import yaml

from streamt_ol.review.diffs import diff_markdown
from streamt_ol.review.diffs.change_facts import SEVERITIES
from streamt_ol.review.golden.approvals import Breaking
from streamt_ol.review.golden.changed_cases import changed_cases
from streamt_ol.review.golden.texts import counted, line_diff, part_diff, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from streamt_ol.review.golden.changed_cases import ChangedCase
    from streamt_ol.review.golden.comparing import Comparison
    from streamt_ol.review.golden.reviewing import Review
    from streamt_ol.review.golden.row_changes import RowChange, RowId

_MOST_LINES = 60
"""Of one text in a report; the whole is in the files."""
_MOST_NAMES = 12
_FENCE = re.compile("`{3,}")


def markdown(review: Review, pending: Collection[str] = ()) -> str:
    """Return the report; `pending` are the runs whose new output nobody accepted yet."""
    cases = changed_cases(review)
    lines = ["# Golden review", "", _headline(review, cases), ""]
    lines += _unapproved(review)
    lines += _rows(review)
    for case in cases:
        lines += _case(case, review, pending)
    for title, runs in (("New runs", review.new), ("Runs that are gone", review.removed)):
        if runs:
            lines += [f"**{title}:** {_names(runs, len(runs))}", ""]
    for approval in review.stale:
        about = f"`{approval.change}` in {diff_markdown.code(approval.case)}"
        lines += [f"**Stale approval:** {about} matches no breaking change.", ""]
    return "\n".join(lines).rstrip("\n")


def _headline(review: Review, cases: Sequence[ChangedCase]) -> str:
    runs = counted(review.runs, "run")
    if not (cases or review.new or review.removed):
        return f"No output of {runs} changed since {review.base}."
    counts = {name: sum(case.counts[name] for case in cases) for name in SEVERITIES}
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    return f"{len(review.comparisons)} of {runs} changed since {review.base}. Changes of events: {told}."


def _unapproved(review: Review) -> list[str]:
    if not review.unapproved:
        return []
    told = [
        f"- `{breaking.change}` in {_names(runs)}: {diff_markdown.code(said)}"
        for breaking, said, runs in review.unapproved_by_case()
    ]
    return [
        "**Not approved.** These changes break readers; each needs an entry in `approvals.yml`:",
        "",
        *told,
        "",
    ]


def _rows(review: Review) -> list[str]:
    if review.rows is None:
        return ["The rule tables are not in this repository: their rows were not compared.", ""]
    if not review.rows:
        return ["No row of the rule tables changed.", ""]
    runs: dict[RowId, list[str]] = {row.id: [] for row in review.rows}
    for comparison in review.comparisons:
        for cause in review.causes(comparison):
            runs[cause.row.id].append(comparison.run)
    lines = ["| changed row | | decides in changed runs |", "|---|---|---|"]
    lines += [f"| `{row}` | {row.operation} | {_names(runs[row.id]) or 'none'} |" for row in review.rows]
    return [*lines, ""]


def _case(case: ChangedCase, review: Review, pending: Collection[str]) -> Iterator[str]:
    worst = next((name for name, count in case.counts.items() if count), "other output")
    told = ", ".join(f"{count} {name}" for name, count in case.counts.items() if count) or "as text"
    yield from (f"<details><summary><b>{worst}</b>: {case.name} ({told})</summary>", "")
    causes: dict[RowId, RowChange] = {}
    caused: dict[RowId, dict[str, None]] = {}
    for cause in (cause for each in case.comparisons for cause in review.causes(each)):
        causes[cause.row.id] = cause.row
        caused.setdefault(cause.row.id, {}).update(dict.fromkeys(cause.changes))
    for id_, row in causes.items():
        yield from _row(row, caused[id_])
    files = review.project_files.get(case.name, ())
    if files:
        yield from (f"The case itself changed: {_names(files)}", "")
    for group in case.groups:
        yield from _group(group, review, pending)
    yield from ("</details>", "")


def _row(change: RowChange, caused: Iterable[str]) -> Iterator[str]:
    """Yield both versions of a row, and the ids of the changes that it can have caused."""
    old, new = ([] if spelled is None else _spelled(spelled) for spelled in (change.old, change.new))
    ids = _names(caused)
    told = f": {ids}" if ids else ""
    yield from (f"Row `{change}` of `{change.file}` {change.operation}{told}", "")
    yield from _fenced(shortened(line_diff(old, new, around=2), _MOST_LINES), "diff")


def _spelled(value: Any) -> list[str]:
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)
    return text.removesuffix("...\n").splitlines()


def _group(group: Sequence[Comparison], review: Review, pending: Collection[str]) -> Iterator[str]:
    first = group[0]
    runs = [each.run for each in group]
    waiting = " (pending)" if any(run in pending for run in runs) else ""
    title = _names(runs) + waiting
    if first.diff is not None and first.changes:
        yield from (diff_markdown.render(first.diff, title).rstrip("\n"), "")
    else:
        yield from (f"## {title}", "")
    yield from dict.fromkeys(line for each in group for line in _approved(each, review))
    for part in first.as_text:
        lines = part_diff(part, first.old[part], first.new[part])
        yield from (f"<details><summary>{part}: {counted(len(lines), 'line')}</summary>", "")
        yield from _fenced(shortened(lines, _MOST_LINES), "diff")
        yield from ("</details>", "")


def _approved(comparison: Comparison, review: Review) -> Iterator[str]:
    for change in comparison.breaking:
        approval = review.approvals.of(Breaking(change.id, comparison.run))
        if approval is not None:
            yield f"`{change.id}` is approved by {_inline(approval.by)}: {_inline(approval.reason)}\n"


def _fenced(lines: Sequence[str], language: str) -> Iterator[str]:
    text = "\n".join(lines)
    fence = "`" * max([3, *(len(found) + 1 for found in _FENCE.findall(text))])
    yield from (f"{fence}{language}", text, fence, "")


def _names(names: Iterable[str], most: int = _MOST_NAMES) -> str:
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(diff_markdown.code(name) for name in listed[:most]) + more


def _inline(text: str) -> str:
    """Return a text as itself: what Markdown or HTML would read in it is escaped."""
    return re.sub(r"([\\`*_\[\]|~#])", r"\\\1", html.escape(" ".join(text.split()), quote=False))
