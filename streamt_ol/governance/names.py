"""Names: each once per section, and one space of names for sources, models and exposures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.compiler.names import Names
from streamt_ol.governance.facts import Breach

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamt_ol.project.records import Project


def known_names(project: Project) -> Names:
    """Return the positions of all names; of a name that is used twice, the first."""
    return Names(_first(source.name for source in project.sources), _first(m.name for m in project.models))


def name_breaches(project: Project) -> Iterator[Breach]:
    """Yield every use of a name that is taken; the location is that of the later use."""
    sections = {
        "sources": ("duplicate_source", [source.name for source in project.sources]),
        "models": ("duplicate_model", [model.name for model in project.models]),
        "tests": ("duplicate_test", [test["name"] for test in project.tests]),
        "exposures": ("duplicate_exposure", [exposure["name"] for exposure in project.exposures]),
    }
    first = {section: _first(names) for section, (_trait, names) in sections.items()}
    for section, (trait, names) in sections.items():
        for position, name in enumerate(names):
            if first[section][name] != position:
                yield Breach(f"/{section}/{position}/name", trait, name, f"/{section}/{first[section][name]}")
    for name, position in first["models"].items():
        if name in first["sources"]:
            yield Breach(f"/models/{position}/name", "source_and_model", name)
    for name, position in first["exposures"].items():
        if name in first["sources"] or name in first["models"]:
            yield Breach(f"/exposures/{position}/name", "exposure_name_taken", name)


def _first(names: Iterable[str]) -> dict[str, int]:
    positions: dict[str, int] = {}
    for position, name in enumerate(names):
        positions.setdefault(name, position)
    return positions
