"""The packaged rules with other bounds of services over HTTP, so that no test waits for what it is not about."""

from __future__ import annotations

from checked import packaged_rules

from streamt_ol.engine.reading import Catalogue
from streamt_ol.engine.ruleset import RuleSet

_AT_ONCE = {"pause_milliseconds": 1, "poll_milliseconds": 1}
_CATALOGUES = ("service-bounds", "connector-bounds")


def rules_with(**bounds: int) -> RuleSet:
    """Return the packaged rules with hardly a pause between two attempts, and other bounds by name."""
    rules = packaged_rules()
    catalogues = dict(rules.catalogues)
    missing = {**_AT_ONCE, **bounds}
    for catalogue in _CATALOGUES:
        known = rules.catalogue(catalogue)
        limits = {name: {"limit": missing.pop(name)} for name in known.entries if name in missing}
        entries = {name: {**entry, **limits.get(name, {})} for name, entry in known.entries.items()}
        catalogues[catalogue] = Catalogue(known.name, known.describes, known.fields, entries, known.file)
    assert not missing
    return rules._replace(catalogues=catalogues)
