"""What the governance checks read of a rule set."""

from __future__ import annotations

from streamt_ol.engine.ruleset import Needs
from streamt_ol.governance.connector_settings import CONNECTOR_NEEDS
from streamt_ol.governance.facts import Breach, Governed, GovernedTest, QueryFacts

_FINDING = ["code", "location", "message"]

GOVERNANCE_NEEDS = Needs(
    tables={
        "governance": _FINDING,
        "governed-tests": _FINDING,
        "ruled-topics": ["applies"],
        "sql-advice": _FINDING,
        "breaches": ["code", "message"],
        **CONNECTOR_NEEDS.tables,
    },
    catalogues={"diagnostics": ["severity"], "sql-names": ["use"], "type-families": ["family"]},
    records={
        "governed": Governed,
        "governed_test": GovernedTest,
        "query": QueryFacts,
        "breach": Breach,
        **CONNECTOR_NEEDS.records,
    },
)
