"""The project's own rules (section 3.7 of the language)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.project.coerce import as_bool

if TYPE_CHECKING:
    from streamt_ol.governance.subject import Subject
    from streamt_ol.project.records import Raw


def rule_block(subject: Subject, name: str) -> Raw:
    """Return one block of `rules`; empty where the project has none."""
    block: Raw = (subject.project.document.get("rules") or {}).get(name) or {}
    return block


def asks_for(block: Raw, rule: str) -> bool:
    """Return whether a rule that is on or off is on."""
    return as_bool(block.get(rule) or False)
