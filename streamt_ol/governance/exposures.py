"""Checks of exposures: what they name must exist, and what they read must be what is promised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.compiler.records import Dependency
from streamt_ol.governance.facts import Breach
from streamt_ol.governance.type_families import differ

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.governance.subject import Subject
    from streamt_ol.project.records import Raw

REFERENCE_LISTS = ("produces", "consumes", "depends_on")
READ_LISTS = ("consumes", "depends_on")


def exposure_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield references that name nothing, or two things, and promises that nothing keeps."""
    for position, exposure in enumerate(subject.project.exposures):
        at, name = f"/exposures/{position}", exposure["name"]
        for key in REFERENCE_LISTS:
            for index, entry in enumerate(exposure.get(key) or ()):
                yield from _reference(entry, key, f"{at}/{key}/{index}", name, subject)
        if exposure.get("sla"):
            yield Breach(f"{at}/sla", "sla_not_enforced", name)
        yield from _columns(exposure, at, subject)


def _reference(entry: Mapping[str, Any], key: str, at: str, name: str, subject: Subject) -> Iterator[Breach]:
    source, ref = entry.get("source"), entry.get("ref")
    if (source is None) == (ref is None) or not (source or ref or "").strip():
        yield Breach(at, "exposure_reference", name)
    elif source is not None and source not in subject.names.sources:
        trait = "exposure_dependency_unknown" if key == "depends_on" else "exposure_source_unknown"
        yield Breach(f"{at}/source", trait, name, source)
    elif ref is not None and ref not in subject.names.models:
        trait = "exposure_dependency_unknown" if key == "depends_on" else "exposure_model_unknown"
        yield Breach(f"{at}/ref", trait, name, ref)


def _columns(exposure: Raw, at: str, subject: Subject) -> Iterator[Breach]:
    """Yield columns that the models an exposure reads do not promise; only where all of them are declared."""
    read = [subject.columns(dependency) for dependency in _read(exposure, subject)]
    if not read or not all(read):
        return
    for index, wanted in enumerate(exposure.get("columns") or ()):
        declared = [column for columns in read for column in columns if column.name == wanted["name"]]
        if not declared:
            yield Breach(
                f"{at}/columns/{index}", "contract_breaking_change", exposure["name"], wanted["name"]
            )
        elif all(differ(wanted.get("type"), column.type, subject.rules) for column in declared):
            yield Breach(
                f"{at}/columns/{index}/type",
                "contract_consumer_type",
                exposure["name"],
                wanted["name"],
                declared[0].type or "",
            )


def _read(exposure: Raw, subject: Subject) -> Iterator[Dependency]:
    for key in READ_LISTS:
        for entry in exposure.get(key) or ():
            source, ref = entry.get("source"), entry.get("ref")
            if source in subject.names.sources:
                yield Dependency("source", source, subject.names.sources[source])
            if ref in subject.names.models:
                yield Dependency("ref", ref, subject.names.models[ref])
