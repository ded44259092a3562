"""Checks of sources: what they declare, and whether anything reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.governance.exposures import REFERENCE_LISTS
from streamt_ol.governance.facts import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.governance.subject import Subject


def source_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield sources with an empty topic, without columns, or that no model, test or exposure names."""
    used = _used(subject)
    for position, source in enumerate(subject.project.sources):
        at = f"/sources/{position}"
        if not source.topic:
            yield Breach(f"{at}/topic", "blank_topic", source.name)
        if not source.columns:
            yield Breach(f"{at}/columns", "source_without_columns", source.name)
        if source.name not in used and len(subject.models) == len(subject.project.models):
            yield Breach(at, "unused_source", source.name)


def _used(subject: Subject) -> set[str]:
    used = {test["model"] for test in subject.project.tests}
    for model in subject.models:
        used |= {dependency.name for dependency in model.dependencies if dependency.kind == "source"}
    for exposure in subject.project.exposures:
        used |= {
            entry["source"]
            for key in REFERENCE_LISTS
            for entry in exposure.get(key) or ()
            if entry.get("source")
        }
    return used
