"""A review as plain JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.review.golden.changed_cases import changed_cases

if TYPE_CHECKING:
    from collections.abc import Collection

    from streamt_ol.review.golden.reviewing import Review
    from streamt_ol.review.golden.row_changes import RowChange


def document(review: Review, pending: Collection[str] = ()) -> dict[str, Any]:
    """Return the report as plain JSON values."""
    causes = {each.run: review.causes(each) for each in review.comparisons}
    return {
        "base": {"name": review.base.name, "commit": review.base.commit},
        "runs": review.runs,
        "rows": None if review.rows is None else [_row(row) for row in review.rows],
        "changed": [
            {
                "run": each.run,
                "pending": each.run in pending,
                "parts": each.changed_parts,
                "rows": [
                    {"table": cause.row.id.table, "row": cause.row.id.row, "changes": list(cause.changes)}
                    for cause in causes[each.run]
                ],
                "project_files": list(review.project_files.get(each.case, ())),
                "events": None if each.diff is None else each.diff.document(),
            }
            for case in changed_cases(review)
            for each in case.comparisons
        ],
        "new": list(review.new),
        "removed": list(review.removed),
        "not_approved": [
            {"change": about.change, "case": about.run, "message": said}
            for about, said in review.unapproved.items()
        ],
        "stale_approvals": [{"change": approval.change, "case": approval.case} for approval in review.stale],
    }


def _row(change: RowChange) -> dict[str, Any]:
    return {
        "table": change.id.table,
        "row": change.id.row,
        "file": change.file,
        "operation": change.operation,
        "old": change.old,
        "new": change.new,
    }
