"""Validation, step by step: which environments are checked, and what becomes of their findings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from streamt_ol.cli.face import Face, diagnostics
from streamt_ol.cli.loading import load
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.report import Result
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.governance.findings import Finding, is_error
from streamt_ol.governance.needs import GOVERNANCE_NEEDS
from streamt_ol.governance.review import review
from streamt_ol.ground.collector import collector_paused
from streamt_ol.ground.errors import Diagnostic, Failures, StreamtError
from streamt_ol.ground.pointer import tokens
from streamt_ol.project.discovery import discover

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.watching import Watch
    from streamt_ol.project.records import Project


@dataclass(frozen=True, slots=True)
class ValidationRequest:
    """What the command line and the environment ask for."""

    directory: Path
    environment: str | None
    all_environments: bool
    process_environment: Mapping[str, str] = field(repr=False)
    check_schemas: bool
    model: str | None
    strict: bool


class Verdict(Result):
    """A result that shows its data also where it has errors: then the project failed, not the command."""

    __slots__ = ()

    def envelope(self) -> dict[str, Any]:
        """Return the document of JSON mode, always with the data."""
        parts = Result.envelope(self)
        parts["data"] = self.data
        return parts


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of one environment."""

    environment: str | None
    counts: Mapping[str, int]
    errors: Sequence[Diagnostic]
    warnings: Sequence[Diagnostic]
    strict: bool

    @property
    def valid(self) -> bool:
        """Return whether the project passes: without errors, and with `--strict` without warnings too."""
        return not self.errors and not (self.strict and self.warnings)

    def data(self) -> dict[str, Any]:
        """Return what the envelope says about the environment."""
        counts = {**self.counts, "errors": len(self.errors), "warnings": len(self.warnings)}
        return {"valid": self.valid, "counts": counts, "environment": self.environment}


class SchemaCheckUnsupportedError(StreamtError):
    """Registered schemas are to be compared, and no registry is contacted."""

    code = "E135_SCHEMA_CHECK_UNSUPPORTED"


class ModelNotFoundError(StreamtError):
    """Findings are asked for about a model that the project does not have."""

    code = "E102_MODEL_NOT_FOUND"


def validate_project(request: ValidationRequest, face: Face) -> Result:
    """Return the verdict about the project in the environments asked for.

    Raises `SchemaCheckUnsupportedError`, and what finding the files of a project raises.
    """
    if request.check_schemas:
        raise SchemaCheckUnsupportedError(
            "not supported yet: needs a Schema Registry",
            location="check_schemas",
            suggestion="leave --check-schemas out",
        )
    rules = face.load_rules(COMPILER_NEEDS, GOVERNANCE_NEEDS)
    names: Sequence[str | None] = [request.environment]
    if request.all_environments:
        names = list(discover(request.directory).environments or ()) or [None]
    with collector_paused(), shown_progress(quiet=face.quiet) as watch:
        outcomes = [_outcome(name, request, rules, face, watch) for name in names]
    errors = [error for outcome in outcomes for error in outcome.errors]
    warnings = [warning for outcome in outcomes for warning in outcome.warnings]
    data = _all(outcomes) if request.all_environments else outcomes[0].data()
    for outcome in outcomes:
        face.say(_line(outcome))
    if request.strict and warnings and not errors:
        errors = [_refused(len(warnings))]
    return Verdict(face.command, data=data, errors=errors, warnings=warnings)


def _outcome(
    name: str | None, request: ValidationRequest, rules: RuleSet, face: Face, watch: Watch
) -> _Outcome:
    try:
        project = load(request.directory, name, request.process_environment, rules, face, watch).project
        positions = None if request.model is None else _positions(request.model, project)
    except (StreamtError, Failures) as error:
        return _named(_Outcome(name, {}, diagnostics(error), (), request.strict), request)
    findings = [finding for finding in review(project, rules) if _concerns(finding, positions)]
    found = [(is_error(finding.code, rules), finding.diagnostic(project.origins)) for finding in findings]
    counts = {
        "sources": len(project.sources),
        "models": len(project.models),
        "tests": len(project.tests),
        "exposures": len(project.exposures),
    }
    errors = [diagnostic for wrong, diagnostic in found if wrong]
    warnings = [*project.warnings, *(diagnostic for wrong, diagnostic in found if not wrong)]
    return _named(_Outcome(project.environment.name, counts, errors, warnings, request.strict), request)


def _positions(name: str, project: Project) -> frozenset[str]:
    """Return the positions of a model, as in pointers."""
    positions = frozenset(str(index) for index, model in enumerate(project.models) if model.name == name)
    if not positions:
        raise ModelNotFoundError(f"the project has no model '{name}'", location="model")
    return positions


def _concerns(finding: Finding, positions: frozenset[str] | None) -> bool:
    section, position, *_rest = [*tokens(finding.location), "", ""]
    return positions is None or (section == "models" and position in positions)


def _named(outcome: _Outcome, request: ValidationRequest) -> _Outcome:
    """Return the outcome with the name of its environment in every message, where several are checked."""
    if not request.all_environments:
        return outcome
    about = f"environment '{outcome.environment or 'default'}': "
    errors = [error._replace(message=about + error.message) for error in outcome.errors]
    warnings = [warning._replace(message=about + warning.message) for warning in outcome.warnings]
    return replace(outcome, errors=errors, warnings=warnings)


def _all(outcomes: Sequence[_Outcome]) -> dict[str, Any]:
    each = [outcome.data() for outcome in outcomes]
    total = {kind: sum(data["counts"][kind] for data in each) for kind in ("errors", "warnings")}
    return {"valid": all(data["valid"] for data in each), "counts": total, "environments": each}


def _line(outcome: _Outcome) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in outcome.data()["counts"].items())
    environment = "" if outcome.environment is None else f" in environment {outcome.environment}"
    return f"The project is {'valid' if outcome.valid else 'not valid'}{environment}: {counts}"


def _refused(count: int) -> Diagnostic:
    words = "1 warning" if count == 1 else f"{count} warnings"
    return Diagnostic("E130_STRICT_WARNINGS", f"{words}, and --strict accepts none", "strict")
