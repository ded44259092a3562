"""The check of rule tables: what it looks at, and how its findings are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamt_ol.checks.needs import CHECKS_NEEDS
from streamt_ol.checks.sampling_facts import SAMPLING_NEEDS
from streamt_ol.cli.documents import DocumentResult, print_document, shown
from streamt_ol.cli.face import diagnostics
from streamt_ol.cli.statuses import FAILURE, SUCCESS, USAGE
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.deploy.applying.needs import APPLYING_NEEDS
from streamt_ol.deploy.planning.needs import PLANNING_NEEDS
from streamt_ol.deploy.providers.needs import PROVIDER_NEEDS
from streamt_ol.deploy.recovery.facts import RECOVERY_NEEDS
from streamt_ol.deploy.state.postgres.facts import POSTGRES_NEEDS
from streamt_ol.engine.checks.check import SEVERITIES, run
from streamt_ol.engine.checks.draft import read_draft
from streamt_ol.governance.needs import GOVERNANCE_NEEDS
from streamt_ol.ground.errors import Diagnostic, StreamtError
from streamt_ol.ground.resources import contract_page, package_folder, rules_folder
from streamt_ol.lineage.needs import LINEAGE_NEEDS
from streamt_ol.lineage.schemas import OpenLineageSchemas
from streamt_ol.review.diffs.change_facts import DIFF_NEEDS
from streamt_ol.review.rule_checks.all_checks import all_checks
from streamt_ol.runs.config_needs import CONFIGURATION_NEEDS
from streamt_ol.runs.deliveries import DELIVERY_NEEDS
from streamt_ol.runs.needs import RUN_NEEDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.cli.face import Face
    from streamt_ol.cli.report import Result
    from streamt_ol.engine.checks.check import Finding
    from streamt_ol.engine.checks.draft import Draft

PROGRAM_NEEDS = (
    COMPILER_NEEDS,
    LINEAGE_NEEDS,
    GOVERNANCE_NEEDS,
    DIFF_NEEDS,
    RUN_NEEDS,
    CONFIGURATION_NEEDS,
    DELIVERY_NEEDS,
    CHECKS_NEEDS,
    SAMPLING_NEEDS,
    PLANNING_NEEDS,
    APPLYING_NEEDS,
    *PROVIDER_NEEDS,
    RECOVERY_NEEDS,
    POSTGRES_NEEDS,
)
"""What all commands together read of a rule set."""
CODES = {"error": "E520_RULES_INVALID", "warning": "W140_RULES_DOUBTFUL"}
"""The codes of findings in JSON mode; notes are in the data alone."""


@dataclass(frozen=True, slots=True)
class _CheckResult(DocumentResult):
    """A result that tells tables with faults from tables that could not be looked at."""

    status: int = SUCCESS

    @property
    def exit_status(self) -> int:
        """Return 0 if nothing fails the check, 1 if something does, 2 if there was nothing to check."""
        return self.status


def check_tables(face: Face, fail_on: str, form: str) -> Result:
    """Return the result of the check; its document is already on stdout, but for JSON mode."""
    try:
        schemas = OpenLineageSchemas.packaged()
        draft = read_draft(face.rules or rules_folder(), face.yaml_loader)
    except StreamtError as error:
        return _CheckResult(face.command, errors=diagnostics(error), status=USAGE)
    checks = all_checks(PROGRAM_NEEDS, schemas, program=package_folder(), contract=contract_page())
    findings = run(checks, draft)
    data = _document(draft, findings)
    print_document(face, form, data, lambda: shown(_lines(data, findings, quiet=face.quiet)))
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    status = FAILURE if any(finding.severity in failing for finding in findings) else SUCCESS
    told = findings if face.output == "json" else ()  # in text mode the document on stdout tells them
    return _CheckResult(
        face.command,
        data=data,
        errors=_diagnostics(told, "error"),
        warnings=_diagnostics(told, "warning"),
        status=status,
    )


def _document(draft: Draft, findings: Sequence[Finding]) -> dict[str, Any]:
    return {
        "folder": str(draft.folder),
        "tables": len(draft.rules.tables),
        "catalogues": len(draft.rules.catalogues),
        "counts": {
            f"{severity}s": sum(finding.severity == severity for finding in findings)
            for severity in SEVERITIES
        },
        "findings": [finding.as_dict() for finding in findings],
    }


def _lines(data: dict[str, Any], findings: Sequence[Finding], *, quiet: bool) -> Iterator[str]:
    """Yield a line for each finding, what helps below it, then the summary; only errors when quiet."""
    for finding in findings:
        if quiet and finding.severity != "error":
            continue
        yield f"{finding.severity.upper()} {finding.check} {finding.place}: {finding.message}"
        for line in (finding.remedy or "").splitlines():
            yield f"  {line}"
    if not quiet:
        counts = ", ".join(f"{count} {severity}" for severity, count in data["counts"].items())
        looked_at = f"{data['tables']} tables and {data['catalogues']} catalogues"
        yield f"Checked {looked_at} in {data['folder']}: {counts}"


def _diagnostics(findings: Sequence[Finding], severity: str) -> list[Diagnostic]:
    return [
        Diagnostic(CODES[severity], finding.message, finding.location or None, finding.place, finding.remedy)
        for finding in findings
        if finding.severity == severity
    ]
