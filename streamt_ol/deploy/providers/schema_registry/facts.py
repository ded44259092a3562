"""What tables see of what a Schema Registry refuses; what its provider reads of a rule set."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from streamt_ol.engine.ruleset import Needs

Request = Literal["show", "find", "judge", "register"]
"""To find is to ask as which version a schema is there, to judge whether it may become the latest one."""


class RegistryRefusal(NamedTuple):
    """Facts of the record `registry_refusal` (rules/facts.yml)."""

    at: str
    request: Request
    code: str
    """Of the registry, the status where it gives none, or a word for what it answers."""
    subject: str
    reason: str
    """In the registry's own words, without secrets."""


REGISTRY_NEEDS: Final = Needs(
    tables={"schema-refusals": ["means", "code", "message"]},
    catalogues={},
    records={"registry_refusal": RegistryRefusal},
)
