"""Tests that compile to jobs: a continuous test must say what it looks at (section 5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.compiler.errors import TestShapeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.project.records import Raw


def refuse_incomplete_tests(tests: Sequence[Raw]) -> None:
    """Refuse a continuous test with `not_null` without columns, or `range` without bounds."""
    for position, test in enumerate(tests):
        if test["type"] != "continuous":
            continue
        for index, assertion in enumerate(test.get("assertions") or ()):
            location = f"/tests/{position}/assertions/{index}"
            not_null, value_range = assertion.get("not_null"), assertion.get("range")
            if not_null is not None and not not_null["columns"]:
                raise TestShapeError(
                    f"test '{test['name']}': not_null names no columns", location=f"{location}/not_null"
                )
            if value_range is not None and value_range.get("min") is None and value_range.get("max") is None:
                raise TestShapeError(
                    f"test '{test['name']}': range has neither min nor max", location=f"{location}/range"
                )
