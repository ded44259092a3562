"""Tables as data: a case is a base directory of rules with files put in, and what the checks must find."""

from __future__ import annotations

from dataclasses import make_dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

from streamt_ol.engine.checks.check import Check, Finding, run
from streamt_ol.engine.checks.draft import read_draft
from streamt_ol.engine.ruleset import Needs
from streamt_ol.lineage.schemas import OpenLineageSchemas
from streamt_ol.review.rule_checks.all_checks import all_checks

SCHEMAS = OpenLineageSchemas.packaged()
LINK = "link"
"""Instead of the content of a file: a link that leads nowhere."""


def checks_of(case: dict[str, Any], folder: Path) -> list[Check]:
    """Return all checks, for a program that has the sources and needs of the case."""
    read = {"tables": {}, "catalogues": {}, "records": {}, **case.get("needs", {})}
    records = {name: make_dataclass(name, fields) for name, fields in read["records"].items()}
    return all_checks(
        [Needs(read["tables"], read["catalogues"], records)] if "needs" in case else [],
        SCHEMAS,
        program=folder / "program",
        contract=folder / "contract.md",
    )


def lay_out(case: dict[str, Any], base: Path, folder: Path) -> Path:
    """Write the files of a case, and of its program and contract, and return the directory of rules."""
    rules = copytree(base, folder / "rules")
    for name, text in case.get("files", {}).items():
        path = rules / name
        path.unlink(missing_ok=True)
        if text == LINK:
            path.symlink_to(folder / "nowhere")
        elif text is not None:
            path.write_text(text, "utf-8")
    (folder / "program").mkdir()
    (folder / "program" / "raising.py").write_text(case.get("program", ""), "utf-8")
    contract = case.get("contract", "")
    if contract is not None:
        (folder / "contract.md").write_text(contract, "utf-8")
    return rules


def findings_of(case: dict[str, Any], base: Path, folder: Path) -> list[Finding]:
    """Return everything that is found in the files of a case."""
    return run(checks_of(case, folder), read_draft(lay_out(case, base, folder)))


def spelled(finding: Finding) -> dict[str, str]:
    """Return a finding as case files spell it: the place without folders, the severity if it is no error."""
    place = str(finding.place).rpartition("/rules/")[2]
    parts = {
        "id": finding.id,
        "severity": "" if finding.severity == "error" else finding.severity,
        "at": place if place.partition(":")[0].endswith(".yml") else "",
        "message": finding.message,
        "remedy": finding.remedy or "",
    }
    return {key: value for key, value in parts.items() if value}
