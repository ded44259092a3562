"""`deployment_state` of a project that keeps its state in PostgreSQL.

Connection strings are in variables that the project names. They are read when they are needed, and never
shown. Source: section 3.1 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.project.records import Project

LOCATION: Final = "/deployment_state"
KEYS: Final = f"{LOCATION}/postgres"
_SCHEMA: Final = "streamt"
_SECONDS: Final = 30


class PostgresSettings(NamedTuple):
    """Which state it is, and the variables that say where."""

    namespace: str
    project: str
    environment: str
    schema: str
    seconds: float
    """How long the lock is waited for."""
    owner_variable: str
    """Holds the connection string of who made the tables; of everybody, where there is no writer."""
    writer_variable: str | None
    """Holds the connection string of who may write operations and nothing else."""
    role_variable: str | None
    """Holds the name of the writer's role."""
    variables: Mapping[str, str]

    def __repr__(self) -> str:
        """Leave out what holds secrets."""
        return shown_without(self, "variables")

    @property
    def address(self) -> str:
        """Return where the state is, in its store."""
        return f"streamt-state://postgres/{self.namespace}/{self.project}/{self.environment}"

    @property
    def working_variable(self) -> str:
        """Return the variable that ordinary commands connect by."""
        return self.writer_variable or self.owner_variable


def postgres_settings(project: Project, variables: Mapping[str, str]) -> PostgresSettings:
    """Return the settings of a project, which asks for PostgreSQL; no variable is looked at."""
    state = project.document["deployment_state"]
    postgres = state["postgres"]
    return PostgresSettings(
        namespace=state["namespace"],
        project=project.name,
        environment=project.environment.name,
        schema=postgres.get("schema", _SCHEMA),
        seconds=state.get("lock_timeout_seconds", _SECONDS),
        owner_variable=postgres["dsn_env"],
        writer_variable=postgres.get("writer_dsn_env"),
        role_variable=postgres.get("writer_role_env"),
        variables=variables,
    )
