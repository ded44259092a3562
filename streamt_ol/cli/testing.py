"""Tests, step by step: what is checked before anything runs, and how a run ends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from streamt_ol.checks.coverage import coverage
from streamt_ol.checks.faults import counted
from streamt_ol.checks.junit import junit
from streamt_ol.checks.needs import CHECKS_NEEDS
from streamt_ol.checks.runners import runner_for
from streamt_ol.checks.sampling_facts import SAMPLING_NEEDS
from streamt_ol.checks.selection import select
from streamt_ol.checks.topics import Topics
from streamt_ol.checks.verdicts import Verdicts
from streamt_ol.cli.documents import DocumentResult
from streamt_ol.cli.emission import Emission, requested_run
from streamt_ol.cli.face import Face, diagnostics
from streamt_ol.cli.loading import load
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.report import Result
from streamt_ol.cli.test_report import coverage_data, results_data, show_coverage, show_results
from streamt_ol.compiler.compiling import compile_project
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.governance.findings import is_error
from streamt_ol.governance.needs import GOVERNANCE_NEEDS
from streamt_ol.governance.review import review
from streamt_ol.ground.atomic_file import OutputFileError, preflight, write_atomically
from streamt_ol.ground.errors import Diagnostic, Failures, StreamtError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from streamt_ol.checks.records import Selected, TestResult
    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.watching import Watch
    from streamt_ol.project.load import Loaded
    from streamt_ol.project.records import Origins, Project
    from streamt_ol.runs.lifecycle import CommandRun


@dataclass(frozen=True, slots=True)
class ChecksRequest:
    """What the command line and the environment ask for."""

    directory: Path
    environment: str | None
    process_environment: Mapping[str, str] = field(repr=False)
    model: str | None
    kind: str | None
    coverage: bool
    deploy: bool
    show_values: bool
    junit: str | None
    """Where the JUnit report goes."""
    emission: Emission


_NEEDS = (COMPILER_NEEDS, GOVERNANCE_NEEDS, CHECKS_NEEDS, SAMPLING_NEEDS)
RunnerOf = Callable[["Graph", "RuleSet"], "AbstractContextManager[Runs]"]
"""Makes what runs tests, for as long as it is needed."""


class Runs(Protocol):
    """Runs tests."""

    def run(self, tests: Sequence[Selected], watch: Watch) -> Sequence[TestResult]:
        """Return what became of the tests, in their order."""


def run_tests(request: ChecksRequest, face: Face, runner_of: RunnerOf = runner_for) -> Result:
    """Return the result of the tests; in text mode it is already on stdout.

    Warnings are in `face.warnings`, also when this raises: an unexpected exception and an interruption end
    the run that events tell of, and pass through. Source: section 8 of the project language.
    """
    rules = face.load_rules(*_NEEDS)
    if request.junit is not None:
        with _about_the_report():
            preflight(request.junit)
    with shown_progress(quiet=face.quiet) as watch:
        loaded = load(request.directory, request.environment, request.process_environment, rules, face, watch)
        project = loaded.project
        face.warnings.extend(project.warnings)
        watch("Checking the project", 0, None)
        findings = [finding for finding in review(project, rules) if is_error(finding.code, rules)]
        if findings:
            errors = [finding.diagnostic(project.origins) for finding in findings]
            return Result(face.command, errors=errors, warnings=face.warnings)
        tests = () if request.coverage else select(project.tests, request.model, request.kind)
        if request.deploy and not request.coverage:
            face.warnings.append(_NOT_DEPLOYED)
        try:
            results = _run(tests, request, loaded, rules, face, watch, runner_of) if tests else ()
        except (StreamtError, Failures) as error:
            errors = diagnostics(error, project.origins)
            return Result(face.command, errors=errors, warnings=face.warnings)
    if request.coverage:
        return _covered(project, face)
    return _told(tests, results, Verdicts(rules), request, project.origins, face)


def _covered(project: Project, face: Face) -> Result:
    found = coverage(project)
    show_coverage(found, face)
    return Result(face.command, data=coverage_data(found), warnings=face.warnings)


def _run(
    tests: Sequence[Selected],
    request: ChecksRequest,
    loaded: Loaded,
    rules: RuleSet,
    face: Face,
    watch: Watch,
    runner_of: RunnerOf,
) -> Sequence[TestResult]:
    """Run tests, and tell of the run where that is wanted; what that warns of is the face's at the end."""
    graph = compile_project(loaded.project, rules)
    run = _requested(tests, request, loaded, graph, face)
    try:
        with run or nullcontext(), runner_of(graph, rules) as runner:
            if run is not None:
                run.start()
            results = runner.run(tests, watch)
            if run is not None:
                run.finish(Verdicts(rules).outcome(results, len(tests)))
    finally:
        if run is not None:
            face.warnings.extend(run.warnings)
    return results


def _requested(
    tests: Sequence[Selected], request: ChecksRequest, loaded: Loaded, graph: Graph, face: Face
) -> CommandRun | None:
    """Return the prepared run; None where none is wanted: then not even a table is read for it."""
    if not request.emission.wanted or request.deploy:
        return None
    from streamt_ol.runs.config_needs import CONFIGURATION_NEEDS
    from streamt_ol.runs.deliveries import DELIVERY_NEEDS
    from streamt_ol.runs.needs import RUN_NEEDS

    rules = face.load_rules(RUN_NEEDS, CONFIGURATION_NEEDS, DELIVERY_NEEDS)
    topics = Topics(graph).sampled(tests)
    return requested_run(request.emission, "test", loaded, graph, topics, rules)


def _told(
    tests: Sequence[Selected],
    results: Sequence[TestResult],
    verdicts: Verdicts,
    request: ChecksRequest,
    origins: Origins,
    face: Face,
) -> Result:
    """Write and show what became of the tests, and return the result of the command."""
    errors = [
        error._replace(
            message=f"test '{result.name}': {error.message}",
            place=error.place or origins.place(error.location or result.at),
        )
        for result in results
        for error in result.errors
    ]
    outcome = verdicts.outcome(results, len(tests))
    if outcome == "incomplete":
        errors.append(_incomplete(len(tests), len(results)))
    elif outcome == "failed":
        passed = sum(map(verdicts.passed, results))
        errors.append(_failed(len(tests), passed))
    if request.junit is not None:
        report = junit(results, verdicts, show_values=request.show_values)
        try:
            with _about_the_report():
                write_atomically(request.junit, report)
        except OutputFileError as error:
            errors += diagnostics(error)
    show_results(results, verdicts, face, show_values=request.show_values)
    data = results_data(results, verdicts, show_values=request.show_values)
    return DocumentResult(face.command, data=data, errors=errors, warnings=face.warnings)


def _failed(selected: int, passed: int) -> Diagnostic:
    text = f"{selected - passed} of {counted(selected, 'test')} did not pass"
    return Diagnostic("E530_TESTS_FAILED", text)


def _incomplete(selected: int, told: int) -> Diagnostic:
    text = f"of {counted(selected, 'selected test')} only {told} have a result"
    return Diagnostic("E531_TESTS_INCOMPLETE", text)


_NOT_DEPLOYED = Diagnostic(
    "W000_WARNING",
    "--deploy does nothing yet: tests run from here, and no run events are sent",
    "deploy",
)


@contextmanager
def _about_the_report() -> Iterator[None]:
    """Locate a failure at the JUnit report."""
    try:
        yield
    except OutputFileError as error:
        error.location = "junit"
        raise
