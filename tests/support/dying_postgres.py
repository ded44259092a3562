"""The state in PostgreSQL of a process that kills itself (`dying_apply.py`): it tells of its commits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from streamt_ol.deploy.state.opening import postgres_means
from streamt_ol.deploy.state.postgres import reader as module
from streamt_ol.deploy.state.postgres.backend import PostgresBackend
from streamt_ol.deploy.state.postgres.session import Session
from streamt_ol.deploy.state.records import Authority
from streamt_ol.project.records import Project


class Steps(Protocol):
    """Where the process is, and where it dies."""

    about: str

    def at(self, step: str) -> None: ...


def dying_postgres(
    project: Project, variables: Mapping[str, str], load_rules: Callable[..., Any], steps: Steps
) -> PostgresBackend:
    """Return the state of a project, of which the connections and the authority tell their steps."""
    from dying_apply import DyingAuthority

    settings, rules = postgres_means(project, variables, load_rules, owner=False)
    connect = module.connect

    def connected(*arguments: Any) -> Session:
        session = connect(*arguments)
        commit = session._commit  # noqa: SLF001 - the moment around the one statement that makes a step durable

        def told(moment: Any) -> None:
            steps.at(f"before {steps.about} commits")
            commit(moment)
            steps.at(f"after {steps.about} commits")

        session._commit = told  # type: ignore[method-assign] # noqa: SLF001
        return session

    module.connect = connected

    class DyingPostgres(PostgresBackend):
        @contextmanager
        def authority(self, seconds: float) -> Iterator[Authority]:
            with super().authority(seconds) as real:
                yield DyingAuthority(real, steps)  # type: ignore[arg-type]

    return DyingPostgres(settings, rules)
