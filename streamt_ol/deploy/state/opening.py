"""Where the state of a project is kept, by its own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.state.local import LocalBackend

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamt_ol.deploy.state.postgres.backend import PostgresBackend
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings
    from streamt_ol.deploy.state.records import StateBackend
    from streamt_ol.engine.ruleset import Needs, RuleSet
    from streamt_ol.project.records import Project

    LoadRules = Callable[[Needs], RuleSet]
    """Loads the tables that something needs."""


def is_shared(project: Project) -> bool:
    """Return whether a project asks for a state that is not kept in its folder."""
    return _kind(project) != LocalBackend.kind


def open_state(project: Project, variables: Mapping[str, str], load_rules: LoadRules) -> StateBackend:
    """Return the state of the project in its environment; nothing is read, connected to or created.

    `variables` are those of the process and its dotenv files. A project that asks for shared state never
    falls back to local files. Raises `StateInvalidError` for names that no address can be made of,
    `StateUnavailableError` without a connection string, or without the driver of the database.
    """
    if is_shared(project):
        return open_postgres(project, variables, load_rules)
    return LocalBackend(project.directory, project.name, project.environment.name)


def open_postgres(project: Project, variables: Mapping[str, str], load_rules: LoadRules) -> PostgresBackend:
    """Return the state of a project that asks for PostgreSQL; raises what `open_state` raises."""
    settings, rules = postgres_means(project, variables, load_rules, owner=False)
    from streamt_ol.deploy.state.postgres.backend import PostgresBackend

    return PostgresBackend(settings, rules)


def postgres_means(
    project: Project, variables: Mapping[str, str], load_rules: LoadRules, *, owner: bool
) -> tuple[PostgresSettings, RuleSet]:
    """Return the settings and the rules of a state in PostgreSQL, for its owner or for ordinary commands.

    Raises `StateUnavailableError` without a connection string or without the driver. Then the driver is
    there: what imports it can be imported.
    """
    from streamt_ol.deploy.state.postgres.facts import POSTGRES_NEEDS
    from streamt_ol.deploy.state.postgres.settings import postgres_settings
    from streamt_ol.deploy.state.postgres.troubles import Troubles, connection_string

    rules = load_rules(POSTGRES_NEEDS)
    settings = postgres_settings(project, variables)
    variable = settings.owner_variable if owner else settings.working_variable
    troubles = Troubles(settings, variable, rules)
    connection_string(variable, variables, troubles)
    try:
        import psycopg  # noqa: F401 - without the C library that it needs it cannot be imported either
    except ImportError:
        raise troubles.of("driver_missing", "settings") from None
    return settings, rules


def _kind(project: Project) -> str:
    kind: str = (project.document.get("deployment_state") or {}).get("backend", LocalBackend.kind)
    return kind
