"""A plan, step by step: what is checked, what is read, and in which order. Nothing is changed but `--out`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.cli.face import Face, diagnostics
from streamt_ol.cli.loading import load
from streamt_ol.cli.plan_report import plan_data, show_lines
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.report import Result
from streamt_ol.compiler.artifacts import build_artifacts
from streamt_ol.compiler.compiling import compile_project
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.deploy.planning.context import plan_context, state_reference
from streamt_ol.deploy.planning.desired import desired_resources, notes
from streamt_ol.deploy.planning.errors import ReviewedPlanRequiredError
from streamt_ol.deploy.planning.needs import PLANNING_NEEDS
from streamt_ol.deploy.planning.observing import observe
from streamt_ol.deploy.planning.plan_file import check_target, write_plan
from streamt_ol.deploy.planning.plan_text import Line, demand_lines, plan_lines
from streamt_ol.deploy.planning.planning import plan
from streamt_ol.deploy.planning.policies import demands
from streamt_ol.deploy.planning.removals import located, refuse_conflicts, removals
from streamt_ol.deploy.planning.reviewed import FORMAT_VERSION, reviewed_plan
from streamt_ol.deploy.planning.undeclared import undeclared, undeclared_lines
from streamt_ol.deploy.state.records import Snapshot
from streamt_ol.governance.connector_settings import connector_warnings
from streamt_ol.governance.findings import is_error
from streamt_ol.governance.needs import GOVERNANCE_NEEDS
from streamt_ol.governance.review import review
from streamt_ol.ground.errors import Failures, StreamtError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.deploy.planning.context import PlanContext
    from streamt_ol.deploy.planning.records import Plan
    from streamt_ol.deploy.planning.restores import Restores
    from streamt_ol.deploy.planning.undeclared import Undeclared
    from streamt_ol.deploy.records import Provider
    from streamt_ol.deploy.state.records import Observed
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.watching import Watch
    from streamt_ol.project.load import Loaded
    from streamt_ol.project.records import Project


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What the command line and the environment ask for."""

    directory: Path
    environment: str | None
    process_environment: Mapping[str, str] = field(repr=False)
    out: str | None
    offline: bool
    restores: Restores


class _Made(NamedTuple):
    """A plan, what it was made from, and the state that was read."""

    plan: Plan
    context: PlanContext
    observed: Observed | None
    undeclared: tuple[Undeclared, ...] | None
    """What the state owns beside what is declared; None where it was not read."""


def make_plan(request: PlanRequest, face: Face) -> Result:
    """Return the result of a plan; in text mode it is already on stdout.

    Raises what loading raises; whatever is wrong with the project is a result, with its place.
    """
    rules = face.load_rules(COMPILER_NEEDS, GOVERNANCE_NEEDS, PLANNING_NEEDS)
    if request.out is not None:
        check_target(request.out)
    with shown_progress(quiet=face.quiet) as watch:
        loaded = load(request.directory, request.environment, request.process_environment, rules, face, watch)
        project = loaded.project
        face.warnings.extend(project.warnings)
        face.warnings.extend(connector_warnings(project, rules))
        watch("Checking the project", 0, None)
        findings = [finding for finding in review(project, rules) if is_error(finding.code, rules)]
        if findings:
            errors = [finding.diagnostic(project.origins) for finding in findings]
            return Result(face.command, errors=errors, warnings=face.warnings)
        try:
            made = _make(request, loaded, rules, face, watch)
        except (StreamtError, Failures) as error:
            errors = diagnostics(error, project.origins)
            return Result(face.command, errors=errors, warnings=face.warnings)
    return _told(request, project, made, rules, face)


def _make(request: PlanRequest, loaded: Loaded, rules: RuleSet, face: Face, watch: Watch) -> _Made:
    project = loaded.project
    graph = compile_project(project, rules)
    artifacts = build_artifacts(graph, rules)
    wanted, removed = desired_resources(graph, artifacts, rules), removals(project)
    _require_review(project, request)
    refuse_conflicts(removed, wanted)
    request.restores.require_known(wanted)
    face.warnings.extend(notes(wanted, project))
    if request.offline:
        nothing = Snapshot(project.name, project.environment.name, 0, {})
        made = plan(wanted, nothing, None, rules, removed, request.restores)
        return _Made(made, plan_context(project, artifacts, wanted, removed, None), None, None)
    from streamt_ol.deploy.state.opening import open_state

    watch("Reading the state", 0, None)
    backend = open_state(project, loaded.variables, face.load_rules)
    observed = backend.observe()
    removed = located(removed, project, observed.snapshot, rules)
    watch("Looking at what is there", 0, None)
    live = observe(wanted, _providers(project, face), removed)
    made = plan(wanted, observed.snapshot, live, rules, removed, request.restores)
    state = state_reference(backend, observed)
    forgotten = undeclared(made, observed.snapshot, wanted, removed, rules)
    return _Made(made, plan_context(project, artifacts, wanted, removed, state), observed, forgotten)


def _providers(project: Project, face: Face) -> Mapping[str, Provider]:
    from streamt_ol.deploy.providers.needs import PROVIDER_NEEDS
    from streamt_ol.deploy.providers.providing import Providers

    return Providers(project.runtime, face.load_rules(*PROVIDER_NEEDS))


def _require_review(project: Project, request: PlanRequest) -> None:
    """Refuse to look at the removal of a connector only in passing."""
    declared = (project.document.get("lifecycle") or {}).get("connector_removals")
    if declared and (request.offline or request.out is None):
        raise ReviewedPlanRequiredError(
            "the project removes connectors, so its plan is made online and saved",
            location="/lifecycle/connector_removals",
            suggestion="give --out FILE, and leave --offline out",
        )


def _told(request: PlanRequest, project: Project, made: _Made, rules: RuleSet, face: Face) -> Result:
    """Save and show the plan, and return the result of the command."""
    data = plan_data(made.plan, made.observed, made.undeclared)
    saved = Path(request.out).absolute() if request.out is not None else None
    if saved is not None:
        reviewed = reviewed_plan(made.context, made.plan)
        write_plan(saved, reviewed)
        data |= {
            "plan_file": str(saved),
            "plan_checksum": reviewed.checksum,
            "manifest_checksum": made.context.manifest_checksum,
            "plan_format_version": FORMAT_VERSION,
        }
    show_lines(_lines(project, made, request.out, rules), face)
    return Result(face.command, data=data, warnings=face.warnings)


def _lines(project: Project, made: _Made, saved: str | None, rules: RuleSet) -> Iterator[Line]:
    yield from plan_lines(made.plan, project.origins)
    yield from undeclared_lines(made.undeclared or ())
    yield from demand_lines(made.plan, demands(project.environment, rules), rules, saved)
    if made.observed is not None and made.observed.control.intent is not None:
        operation = made.observed.control.intent.operation_id
        yield Line(
            f"Operation {operation} is not over: no apply begins before `streamt state status` says so.",
            "bold red",
        )
    if saved is not None:
        yield Line(f"Saved to {saved}")
    elif made.plan.executable:
        yield Line(
            "Not saved: `streamt apply` plans again. With --out FILE exactly this plan can be applied."
        )
