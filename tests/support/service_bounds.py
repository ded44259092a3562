"""The packaged rules with other bounds of services over HTTP, so that no test waits for what it is not about."""

from __future__ import annotations

from checked import packaged_rules

from streamt_ol.engine.reading import Catalogue
from streamt_ol.engine.ruleset import RuleSet

_AT_ONCE = {"pause_milliseconds": 1, "poll_milliseconds": 1}


def rules_with(**bounds: int) -> RuleSet:
    """Return the packaged rules with hardly a pause between two attempts, and other bounds by name."""
    rules = packaged_rules()
    known = rules.catalogue("service-bounds")
    entries = dict(known.entries)
    for name, limit in {**_AT_ONCE, **bounds}.items():
        entries[name] = {**entries[name], "limit": limit}
    changed = Catalogue(known.name, known.describes, known.fields, entries, known.file)
    return rules._replace(catalogues={**rules.catalogues, known.name: changed})
