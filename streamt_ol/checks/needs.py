"""What tests read of a rule set."""

from __future__ import annotations

from streamt_ol.checks.facts import AssertionFacts, ResultFacts, RunFacts
from streamt_ol.engine.ruleset import Needs
from streamt_ol.services.connection_errors import CONNECTION_NEEDS

CHECKS_NEEDS = Needs(
    tables={
        "assertions": ["by", "reason"],
        "assertion-parts": ["reason"],
        "sample-types": ["looks"],
        "job-states": ["subject"],
        "test-results": ["status", "problem"],
        "test-statuses": ["counts", "junit"],
        **CONNECTION_NEEDS.tables,
    },
    catalogues={"test-limits": ["limit"]},
    records={
        "assertion": AssertionFacts,
        "test_run": RunFacts,
        "test_result": ResultFacts,
        **CONNECTION_NEEDS.records,
    },
)
