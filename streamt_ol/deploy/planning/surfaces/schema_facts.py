"""What tables see of the schemas that sources declare, and what plans read of a rule set for them."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from streamt_ol.engine.ruleset import Needs

Definition = Literal["absent", "unreadable", "present"]


class DeclaredSchema(NamedTuple):
    """Facts of the record `declared_schema` (rules/facts.yml)."""

    at: str
    """Of the source."""
    source: str
    ownership: str
    format: str
    """As it is declared, in lower case; `absent` where it is not."""
    type: str = ""
    """As a registry has it."""
    definition: Definition = "absent"


SCHEMA_NEEDS: Final = Needs(
    tables={"schema-types": ["type"], "schema-problems": ["problem", "message", "remedy", "where"]},
    catalogues={},
    records={"declared_schema": DeclaredSchema},
)
