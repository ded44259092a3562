"""Runs the program in a process that kills itself (SIGKILL) at a named step of a durable operation.

    python dying_apply.py STEP ARGUMENT...

The backend, its files and the provider are the real ones; each tells its steps, and at the named one the
process is gone, with nothing closed and nothing flushed. `-` is no step: then every step is told on stderr.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from streamt_ol.cli import deployment
from streamt_ol.cli.entry import main
from streamt_ol.deploy.providers.kafka import KafkaTopics
from streamt_ol.deploy.records import Action, Provider
from streamt_ol.deploy.state.files import StateFile
from streamt_ol.deploy.state.local import LocalBackend
from streamt_ol.deploy.state.opening import is_shared
from streamt_ol.deploy.state.records import Authority, Observed, Progress, Record, Recovery, StateBackend
from streamt_ol.engine.ruleset import RuleSet
from streamt_ol.project.records import Project


class Steps:
    """Where the process is, and where it dies."""

    def __init__(self, last: str) -> None:
        self._last = last
        self.about = ""
        """The durable step that is under way."""

    def at(self, step: str) -> None:
        if self._last == "-":
            sys.stderr.write(f"step: {step}\n")
        if step == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


class DyingFile(StateFile):
    """A file of the state that tells of its writes."""

    def __init__(self, file: StateFile, steps: Steps, name: str) -> None:
        super().__init__(file.path, file.shown)
        self._steps, self._name = steps, name

    def write(self, data: bytes) -> None:
        self._steps.at(f"before {self._steps.about} writes the {self._name}")
        super().write(data)
        self._steps.at(f"after {self._steps.about} writes the {self._name}")


class DyingAuthority:
    """An authority that says which step is under way."""

    def __init__(self, real: Authority, steps: Steps) -> None:
        self._real, self._steps = real, steps

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def begin(self, *arguments: Any) -> None:
        self._steps.about = "begin"
        self._real.begin(*arguments)

    def progress(self, entry: Progress) -> None:
        self._steps.about = f"{entry.status} {entry.action_index}"
        self._real.progress(entry)

    def require_recovery(self, recovery: Recovery) -> None:
        self._steps.about = "mark"
        self._real.require_recovery(recovery)

    def commit(self, resources: Mapping[str, Record] | None) -> Observed:
        self._steps.about = "commit"
        return self._real.commit(resources)

    def resolve(self, *arguments: Any) -> Observed:
        self._steps.about = "resolve"
        return self._real.resolve(*arguments)

    def release(self) -> None:
        self._steps.at("before release")
        self._real.release()
        self._steps.at("after release")


class DyingBackend(LocalBackend):
    """The local state, with files and an authority that tell of their steps."""

    def __init__(self, project: Project, steps: Steps) -> None:
        super().__init__(project.directory, project.name, project.environment.name)
        self._steps = steps
        self.state_file = DyingFile(self.state_file, steps, "state")
        self.control_file = DyingFile(self.control_file, steps, "control")
        self.history_file = DyingFile(self.history_file, steps, "history")

    @contextmanager
    def authority(self, seconds: float) -> Iterator[Authority]:
        with super().authority(seconds) as real:
            yield DyingAuthority(real, self._steps)


class DyingTopics(KafkaTopics):
    """The provider of topics, told of before and after what it does."""

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet, steps: Steps) -> None:
        super().__init__(runtime, rules)
        self._steps = steps

    def execute(self, action: Action) -> None:
        self._steps.at(f"before execute {action.position}")
        super().execute(action)
        self._steps.at(f"after execute {action.position}")

    def undo(self, action: Action) -> bool:
        self._steps.at(f"before undo {action.position}")
        undone = super().undo(action)
        self._steps.at(f"after undo {action.position}")
        return undone


def run(step: str, arguments: list[str]) -> None:
    steps = Steps(step)

    def providers(runtime: Mapping[str, Any], rules: RuleSet) -> dict[str, Provider]:
        return {"topic": DyingTopics(runtime, rules, steps)}

    def opened(project: Project, *means: Any) -> StateBackend:
        if not is_shared(project):
            return DyingBackend(project, steps)
        from dying_postgres import (
            dying_postgres,  # here: whose state is in files needs no driver of a database
        )

        return dying_postgres(project, *means, steps)

    deployment.open_state = opened
    deployment.Providers = providers
    main(arguments)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2:])
