"""What the commands that change something have in common: a project, its policy, its lock and its state."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamt_ol.cli.confirming import answered, can_ask
from streamt_ol.cli.loading import load
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.compiler.artifacts import build_artifacts
from streamt_ol.compiler.compiling import compile_project
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.deploy.applying.gates import Gates
from streamt_ol.deploy.applying.needs import APPLYING_NEEDS
from streamt_ol.deploy.planning.desired import desired_resources, notes
from streamt_ol.deploy.planning.needs import PLANNING_NEEDS
from streamt_ol.deploy.planning.policies import demands
from streamt_ol.deploy.planning.removals import removals
from streamt_ol.deploy.providers.needs import PROVIDER_NEEDS
from streamt_ol.deploy.providers.providing import Providers
from streamt_ol.deploy.state.opening import open_state
from streamt_ol.deploy.state.operations import require_clear
from streamt_ol.governance.connector_settings import connector_warnings
from streamt_ol.governance.findings import is_error
from streamt_ol.governance.needs import GOVERNANCE_NEEDS
from streamt_ol.governance.review import review
from streamt_ol.ground.errors import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.records import Desired, Provider
    from streamt_ol.deploy.state.records import Authority, Observed

REVIEWED_PLAN = ".streamt/reviewed-plan.json"
"""Where a reviewed plan is suggested to be, in the project's folder."""

_NEEDS = (COMPILER_NEEDS, GOVERNANCE_NEEDS, PLANNING_NEEDS, *PROVIDER_NEEDS, APPLYING_NEEDS)
_LOCAL = Diagnostic(
    "W106_LOCAL_STATE_ONLY",
    "the state is kept in files of this folder: whoever applies the project from elsewhere does not see it",
)


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """What the command line and the environment ask of a command that changes something."""

    directory: Path
    environment: str | None
    process_environment: Mapping[str, str] = field(repr=False)
    confirm: bool
    confirm_env: str | None
    lock_seconds: float | None
    """How long to wait for the lock; None for as long as the state says."""


class NotSoundError(Exception):
    """The project breaks its own rules; `errors` says how."""

    def __init__(self, errors: list[Diagnostic]) -> None:
        super().__init__(errors[0].message)
        self.errors = errors


class Deployment:
    """A command at work. Each step leaves what those after it need; their order is the command's."""

    authority: Authority
    observed: Observed

    def __init__(self, request: ChangeRequest, face: Face, plan_file: str | None = None) -> None:
        self.face = face
        self.data: dict[str, Any] = {}
        """What the envelope shows, also after a failure."""
        self._asked = request
        self.rules = face.load_rules(*_NEEDS)
        with shown_progress(quiet=face.quiet) as watch:
            self.loaded = load(
                request.directory, request.environment, request.process_environment, self.rules, face, watch
            )
        self.project = self.loaded.project
        face.warnings.extend(self.project.warnings)
        self.environment = self.project.environment.name
        self.plan_file = plan_file or str(request.directory / REVIEWED_PLAN)
        self.gates = Gates(self.rules, self.environment, self.plan_file)
        self.demands = demands(self.project.environment, self.rules)
        self.removals = removals(self.project)
        self.backend_kind = (self.project.document.get("deployment_state") or {}).get("backend", "local")

    def require_remote_state(self) -> None:
        """Refuse local state where the environment takes remote state only."""
        wanted = self.demands.remote_state and self.backend_kind == "local"
        self.gates.at("remote_state", state_not_remote=wanted)

    def confirm(self) -> None:
        """Have the environment confirmed by its name, where it demands that, or where a name was given."""
        request = self._asked
        named = request.confirm_env is not None
        confirmed = not self.demands.confirmation or request.confirm or named
        asking = not confirmed and can_ask()
        self.gates.at(
            "confirmation",
            environment_mismatch=named and request.confirm_env != self.environment,
            unconfirmed=not confirmed and not asking,
            answer_mismatch=asking and answered(self._question()) != self.environment,
        )

    def validate(self) -> None:
        """Refuse a project that breaks its own rules: NotSoundError."""
        self.face.warnings.extend(connector_warnings(self.project, self.rules))
        findings = [one for one in review(self.project, self.rules) if is_error(one.code, self.rules)]
        if findings:
            raise NotSoundError([one.diagnostic(self.project.origins) for one in findings])

    def compile(self) -> None:
        """Compile the project to what it wants, and open its state; nothing of that is read."""
        self.graph = compile_project(self.project, self.rules)
        self.artifacts = build_artifacts(self.graph, self.rules)
        self.desired: tuple[Desired, ...] = desired_resources(self.graph, self.artifacts, self.rules)
        self.face.warnings.extend(notes(self.desired, self.project))
        self.open()

    def open(self) -> None:
        """Open the state; nothing of it is read."""
        self.backend = open_state(self.project, self.loaded.variables, self.face.load_rules)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the state."""
        with ExitStack() as held:
            with shown_progress(quiet=self.face.quiet) as watch:
                watch("Waiting for the lock of the state", 0, None)
                self.authority = held.enter_context(self.backend.authority(self._seconds()))
            yield

    def read_state(self) -> None:
        """Read the state, of which no operation may be unfinished."""
        self.observed = self.authority.observe()
        require_clear(self.observed.control)
        if self.backend.kind == "local":
            self.face.warnings.append(_LOCAL)

    def providers(self) -> Mapping[str, Provider]:
        """Return what shows and changes resources, by kind; nothing is connected before it is asked."""
        return Providers(self.project.runtime, self.rules)

    def _seconds(self) -> float:
        asked = self._asked.lock_seconds
        return self.backend.seconds if asked is None else asked

    def _question(self) -> str:
        return f"This changes the environment '{self.environment}'. Type its name to go on"
