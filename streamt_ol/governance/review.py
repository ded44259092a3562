"""Every check of a project in one environment, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.governance.clusters import cluster_breaches
from streamt_ol.governance.connector_settings import connector_findings
from streamt_ol.governance.contracts import column_breaches, contract_breaches
from streamt_ol.governance.declared_tests import assertion_breaches, governed_tests
from streamt_ol.governance.exposures import exposure_breaches
from streamt_ol.governance.findings import Finding, from_breaches, from_error, from_table
from streamt_ol.governance.models import (
    access_breaches,
    governed,
    key_breaches,
    query_facts,
    unused_from_breaches,
)
from streamt_ol.governance.project_rules import (
    model_rule_breaches,
    residency_breaches,
    security_breaches,
    source_rule_breaches,
)
from streamt_ol.governance.sources import source_breaches
from streamt_ol.governance.subject import Subject, survey
from streamt_ol.governance.topic_rules import topic_breaches
from streamt_ol.governance.versions import version_breaches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.governance.facts import Breach
    from streamt_ol.project.records import Project

CHECKS: tuple[Callable[[Subject], Iterator[Breach]], ...] = (
    source_breaches,
    access_breaches,
    unused_from_breaches,
    key_breaches,
    cluster_breaches,
    contract_breaches,
    column_breaches,
    version_breaches,
    assertion_breaches,
    exposure_breaches,
    topic_breaches,
    model_rule_breaches,
    source_rule_breaches,
    security_breaches,
    residency_breaches,
)


def review(project: Project, rules: RuleSet) -> list[Finding]:
    """Return everything that is wrong with a project or worth a word, in the order of the project.

    Source: sections 2, 3.7 and 3.8 of the project language. Nothing is contacted.
    """
    surveyed = survey(project, rules)
    subject = surveyed.subject
    findings = [from_error(failure) for failure in surveyed.failures]
    findings += from_breaches(surveyed.breaches, rules)
    findings += connector_findings(project, rules)
    for check in CHECKS:
        findings += from_breaches(check(subject), rules)
    for table, records in (
        ("governance", governed(subject)),
        ("sql-advice", query_facts(subject)),
        ("governed-tests", governed_tests(subject)),
    ):
        for record in records:
            findings += from_table(table, record, rules)
    return sorted(dict.fromkeys(findings), key=Finding.order)
