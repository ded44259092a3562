"""Families of column types: two types are only said to differ when their families do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet

_AFTER_FIRST_WORD = re.compile(r"[(<\s]")


def differ(first: str | None, second: str | None, rules: RuleSet) -> bool:
    """Return whether two type texts are of different families; never where one of them is not given."""
    if not (first and first.strip() and second and second.strip()):
        return False
    return _family(first, rules) != _family(second, rules)


def _family(text: str, rules: RuleSet) -> str:
    """Return the family of the first word; a word outside of the catalogue is its own (section 3.8)."""
    word = _AFTER_FIRST_WORD.split(text.strip(), maxsplit=1)[0]
    entry = rules.catalogue("type-families").entries.get(word.upper())
    return word.lower() if entry is None else str(entry["family"])
