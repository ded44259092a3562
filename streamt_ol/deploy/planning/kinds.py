"""Kinds of resources in the order of their execution, as the catalogue `resource-kinds` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.deploy.planning.errors import UnknownResourceKindError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.engine.ruleset import RuleSet


class Kind(NamedTuple):
    """One kind of resource."""

    name: str
    position: int
    """Its turn in planning and execution, from 0."""
    creates: str
    """The action that brings one into being."""
    deletes: str
    backend: str | None
    """The service as the state calls it; None where this version has no provider for the kind."""
    undeclared: str
    """How one is let go of that the project does not declare any more, in words."""


class Kinds:
    """All kinds, in their order."""

    def __init__(self, rules: RuleSet) -> None:
        entries = rules.catalogue("resource-kinds").entries
        self.by_name: Mapping[str, Kind] = {
            name: Kind(
                name,
                position,
                entry["creates"],
                entry["deletes"],
                entry.get("backend"),
                entry["undeclared"],
            )
            for position, (name, entry) in enumerate(entries.items())
        }
        self._of_list = {entry["artifacts"]: name for name, entry in entries.items()}

    def of_artifacts(self, artifacts: str) -> Kind:
        """Return the kind of a list of the manifest; raises UnknownResourceKindError for a list of none."""
        if artifacts not in self._of_list:
            raise UnknownResourceKindError(
                f"the project compiles to '{artifacts}', and `resource-kinds` has no kind for them",
                location="rules/resource-kinds",
            )
        return self.by_name[self._of_list[artifacts]]
