"""What compile reads of a rule set."""

from __future__ import annotations

from streamt_ol.compiler.facts import Candidate, Declaration, Realized
from streamt_ol.engine.ruleset import Needs

COMPILER_NEEDS = Needs(
    tables={
        "sql-shapes": ["shape"],
        "materialization": ["materialized"],
        "effective": ["effective"],
        "consumed-names": ["named"],
        "processes": ["process", "output", "named", "bound_to"],
        "requirements": ["code", "location", "message"],
        "artifacts": ["kind", "name"],
    },
    catalogues={"diagnostics": ["severity", "title"], "connectors": ["class"]},
    records={"declaration": Declaration, "candidate": Candidate, "realized": Realized},
)
