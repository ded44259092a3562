"""Which of the declared tests run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.checks.records import Selected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.project.records import Raw


def select(tests: Sequence[Raw], model: str | None = None, kind: str | None = None) -> tuple[Selected, ...]:
    """Return the tests about exactly this model or source and of this type, in the order of the project.

    None asks for all; both together for what both ask for.
    """
    return tuple(
        Selected(position, test["name"], test["model"], test["type"], test)
        for position, test in enumerate(tests)
        if model in (None, test["model"]) and kind in (None, test["type"])
    )
