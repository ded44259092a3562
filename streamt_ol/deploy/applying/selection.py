"""Which resources `--target` and `--select` leave of a project.

Source: section 2.2 of the runtime facts. What is external stays: it is only looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.applying.gates import Gates
    from streamt_ol.deploy.records import Desired

GATE = "selection"
TAG = "tag:"


class Selection(NamedTuple):
    """The models that were chosen with everything upstream of them; places in the project."""

    models: frozenset[int]
    sources: frozenset[int]
    """The sources that one of the models reads."""
    tests: frozenset[int]
    """The tests that are about one of the models or sources."""

    def of(self, desired: Sequence[Desired]) -> tuple[Desired, ...]:
        """Return the resources that the selection leaves, in their order."""
        kept = {
            *(f"/models/{position}" for position in self.models),
            *(f"/sources/{position}" for position in self.sources),
            *(f"/tests/{position}" for position in self.tests),
        }
        return tuple(one for one in desired if one.at in kept or one.ownership == "external")


def select(graph: Graph, target: str | None, selector: str | None, gates: Gates) -> Selection | None:
    """Return what is selected; None where neither option is given. Raises GateError."""
    if target is None and selector is None:
        gates.at(GATE)
        return None
    chosen = [
        _upstream(graph, found)
        for found in (_target(graph, target, gates), _tagged(graph, selector, gates))
        if found is not None
    ]
    models = frozenset.intersection(*chosen)
    gates.at(GATE, selection_empty=not models)
    sources = frozenset(
        dependency.position
        for position in models
        for dependency in graph.models[position].dependencies
        if dependency.kind == "source"
    )
    project = graph.project
    names = {project.models[position].name for position in models}
    names |= {project.sources[position].name for position in sources}
    tests = frozenset(position for position, test in enumerate(project.tests) if test["model"] in names)
    return Selection(models, sources, tests)


def _target(graph: Graph, target: str | None, gates: Gates) -> frozenset[int] | None:
    if target is None:
        return None
    found = frozenset(model.position for model in graph.models if model.declared.name == target)
    gates.at(GATE, target, model_unknown=not found)
    return found


def _tagged(graph: Graph, selector: str | None, gates: Gates) -> frozenset[int] | None:
    if selector is None:
        return None
    tag = selector.removeprefix(TAG)
    gates.at(GATE, selector_unknown=not selector.startswith(TAG) or not tag)
    found = frozenset(
        model.position for model in graph.models if tag in (model.declared.raw.get("tags") or ())
    )
    gates.at(GATE, tag, tag_unknown=not found)
    return found


def _upstream(graph: Graph, positions: Iterable[int]) -> frozenset[int]:
    """Return models with all models that they read, however far up."""
    reached: set[int] = set()
    ahead = list(positions)
    while ahead:
        position = ahead.pop()
        if position not in reached:
            reached.add(position)
            dependencies = graph.models[position].dependencies
            ahead += [dependency.position for dependency in dependencies if dependency.kind == "ref"]
    return frozenset(reached)
