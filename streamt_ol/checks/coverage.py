"""Which models have a test at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from streamt_ol.project.records import Project


class Coverage(NamedTuple):
    """Every model in the order of the project, and whether some test names it."""

    models: tuple[tuple[str, bool], ...]

    @property
    def covered(self) -> int:
        """Return how many models some test names."""
        return sum(covered for _name, covered in self.models)

    @property
    def percent(self) -> int:
        """Return the share of covered models, rounded down; 0 without models."""
        return 100 * self.covered // len(self.models) if self.models else 0


def coverage(project: Project) -> Coverage:
    """Return which models of a project are named by a test, whatever its type."""
    tested = {test["model"] for test in project.tests}
    return Coverage(tuple((model.name, model.name in tested) for model in project.models))
