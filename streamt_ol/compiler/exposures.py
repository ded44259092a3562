"""Exposures in the graph: they are never exported, but a name clash or a circle through one breaks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from streamt_ol.compiler.cycles import find_cycle
from streamt_ol.compiler.errors import CycleError, NameCollisionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.compiler.names import Names
    from streamt_ol.project.records import Raw


def refuse_name_clashes(exposures: Sequence[Raw], names: Names) -> None:
    """Refuse an exposure that shares its name with a source, a model or another exposure."""
    seen: dict[str, str] = dict.fromkeys(names.sources, "source") | dict.fromkeys(names.models, "model")
    for position, exposure in enumerate(exposures):
        name = exposure["name"]
        if name in seen:
            raise NameCollisionError(
                f"exposure '{name}' shares its name with another {seen[name]}"
                if seen[name] == "exposure"
                else f"exposure '{name}' shares its name with a {seen[name]}",
                location=f"/exposures/{position}/name",
            )
        seen[name] = "exposure"


Reads = Mapping[str, Sequence[str]]
"""Model to the sources and models that it reads."""


def refuse_model_cycles(reads: Reads, names: Names) -> None:
    """Refuse models that read each other in a circle."""
    cycle = find_cycle(reads)
    if cycle is not None:
        raise CycleError(
            f"models read each other in a circle: {' -> '.join(cycle)}",
            location=f"/models/{names.models[cycle[0]]}",
        )


def refuse_exposure_cycles(reads: Reads, exposures: Sequence[Raw], names: Names) -> None:
    """Refuse a circle closed by an exposure: it reads what it consumes; what it produces reads it."""
    if not exposures:
        return
    positions = {exposure["name"]: position for position, exposure in enumerate(exposures)}
    edges: dict[str, list[str]] = {name: list(read) for name, read in reads.items()}
    for exposure in exposures:
        # A reference to nothing is the governance check's business; it adds no edge.
        edges.setdefault(exposure["name"], []).extend(
            name for key in ("consumes", "depends_on") for name in _references(exposure.get(key), names)
        )
        for name in _references(exposure.get("produces"), names):
            edges.setdefault(name, []).append(exposure["name"])
    cycle = find_cycle(edges)
    if cycle is not None:
        exposure_in_it = next(name for name in cycle if name in positions)
        raise CycleError(
            f"an exposure closes a circle: {' -> '.join(cycle)}",
            location=f"/exposures/{positions[exposure_in_it]}",
        )


def _references(entries: Sequence[Mapping[str, Any]] | None, names: Names) -> Iterator[str]:
    for entry in entries or ():
        if entry.get("source") in names.sources:
            yield entry["source"]
        if entry.get("ref") in names.models:
            yield entry["ref"]
